"""Reports that the tests read, and how they read them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd

HOSTILE = "<script>alert('x')</script>\"&\u202ertl\u2067" + "a" * 10_000


def stated_frame(model: str, items: int = 30, seed: int = 0) -> pd.DataFrame:
    """Judgments of `scale_variants`: two scales, two epochs, every tenth one a refusal."""
    draws = np.random.default_rng(seed)
    rows = []
    for epoch in (1, 2):
        for high in (20, 100):
            for item in range(items):
                refused = (item + epoch) % 10 == 0
                rows.append(
                    {
                        "task": "scale_variants",
                        "model": model,
                        "dataset": "mine",
                        "item": f"q{item}",
                        "epoch": epoch,
                        "low": 0.0,
                        "high": float(high),
                        "raw": np.nan if refused else float(draws.integers(high + 1)),
                        "correct": np.nan if refused else float(draws.integers(2)),
                        "status": "refusal" if refused else "ok",
                    }
                )
    return pd.DataFrame(rows)


def interval_frame(model: str, items: int = 40, seed: int = 1) -> pd.DataFrame:
    """Judgments of `fermi_eval`: three levels, every seventh reply unreadable."""
    draws = np.random.default_rng(seed)
    rows = []
    for item in range(items):
        truth = float(draws.integers(-3, 12))
        for level in (80, 90, 95):
            unread = (item + level) % 7 == 0
            middle = truth + draws.normal(scale=2)
            rows.append(
                {
                    "task": "fermi_eval",
                    "model": model,
                    "dataset": "mine",
                    "item": f"f{item}",
                    "split": ("train", "test")[item % 2],
                    "method": "direct",
                    "level": float(level),
                    "lower": np.nan if unread else np.floor(middle - level / 40),
                    "upper": np.nan if unread else np.ceil(middle + level / 40),
                    "truth": truth,
                    "status": "invalid_response_format" if unread else "ok",
                }
            )
    return pd.DataFrame(rows)


def small_judgments(*models: str) -> dict[str, pd.DataFrame]:
    """Judgments of two tasks by the models."""
    stated_frames, intervals = [], []
    for seed, model in enumerate(models):
        stated_frames.append(stated_frame(model, seed=seed))
        intervals.append(interval_frame(model, seed=seed))
    return {"scale_variants": pd.concat(stated_frames), "fermi_eval": pd.concat(intervals)}


@dataclass
class Element:
    """An element of a page.

    Attributes:
        tag: Its name.
        attributes: Their values, empty where they have none.
        text: All text in it.
    """

    tag: str
    attributes: dict[str, str]
    text: str = ""


@dataclass
class _Reader(HTMLParser):
    elements: list[Element] = field(default_factory=list)
    open: list[Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the element."""
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.elements.append(element)
        if tag not in ("meta", "link", "img", "br", "path", "use", "rect", "line"):
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element that is closed at once."""
        self.elements.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        """Close the element."""
        while self.open and self.open[-1].tag != tag:
            self.open.pop()
        if self.open:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        """Text belongs to every element that is open."""
        for element in self.open:
            element.text += data


def elements(page: Path) -> list[Element]:
    """All elements of a page, in order."""
    reader = _Reader()
    reader.feed(page.read_text(encoding="utf-8"))
    return reader.elements


def texts_of(page_elements: Iterable[Element], tag: str = "", **attributes: str) -> list[str]:
    """The text of each element with this tag, if any, and these attributes."""
    texts = []
    for element in page_elements:
        has_attributes = {**element.attributes, **attributes} == element.attributes
        if tag in ("", element.tag) and has_attributes:
            texts.append(element.text)
    return texts


def rows_of(page: Path) -> pd.DataFrame:
    """The rows that the page's numbers name."""
    return pd.read_csv(
        page.parent / "results.csv", index_col="row", keep_default_na=False, na_values=NUMBERS
    )


NUMBERS = {name: [""] for name in ("value", "ci_low", "ci_high")}
SHOWN = re.compile(r"^([+-]?[\d.,]+|∞|-∞)(?:%| pts| of [\d,]+)?(?: \[(\S+), (\S+)\])?")
