// Small things of the page: elements from text alone, and questions to the server.
// Law: texts reach the page by textContent; HTML comes from this server's templates only, which escape every name.

export const find = (id) => document.getElementById(id);
export const clean = (t) => String(t).replace(/[\p{C}\u2028\u2029]/gu, (c) => "\\u" + c.codePointAt(0).toString(16).padStart(4, "0"));
export const whole = (n) => new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 }).format(n);
export const percent = (share) => (share === share ? (100 * share).toFixed(1) + "\u00a0%" : "–");

export function make(tag, more = {}, ...inside) {
  const out = document.createElement(tag);
  for (const [key, value] of Object.entries(more)) {
    if (key === "on") for (const [what, f] of Object.entries(value)) out.addEventListener(what, f);
    else if (value !== undefined && value !== null && value !== false) out.setAttribute(key, value === true ? "" : value);
  }
  out.append(...inside.map((t) => (t instanceof Node ? t : document.createTextNode(String(t)))));
  return out;
}
export const name = (t) => make("bdi", {}, clean(t));

let session = sessionStorage.getItem("session") || "";
export const hasSession = () => session !== "";

async function answer(response) {
  const told = await response.json();
  if (!response.ok) throw Object.assign(new Error(told.detail || "no answer"), { status: response.status });
  return told;
}

export async function begin() { // a session for this tab
  session = (await answer(await fetch("/api/session", { method: "POST", body: "{}" }))).session;
  sessionStorage.setItem("session", session);
}

export const get = async (what, more = {}) => answer(await fetch(`/api/${what}?${new URLSearchParams({ session, ...more })}`));
export const post = async (what, wish = {}) => answer(await fetch(`/api/${what}`, { method: "POST", body: JSON.stringify({ session, ...wish }) }));
export const send = async (file) => answer(await fetch(`/api/upload?${new URLSearchParams({ session, name: file.name })}`, { method: "POST", body: file }));

export async function download(what) {
  const response = await fetch(`/api/save?${new URLSearchParams({ session, what })}`);
  if (!response.ok) return answer(response);
  const told = response.headers.get("content-disposition") || "";
  const link = make("a", { href: URL.createObjectURL(await response.blob()), download: decodeURIComponent(told.split("''")[1] || what) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000); // a slow machine begins late
  return {};
}

export function say(text) { // what went wrong, until it is closed
  find("wrong").textContent = text;
  find("problem").hidden = !text;
}

export const trying = (work) => async (...given) => {
  try { await work(...given); } catch (error) { say(error.message); }
};

export function replace(place, html) { // new content in a place; who had the focus keeps it
  const held = document.activeElement && place.contains(document.activeElement) ? document.activeElement.id : "";
  place.innerHTML = html;
  if (held && find(held)) find(held).focus({ preventScroll: true });
}
