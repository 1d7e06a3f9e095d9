"""Pictures as data: what an SVG draws, in the order of drawing."""

from __future__ import annotations

import xml.etree.ElementTree as ET

SPACE = "{http://www.w3.org/2000/svg}"


def words(svg: str) -> list[str]:
    """Return the texts of a picture; it must be well-formed."""
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SPACE}text")]


def shapes(svg: str, tag: str) -> list[dict[str, str]]:
    """Return the attributes of every shape of a kind."""
    return [element.attrib for element in ET.fromstring(svg).iter(f"{SPACE}{tag}")]


def title(svg: str) -> str:
    """Return what the picture is called."""
    return ET.fromstring(svg).findtext(f"{SPACE}title") or ""
