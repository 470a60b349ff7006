"""Figures as part of a page: one look in light and dark, no identifier twice."""

import re
from html import escape

from inspect_confidence.plots import COLOURS

_HEAD = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_DROPPED = re.compile(r"<metadata>.*?</metadata>|<style[^>]*>.*?</style>", re.DOTALL)
_OPENING = re.compile(r"<svg[^>]*>")
_BOX = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')
_POINTS_TO_PIXELS = 96 / 72


def inline(svg: str, name: str, title: str) -> str:
    """An SVG file's text as an element of a page.

    Its colours become the page's variables, its identifiers begin with the figure's name, and
    screen readers are told the title.

    Args:
        svg: As matplotlib writes it.
        name: Of the figure; a valid identifier, used once in the page.
        title: What the figure is.
    """
    body = _DROPPED.sub("", _HEAD.sub("", svg))
    body = re.sub(r"\n\s*", "\n", body)
    body = re.sub(r'(\sid=")', rf"\g<1>{name}-", body)
    body = re.sub(r"(url\(#)", rf"\g<1>{name}-", body)
    body = re.sub(r'(?:xlink:)?href="#', f'href="#{name}-', body)
    for colour, variable in COLOURS.items():
        body = re.sub(colour, f"var({variable})", body, flags=re.IGNORECASE)
    box = _BOX.search(body)
    if box is None:
        raise ValueError(f"The figure {name} has no viewBox.")
    width, height = (float(side) * _POINTS_TO_PIXELS for side in box.groups())
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box[0][9:-1]}" '
        f'style="width: {width:.0f}px; aspect-ratio: {width:.0f} / {height:.0f}" role="img" '
        f'aria-labelledby="{name}-name"><title id="{name}-name">{escape(title)}</title>'
    )
    return _OPENING.sub(lambda _: opening, body, count=1)
