"""The leaderboard: the order that the parameters dictate, in Markdown and in the page."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import chain, pairwise
from pathlib import Path

import pandas as pd
import pytest
from markdown_it import MarkdownIt

from build import attributes_of, column_of, texts_with
from export.judged import HOSTILE, hostile_judgments, scale_judgments, tunnels
from inspect_confidence import read_judgments
from inspect_confidence.export import export
from inspect_confidence.export.text import prose

MARKDOWN = MarkdownIt("commonmark").enable("table")


class Page(HTMLParser):
    """Elements with their attributes, and the rows of each table as text."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.tables: list[list[list[str]]] = []
        self.inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the element."""
        self.elements.append((tag, dict(attrs)))
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self.inside = True

    def handle_endtag(self, tag: str) -> None:
        """A cell ends."""
        self.inside = self.inside and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        """Text of a cell."""
        if self.inside:
            self.tables[-1][-1][-1] += data


def read_page(folder: Path) -> tuple[str, Page]:
    """The page's text and what a browser makes of it."""
    text = (folder / "leaderboard.html").read_text("utf-8")
    page = Page()
    page.feed(text)
    return text, page


def markdown_tables(text: str) -> list[list[list[str]]]:
    """Rows of each table, as a Markdown parser reads them."""
    tables: list[list[list[str]]] = []
    tokens = MARKDOWN.parse(text)
    for before, token in pairwise(tokens):
        if token.type == "table_open":
            tables.append([])
        elif token.type == "tr_open":
            tables[-1].append([])
        elif before.type in ("td_open", "th_open"):
            tables[-1][-1].append("".join(attributes_of(token.children or [], "content")))
    return tables


def board_of(markdown: str, metric: str) -> str:
    """The part of a leaderboard that is of a metric."""
    (board,) = texts_with(markdown.split("\n### "), f" {metric}: ")
    return board


