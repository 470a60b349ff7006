"""Pictures as elements of a page, as short as they can be."""

import re
from collections.abc import Iterable
from html import escape
from xml.etree import ElementTree as Tree
from zlib import crc32

from inspect_confidence.plots import COLOURS

_HEAD = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_DROPPED = re.compile(r"<metadata>.*?</metadata>|<style[^>]*>.*?</style>", re.DOTALL)
_BOX = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')
_POINTS_TO_PIXELS = 96 / 72
_FINE = re.compile(r"(\d+\.\d\d)\d+")
_STYLE = re.compile(r'(<[^<>]*?) style="([^"]*)"([^<>]*>)')
_NAMESPACE = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"


def inline(svg: str, name: str, title: str) -> str:
    """An SVG file's text as an element of a page.

    Its colours become the page's variables, its identifiers are the figure's own, and screen
    readers are told the title. What nothing refers to, and digits beyond a hundredth of a
    point, are left out.
    """
    body = _DROPPED.sub("", _HEAD.sub("", svg))
    box = _BOX.search(body)
    if box is None:
        raise ValueError(f"The figure {name} has no viewBox.")
    width, height = (float(side) * _POINTS_TO_PIXELS for side in box.groups())
    root = Tree.fromstring(body)
    _shorten(root, f"f{crc32(name.encode()):x}")
    inner = "".join(_text(child) for child in root)
    for colour, variable in COLOURS.items():
        inner = re.sub(colour, f"var({variable})", inner, flags=re.IGNORECASE)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box[0][9:-1]}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" '
        f'aria-labelledby="{name}-name"><title id="{name}-name">{escape(title)}</title>'
        f"{inner}</svg>"
    )


def _shorten(root: Tree.Element, prefix: str) -> None:
    """Plain and short: no identifier that nothing refers to, no group that says nothing."""
    used: dict[str, str] = {}
    for one in root.iter():
        for key, value in list(one.attrib.items()):
            if found := re.search(r"url\(#([^)]+)\)", value):
                short = used.setdefault(found[1], f"{prefix}-{len(used)}")
                one.set(key, f"url(#{short})")
            elif key in (_LINK, "href"):
                del one.attrib[key]
                within = value.startswith("#")  # and not a picture in itself
                short = used.setdefault(value[1:], f"{prefix}-{len(used)}") if within else ""
                one.set("href", f"#{short}" if within else value)
    for one in root.iter():
        if (old := one.attrib.pop("id", None)) in used:
            one.set("id", used[old])
        for key in ("d", "x", "y", "transform", "points", "width", "height"):
            if key in one.attrib:
                one.set(key, " ".join(_FINE.sub(r"\1", one.attrib[key]).split()))
    _unwrap(root)


def _unwrap(element: Tree.Element) -> None:
    children: list[Tree.Element] = []
    for child in element:
        _unwrap(child)
        bare = child.tag == f"{_NAMESPACE}g" and not child.attrib
        children += list(child) if bare else [child]
    element[:] = children


def _text(element: Tree.Element) -> str:
    """As text without namespaces: all of a page's elements are in one."""
    for one in element.iter():
        one.tag = one.tag.removeprefix(_NAMESPACE)
        one.tail = None
        one.attrib = {key.split("}")[-1]: value for key, value in one.attrib.items()}
    return Tree.tostring(element, encoding="unicode")


def with_classes(pictures: Iterable[str]) -> tuple[list[str], str]:
    """Pictures whose styles are classes, and the style sheet that all of them share."""
    names: dict[str, str] = {}

    def as_class(found: re.Match[str]) -> str:
        name = names.setdefault(found[2], f"p{len(names):x}")
        return f'{found[1]} class="{name}"{found[3]}'

    shorter = [_STYLE.sub(as_class, one) for one in pictures]
    return shorter, "\n".join(f".{name} {{ {style} }}" for style, name in names.items())
