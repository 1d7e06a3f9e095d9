"use strict";
const at = (id) => document.getElementById(id);

function headers(more) {
  const token = at("token").value;
  return token ? { ...more, Authorization: "Bearer " + token } : more;
}

function example(schema) {
  const row = {};
  for (const [name, cell] of Object.entries(schema.properties)) {
    row[name] = cell.examples ? cell.examples[0] : null;
  }
  return JSON.stringify(row, null, 2);
}

async function showExample() {
  const reply = await fetch("/v1/models/" + encodeURIComponent(at("model").value) + "/schema", { headers: headers({}) });
  if (reply.ok) at("row").value = example(await reply.json());
}

function list(paths) {
  at("paths").replaceChildren();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, what] of Object.entries(methods)) {
      const term = document.createElement("dt");
      const words = document.createElement("dd");
      term.textContent = method.toUpperCase() + " " + path;
      words.textContent = what.summary;
      at("paths").append(term, words);
    }
  }
}

async function begin() {
  const [models, openapi] = await Promise.all(
    ["/v1/models", "/openapi.json"].map((path) => fetch(path, { headers: headers({}) }))
  );
  if (!models.ok) {
    at("state").textContent = (await models.json()).detail;
    return;
  }
  const served = (await models.json()).models;
  at("model").replaceChildren(...[...new Set(served.map((m) => m.name))].map((name) => new Option(name, name)));
  list((await openapi.json()).paths);
  await showExample();
  at("state").textContent = served.length === 1 ? "1 model is served." : served.length + " models are served.";
}

async function ask(event) {
  event.preventDefault();
  const path = "/v1/models/" + encodeURIComponent(at("model").value) + "/predict" + (at("explain").checked ? "?explain=true" : "");
  const reply = await fetch(path, {
    method: "POST",
    headers: headers({ "Content-Type": "application/json" }),
    body: at("row").value,
  });
  at("answer").textContent = JSON.stringify(await reply.json(), null, 2);
}

at("ask").addEventListener("submit", ask);
at("model").addEventListener("change", showExample);
at("token").addEventListener("change", begin);
begin();