@pytest.fixture(scope="module")
def leaderboard(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The leaderboard of five estimators, the least able first in the file."""
    folder = tmp_path_factory.mktemp("five")
    export(tunnels((0.2, 0.4, 0.6, 0.8, 1.0)), "leaderboard", folder, resamples=300)
    return folder


@pytest.mark.parametrize("metric", ["coverage_gap", "coverage_plateau"])
def test_five_estimators_have_the_order_of_their_tunnels(leaderboard: Path, metric: str) -> None:
    """The more of its belief one sees, the nearer its coverage is to nominal."""
    expected = ["sees 1.0", "sees 0.8", "sees 0.6", "sees 0.4", "sees 0.2"]
    text, page = read_page(leaderboard)
    assert text.count(f"<code>{metric}</code>") == 1
    number = text[: text.index(f"<code>{metric}</code>")].count("<caption>") - 1
    for table in (
        page.tables[1 + number],  # the first one is the matrix
        markdown_tables((leaderboard / "leaderboard.md").read_text())[number],
    ):
        header, *rows = table
        assert header[:3] == ["rank", "rank, 95% interval", "model"]
        assert column_of(rows, 2) == expected
        assert column_of(rows, 0) == ["1", "2", "3", "4", "5"]
        for rank, row in enumerate(rows, 1):
            low, high = map(int, row[1].split(" to "))
            assert low <= rank <= high
        assert rows[-1][1] in ("4 to 5", "5 to 5")  # together with all others'


def test_boards_of_data_sets_have_different_titles(tmp_path: Path) -> None:
    """A title names the data set, and the mean over data sets in words."""
    one = scale_judgments("m", [0.75] * 4, [1, 1, 1, 0])
    both = pd.concat([one.assign(dataset="mmlu"), one.assign(dataset="gsm8k")])
    export(both, "leaderboard", tmp_path, resamples=50)
    lines = (tmp_path / "leaderboard.md").read_text("utf-8").splitlines()
    titles = [line for line in lines if line.startswith("### ")]
    assert len(titles) == len(set(titles))
    names = {title.rsplit(": ", maxsplit=1)[1] for title in titles}
    assert names == {"mmlu", "gsm8k", "mean of the data sets"}


def test_the_model_with_the_lower_ece_is_first(tmp_path: Path) -> None:
    """ECE is |0.75 - 0.75| = 0 of one model and |1 - 0.5| = 0.5 of the other."""
    exact = scale_judgments("exact", [0.75] * 4, [1, 1, 1, 0])
    certain = scale_judgments("certain", [1.0] * 4, [1, 1, 0, 0])
    export(pd.concat([certain, exact]), "leaderboard", tmp_path, resamples=50)
    text = (tmp_path / "leaderboard.md").read_text("utf-8")
    board = board_of(text, "ece")
    assert "Lower is better." in board
    _, first, second = markdown_tables(board)[0]
    assert (first[0], first[2], first[3].split(" ")[0]) == ("1", "exact", "0.000")
    assert (second[0], second[2], second[3].split(" ")[0]) == ("2", "certain", "0.500")


def test_the_page_loads_nothing_and_its_headers_have_scopes(leaderboard: Path) -> None:
    """It loads nothing, runs its own script alone, and its header cells say what they head."""
    _, page = read_page(leaderboard)
    tags = column_of(page.elements, 0)
    assert not {"link", "img", "iframe", "object"} & set(tags)
    assert tags.count("script") == 1
    table = pd.DataFrame(column_of(page.elements, 1))
    assert not {"src", "onclick"} & set(table)
    assert set(table["href"].dropna().str[0]) == {"#"}
    scopes = table["scope"][pd.Series(tags) == "th"]
    assert set(scopes) == {"row", "col", "colgroup"}


def test_a_link_of_the_page_leads_to_a_part_of_it(leaderboard: Path) -> None:
    """How ranks are found is a part of the page, which the legend links to."""
    text = (leaderboard / "leaderboard.html").read_text("utf-8")
    targets = set(re.findall(r'href="#([^"]+)"', text))
    assert "ranks" in targets
    assert targets <= set(re.findall(r' id="([^"]+)"', text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<b> on 0-100", '&lt;b&gt; on <span class="interval">0-100</span>'),
        ("(n = 1,200)", '(<span class="interval">n = 1,200</span>)'),
        ("ssa-2022", '<span class="interval">ssa-2022</span>'),
        ("openai/gpt-4o-mini", "openai/gpt-4o-mini"),
        ("`compare`", "<code>compare</code>"),
    ],
)
def test_prose_is_escaped_and_keeps_short_compounds_on_one_line(text: str, expected: str) -> None:
    """Names with several hyphens, such as those of models, may be broken into lines."""
    assert str(prose(text)) == expected


def test_hostile_names_become_no_markup(tmp_path: Path) -> None:
    """Every row has its cells, nothing of a name becomes markup, nothing turns the text around."""
    export(hostile_judgments(), "leaderboard", tmp_path, resamples=20)
    text, page = read_page(tmp_path)
    assert column_of(page.elements, 0).count("script") == 1  # ours
    markdown = (tmp_path / "leaderboard.md").read_text("utf-8")
    for output in (text, markdown):
        assert "\u202e" not in output
        assert "x" * 200 not in output
    for table in [*page.tables[1:], *markdown_tables(markdown)]:
        assert len(set(map(len, table))) == 1
        assert len(table) == 1 + len(HOSTILE)
    names = set(column_of(page.tables[1][1:], 2))
    assert {"<script>alert(1)</script>", "a|b", "\\input{x}", "two lines", "../../x"} <= names
    children = chain.from_iterable(token.children or [] for token in MARKDOWN.parse(markdown))
    kinds = set(attributes_of(children, "type"))
    assert kinds <= {"text", "text_special", "softbreak"}


def test_variants_are_ranked_apart_and_means_over_models_are_not(tmp_path: Path) -> None:
    """A model run in two ways has two lines; the undefined AUROC is last, with its reason."""
    frame = pd.concat(
        [
            scale_judgments("one", [0.9, 0.8, 0.3, 0.2], [1, 1, 0, 0]).assign(variant="effort=low"),
            scale_judgments("one", [0.9, 0.8, 0.7, 0.9], [1, 1, 1, 1]).assign(
                variant="effort=high"
            ),
            scale_judgments("two", [0.3, 0.8, 0.9, 0.2], [1, 1, 0, 0]),
        ]
    )
    export(frame, "leaderboard", tmp_path, resamples=50)
    text = (tmp_path / "leaderboard.md").read_text("utf-8")
    assert "`" not in text  # of the definitions' names, which would show with backslashes
    assert "as independent: compare, which does not ask for this" in text
    rows = markdown_tables(board_of(text, "auroc"))[0][1:]
    # Right answers have more confidence in 4 of 4 pairs, and in 2 of 4.
    assert [row[:1] + row[2:5] for row in rows][:2] == [
        ["1", "one", "effort=low", rows[0][4]],
        ["2", "two", "", rows[1][4]],
    ]
    assert rows[0][4].split()[0] == "1.00"
    assert rows[1][4].split()[0] == "0.50"
    assert rows[2][:5] == ["-", "-", "one", "effort=high", "-"]
    assert "every answer is right" in rows[2][6]


def test_markdown_aligns_words_to_the_left_and_numbers_to_the_right(leaderboard: Path) -> None:
    """The columns of models, variants and notes have words."""
    lines = (leaderboard / "leaderboard.md").read_text("utf-8").splitlines()
    words = {"model", "variant", "note"}
    headers = [line for line in lines if line.startswith("| rank ") or line.startswith("| model ")]
    assert headers
    for header in headers:
        marks = lines[lines.index(header) + 1]
        for heading, mark in zip(header.split(" | "), marks.split(" | "), strict=True):
            assert mark.strip("| ") == (":--" if heading.strip("| ") in words else "--:")


def test_titles_of_boards_begin_with_a_capital_letter(tmp_path: Path) -> None:
    """Labels of a study such as "steps in the right direction" begin in lower case."""
    logs = Path(__file__).parents[2] / "examples" / "logs" / "wep_choice-candid.eval"
    export(read_judgments(str(logs)), "leaderboard", tmp_path, resamples=20)
    lines = (tmp_path / "leaderboard.md").read_text("utf-8").splitlines()
    titles = [line.removeprefix("### ") for line in lines if line.startswith("### ")]
    assert "Steps in the right direction (share): design" in titles
    assert all(title[0].isupper() for title in titles)


def test_a_leaderboard_without_numbers_says_so(tmp_path: Path) -> None:
    """Judgments of a method that stands for no study give a page that says so."""
    frame = tunnels([1.0], items=4).assign(method="own")
    export(frame, "leaderboard", tmp_path, resamples=20)
    assert "no headline number" in (tmp_path / "leaderboard.md").read_text("utf-8")
    assert "no headline number" in (tmp_path / "leaderboard.html").read_text("utf-8")


def test_the_numbers_of_a_board_have_as_many_decimals(leaderboard: Path) -> None:
    """Values and ends of intervals; the largest value has three significant digits or decimals."""
    for header, *rows in markdown_tables((leaderboard / "leaderboard.md").read_text("utf-8")):
        column = header.index("value [95% interval]")
        numbers = re.findall(r"\d+(?:\.\d+)?", " ".join(row[column] for row in rows))
        assert len({len(number.partition(".")[2]) for number in numbers}) == 1
