"""SVG as matplotlib writes it, made small: a page holds each drawing twice, wide and narrow."""

import re
from itertools import groupby
from xml.etree import ElementTree as ET

_SVG, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_GROUP = f"{{{_SVG}}}g"
_OPACITY = re.compile(r"(^|;)opacity")
_FONT = re.compile(r"font-family:[^;]*;?")
_PLACES = ("x", "y", "points", "transform")


def compact(svg: str, prefix: str, fonts: str) -> str:
    """The <svg> element: two decimals, few groups, short ids that begin with `prefix`.

    All its text is in `fonts`. Two decimals are a hundredth of a point. Ids of different figures on
    one page do not collide.
    """
    ET.register_namespace("", _SVG)
    root = ET.fromstring(svg)
    for element in root.iter():
        if (target := element.attrib.pop(f"{{{_XLINK}}}href", None)) is not None:
            element.set("href", target)
    names = _names(root, prefix)
    for element in root.iter():
        _shorten(element, names)
    _style_marks(root)
    _flatten(root)
    _share(root)
    root.set("font-family", fonts)
    return ET.tostring(root, encoding="unicode")


def _names(root: ET.Element, prefix: str) -> dict[str, str]:
    """A new id for each that something refers to."""
    used = {
        name
        for element in root.iter()
        for key, value in element.attrib.items()
        for name in ([value[1:]] if key == "href" else _REFERENCE.findall(value))
    }
    known = [name for element in root.iter() if (name := element.get("id", "")) in used]
    return {name: f"{prefix}-{i}" for i, name in enumerate(known)}


def _shorten(element: ET.Element, names: dict[str, str]) -> None:
    for key, value in list(element.attrib.items()):
        if key == "id" and value not in names:
            del element.attrib[key]
        elif key == "id":
            element.set(key, names[value])
        elif key == "href":
            element.set(key, f"#{names[value[1:]]}")
        elif key == "style":
            element.set(key, _FONT.sub("", re.sub(r"([:;]) ", r"\1", value)))
        elif key == "d":
            element.set(
                key, re.sub(r"\s*([A-Za-z])\s*", r"\1", _NUMBER.sub(_rounded, value)).strip()
            )
        elif key == "transform" and value.startswith(("rotate(-0 ", "rotate(0 ")):
            del element.attrib[key]
        elif key in _PLACES:
            element.set(key, " ".join(_NUMBER.sub(_rounded, value).split()))
        else:
            element.set(key, _REFERENCE.sub(lambda match: f"url(#{names[match[1]]})", value))
    if element.tag != f"{{{_SVG}}}text":
        element.text = (element.text or "").strip()
    element.tail = ""


def _style_marks(root: ET.Element) -> None:
    """Say how a mark looks where it is defined, if it looks the same wherever it stands."""
    marks: dict[str, list[ET.Element]] = {}
    for element in root.iter(f"{{{_SVG}}}use"):
        marks.setdefault(element.get("href", "")[1:], []).append(element)
    for element in root.iter():
        used = marks.get(element.get("id", ""), [])
        looks = {use.get("style", "") for use in used}
        if len(looks) == 1:
            element.set("style", ";".join(filter(None, [*looks, element.get("style")])))
            for use in used:
                use.attrib.pop("style", None)


def _rounded(match: re.Match[str]) -> str:
    return f"{float(match[0]):.2f}".rstrip("0").rstrip(".")


def _flatten(parent: ET.Element) -> None:
    """Put what is in groups without an attribute in their place; drop what shows nothing."""
    for child in list(parent):
        _flatten(child)
        if child.tag == _GROUP and not child.attrib:
            place = list(parent).index(child)
            parent[place : place + 1] = list(child)
        elif child.get("style") == "fill:none" and len(child) == 0:
            parent.remove(child)


def _share(parent: ET.Element) -> None:
    """Say once what neighbours have in common: their style and what cuts them off."""
    children = list(parent)
    del parent[:]
    for common, run in groupby(children, _common):
        alike = list(run)
        if len(alike) == 1 or not common:
            for child in alike:
                _share(child)
            parent.extend(alike)
            continue
        group = ET.SubElement(parent, _GROUP, dict(common))
        for child in alike:
            for key, _ in common:
                del child.attrib[key]
            group.append(child)


def _common(element: ET.Element) -> tuple[tuple[str, str], ...]:
    """Nothing when it holds others, is named, or shines through: where two overlap, it counts."""
    known = {key: element.get(key, "") for key in ("style", "clip-path")}
    if (
        len(element)
        or element.get("id")
        or element.tag == f"{{{_SVG}}}text"
        or _OPACITY.search(known["style"])
    ):
        return ()
    return tuple((key, value) for key, value in known.items() if value)
