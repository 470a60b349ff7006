"""Pictures in a page: shorter than the files beside it, and the same to the eye."""

import re

from inspect_confidence.report.svg import inline, with_classes

SVG = """<?xml version="1.0"?>
<svg xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 72 36" xmlns="http://www.w3.org/2000/svg">
<metadata>made by</metadata><defs><style type="text/css">*{stroke-linejoin: round}</style></defs>
<g id="figure_1"><defs><path id="mark" d="M 0 1.23456 L 2 0" style="stroke: #0072b2"/></defs>
<g clip-path="url(#box)"><use xlink:href="#mark" x="10.12345" y="3" style="stroke: #0072b2"/></g>
<image xlink:href="data:image/png;base64,AAAA" width="5" height="5"/></g>
<clipPath id="box"><rect width="7" height="7"/></clipPath></svg>
"""


def test_references_in_an_inline_picture_lead_to_its_own_elements() -> None:
    """References lead to their elements, pictures in pictures stay, colours are the page's."""
    page = inline(SVG, "name-1", "A <title>")
    ids = set(re.findall(r' id="([^"]+)"', page))
    references = re.findall(r'href="#([^"]+)"', page) + re.findall(r"url\(#([^)]+)\)", page)
    assert len(references) == 2
    assert set(references) == ids - {"name-1-name"}
    assert 'href="data:image/png;base64,AAAA"' in page
    assert "A &lt;title&gt;" in page
    assert 'width="96" height="48"' in page  # 72 by 36 points
    assert "figure_1" not in page
    assert "metadata" not in page
    assert 'd="M 0 1.23 L 2 0"' in page
    assert page.count("var(--series-1)") == 2
    # No two figures of a page share an identifier.
    second_page = inline(SVG, "name-2", "Another")
    assert not ids & set(re.findall(r' id="([^"]+)"', second_page))


def test_equal_styles_of_all_pictures_become_one_class() -> None:
    """The same style is one class in all pictures; what isn't styled stays as it is."""
    (first, second), sheet = with_classes([inline(SVG, "a", "a"), inline(SVG, "b", "b")])
    assert "style=" not in first + second
    assert sheet == ".p0 { stroke: var(--series-1) }"
    assert first.count('class="p0"') == second.count('class="p0"') == 2


def test_a_hatched_area_keeps_its_edge_and_refers_to_its_pattern() -> None:
    """The style of a hatched area has its pattern and its other properties."""
    svg = (
        '<svg viewBox="0 0 72 36" xmlns="http://www.w3.org/2000/svg"><defs><pattern id="hatch"/>'
        '</defs><path d="M 0 1" style="fill: url(#hatch); stroke: #d55e00"/></svg>'
    )
    page = inline(svg, "name-1", "title")
    (pattern,) = re.findall(r'<pattern id="([^"]+)"', page)
    assert f'style="fill: url(#{pattern}); stroke: var(--series-2)"' in page
