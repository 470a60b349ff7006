"""SVG pictures as short elements of a page."""

import re
from collections.abc import Iterable
from html import escape
from xml.etree import ElementTree as Tree
from zlib import crc32

from inspect_confidence.plots import COLOURS

_BEFORE_SVG = re.compile(r"^.*?(?=<svg)", re.DOTALL)  # such as `<?xml version="1.0"?>`
_DROPPED = re.compile(r"<metadata>.*?</metadata>|<style[^>]*>.*?</style>", re.DOTALL)
_VIEW_BOX = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')
_POINTS_TO_PIXELS = 96 / 72
_EXCESS_DIGITS = re.compile(r"(\d+\.\d\d)\d+")  # the 3 of 1.253
_STYLED_TAG = re.compile(r'(<[^<>]*?) style="([^"]*)"([^<>]*>)')  # such as `<g style="fill: red">`
_REFERENCE = re.compile(r"url\(#([^)]+)\)")  # such as that of a hatched area to its pattern
_NAMESPACE = "{http://www.w3.org/2000/svg}"
_XLINK = "{http://www.w3.org/1999/xlink}href"


def inline(svg: str, name: str, title: str) -> str:
    """Return the text of an SVG file as an element of a page.

    Colours become the page's variables. Identifiers become unique to the figure called `name`. The
    title becomes the accessible name. Unused identifiers and digits beyond a hundredth of a point
    are removed.

    Raises:
        ValueError: The picture has no viewBox.
    """
    body = _DROPPED.sub("", _BEFORE_SVG.sub("", svg))
    box = _VIEW_BOX.search(body)
    if box is None:
        raise ValueError(f"The figure {name} has no viewBox.")
    width, height = (float(side) * _POINTS_TO_PIXELS for side in box.groups())
    root = Tree.fromstring(body)
    _shorten(root, f"f{crc32(name.encode()):x}")
    inner = "".join(map(_element_text, root))
    for colour, variable in COLOURS.items():
        inner = re.sub(colour, f"var({variable})", inner, flags=re.IGNORECASE)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {box[1]} {box[2]}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" '
        f'aria-labelledby="{name}-name"><title id="{name}-name">{escape(title)}</title>'
        f"{inner}</svg>"
    )


def _shorten(root: Tree.Element, prefix: str) -> None:
    """Shorten identifiers and numbers, and remove unused identifiers and groups.

    An identifier is used if an attribute refers to it, as `url(#p3)` or `#p3`. It becomes the
    prefix, which is unique to the figure, with a number.
    """
    short_by_name: dict[str, str] = {}
    for element in root.iter():
        for key, value in list(element.attrib.items()):
            if match := _REFERENCE.search(value):
                short = short_by_name.setdefault(match[1], f"{prefix}-{len(short_by_name)}")
                # A style has further properties, such as the colour of a hatched area's edge.
                element.set(key, _REFERENCE.sub(f"url(#{short})", value))
            elif key in (_XLINK, "href"):
                del element.attrib[key]
                target = value
                if value.startswith("#"):  # else an embedded picture
                    short = short_by_name.setdefault(value[1:], f"{prefix}-{len(short_by_name)}")
                    target = f"#{short}"
                element.set("href", target)
    for element in root.iter():
        if (name := element.attrib.pop("id", None)) in short_by_name:
            element.set("id", short_by_name[name])
        for key in ("d", "x", "y", "transform", "points", "width", "height"):
            if key in element.attrib:
                element.set(key, " ".join(_EXCESS_DIGITS.sub(r"\1", element.attrib[key]).split()))
    _unwrap(root)


def _unwrap(element: Tree.Element) -> None:
    """Replace groups without attributes by their children, at any depth."""
    children: list[Tree.Element] = []
    for child in element:
        _unwrap(child)
        bare = child.tag == f"{_NAMESPACE}g" and not child.attrib
        children += list(child) if bare else [child]
    element[:] = children


def _element_text(element: Tree.Element) -> str:
    """Return an element, which is changed, as text without namespaces and blanks after elements."""
    for descendant in element.iter():
        descendant.tag = descendant.tag.removeprefix(_NAMESPACE)
        descendant.tail = None
        attributes = {key.split("}")[-1]: value for key, value in descendant.attrib.items()}
        descendant.attrib = attributes
    return Tree.tostring(element, encoding="unicode")


def with_classes(pictures: Iterable[str]) -> tuple[list[str], str]:
    """Replace the styles of SVG texts by classes, and return the texts and the style sheet.

    Equal styles, which occur thousands of times, have one class, so that the page gets smaller.
    """
    class_by_style: dict[str, str] = {}
    shorter = []
    for picture in pictures:
        # The groups are the tag up to its style, the style, and the rest of the tag.
        for match in _STYLED_TAG.finditer(picture):
            class_by_style.setdefault(match[2], f"p{len(class_by_style):x}")
        shorter.append(
            _STYLED_TAG.sub(
                lambda match: f'{match[1]} class="{class_by_style[match[2]]}"{match[3]}', picture
            )
        )
    return shorter, "\n".join(f".{name} {{ {style} }}" for style, name in class_by_style.items())
