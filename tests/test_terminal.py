"""What is printed at each width: whole numbers, lines that fit, and one line for a mistake."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain, product
from pathlib import Path

import click
import pandas as pd
import pytest

from inspect_confidence import InvalidArgument, summarize
from inspect_confidence.cli.layout import PIPED
from inspect_confidence.cli.terminal import print_headlines, print_views
from inspect_confidence.commands.views import headline_views, views_of
from inspect_confidence.judges.model import expect_grader
from inspect_confidence.results import Key, results_frame
from inspect_confidence.studies import View
from inspect_confidence.studies.tables import Cell
from runs import printed

MODELS = ("a/b", "provider/a-model-with-a-name-longer-than-most-2026-01-31", "openai/gpt-4o-mini")
SCALE = {"scale": "0-100"}


@pytest.fixture(scope="module")
def headlines() -> pd.DataFrame:
    """Headlines of three models, one undefined, and of one a share of unread replies."""
    rows = []
    for k, model in enumerate(MODELS):
        key = Key("scale_variants", model, "bundled")
        end = (0.0123 * k, 0.9876 - 0.1 * k)
        rows += [
            key.result(SCALE, "ece", 0.1234 * (k + 1), end, n=90),
            key.result(SCALE, "auroc", 0.5678 + 0.1 * k, end, n=90),
            key.result(SCALE, "overconfidence", -0.2345 * k, (-0.9876, -0.0123), n=90),
            key.result(SCALE, "top3_share", math.nan, n=90, note="undefined: no report"),
            key.result(SCALE, "accuracy", 0.0456, n=90, note="no interval: fewer than 30 items"),
            key.result({}, "unread_share", 0.1 * k, n=100, note="10 refusal" if k else ""),
        ]
    return results_frame(rows)


@pytest.fixture(scope="module")
def estimates() -> pd.DataFrame:
    """Results of intervals of three models around numbers from a file, at four levels."""
    rows = []
    intervals = ((50, 1), (80, 2), (95, 3), (99, 900))
    for (k, model), i, (level, width) in product(enumerate(MODELS), range(8), intervals):
        low = {50: i % 3, 80: i % 3, 95: 0, 99: -100}[level]
        row = {"model": model, "item": f"i{i}", "level": level, "lower": low, "upper": low + width}
        rows.append({**row, "truth": (7 * i + k) % 5, "split": "train" if i % 2 else "test"})
    frame = pd.DataFrame(rows)
    return summarize(frame.assign(task="fermi_eval"), resamples=20)


Shown = tuple[Callable[[pd.DataFrame], None], Callable[[pd.DataFrame], list[View]]]

SCREENS: dict[str, Shown] = {
    "headlines": (
        print_headlines,
        lambda rows: list(chain.from_iterable(views for _, views in headline_views(rows))),
    ),
    "estimates": (
        lambda rows: print_views(rows, full=True),
        lambda rows: list(chain.from_iterable(views for _, views in views_of(rows))),
    ),
}


def cells(views: Sequence[View]) -> list[Cell]:
    """All numbers of the tables."""
    entries = chain.from_iterable(view.table.to_numpy().ravel() for view in views)
    return [entry for entry in entries if isinstance(entry, Cell)]


@pytest.mark.parametrize("width", [50, 80, 120, None])
@pytest.mark.parametrize("name", list(SCREENS))
def test_no_digit_is_cut(
    name: str,
    width: int | None,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Every number of every row stands whole in a line, at any width, and is the row's number."""
    monkeypatch.setenv("COLUMNS", str(width or 300))
    monkeypatch.setenv("TTY_COMPATIBLE", "0" if width is None else "1")
    monkeypatch.setenv("NO_COLOR", "1")
    show, views = SCREENS[name]
    rows = request.getfixturevalue(name)
    show(rows)
    text = re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out)
    assert "…" not in text
    expected = Counter(str(cell) for cell in cells(views(rows)) if cell != "-")
    assert sum(expected.values()) > 10
    for number, times in expected.items():
        matches = re.findall(rf"(?<![\w.,\[-]){re.escape(number)}(?![\w.,\]%])", text)
        assert len(matches) >= times, (number, width)
    if width or name == "estimates":
        assert max(map(len, text.splitlines())) <= (width or PIPED + len(MODELS[1]))
    if not width:  # for a search
        assert MODELS[1] in text


@pytest.mark.parametrize("name", list(SCREENS))
def test_cells_are_their_rows_rounded(name: str, request: pytest.FixtureRequest) -> None:
    """Half a unit of the last digit is the most that a cell may be off its row's value."""
    rows = request.getfixturevalue(name)
    for cell in cells(SCREENS[name][1](rows)):
        match = re.match(r"([-+]?\d+(?:\.(\d+))?)(%| pts)?", cell)
        if match and cell.row is not None:
            factor = 100 if match[3] else 1
            off = abs(float(match[1]) - factor * rows.loc[cell.row, "value"])
            assert off <= 0.5001 * 10.0 ** -len(match[2] or ""), cell


def test_piped_headlines_are_a_line_each(
    headlines: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whose it is, what it is and the number stand in one line; what is undefined is said once."""
    print_headlines(headlines)
    lines = capsys.readouterr().out.splitlines()
    assert f"scale_variants, bundled, {MODELS[0]}: ECE on 0-100: 0.12 [0.00, 0.99]" in lines
    assert f"scale_variants, bundled, {MODELS[1]}: parse failures: 10%" in lines
    undefined_lines = [line for line in lines if "Undefined" in line]
    assert len(undefined_lines) == 1
    assert undefined_lines[0].endswith("3 commonest reports on 0-100: no report.")
    (bare,) = [line for line in lines if "No interval" in line]
    assert re.search(r"No interval of \S.*\S: fewer than 30 items\.$", bare)
    # Of a tenth of unread replies and more a line says what became of them.
    assert sum("10 refusal" in line for line in lines) == 2


def test_a_study_alone(tmp_path: Path) -> None:
    """--study takes a study's or a task's name; another is refused before logs are read."""
    answers = tmp_path / "answers.csv"
    answers.write_text("item,level,lower,upper,truth\na,50,0,1,1\nb,50,0,1,3\n")
    quick = ("--resamples", 10)
    assert "coverage" in printed("summarize", answers, "--study", "fermi_eval", *quick).stdout
    stderr = printed("summarize", answers, "--study", "wep_choice", *quick, code=2).stderr
    assert "there are results of fermi_eval only" in stderr
    assert (
        "Did you mean 'fermi_eval'?" in printed("summarize", "-", "--study", "fermi", code=2).stderr
    )


def test_more_mistakes_end_in_one_line(tmp_path: Path) -> None:
    """Of models, of files that can't be written, and of places without logs."""
    markers = tmp_path / "markers.csv"
    markers.write_text(
        "item,sentence,marker,n_markers,confidence,decisiveness,model,judge\n"
        "a,1,probably,1,0.5,0.5,m,rules\n"
    )
    forms = ("-o", tmp_path / "forms.json")
    for words, says, code in (
        (["canonicalize", markers, *forms, "--model", "gpt"], "--model gpt can't be used", 2),
        (["summarize", tmp_path / "none" / "x.csv"], "there is no file", 2),
        (["summarize", tmp_path, "--csv", tmp_path / "none" / "x.csv"], "there is no folder", 2),
        (["judgments", tmp_path, "-o", tmp_path], "is a directory", 2),
        (["export", markers, "--format", "csv", "-o", markers / "x"], "name another folder", 2),
    ):
        stderr = printed(*words, code=code).stderr
        assert says in " ".join(stderr.split()), words
        assert len(re.findall(r"^Error", stderr, re.MULTILINE)) == 1


def test_a_missing_grader_is_refused_before_the_run() -> None:
    """Where a command of Inspect's names no role; elsewhere roles are not known yet."""
    expect_grader()
    for run_arguments in ({"model_role": ()}, {"model_role": None, "run_config": None}):
        with click.Context(click.Command("eval")) as context:
            context.params |= run_arguments
            with pytest.raises(InvalidArgument, match="--model-role grader=NAME"):
                expect_grader()
    for arguments in (
        {"model_role": ("grader=a/b",)},
        {"model_role": (), "run_config": "run.yaml"},
        {},
    ):
        with click.Context(click.Command("eval")) as context:
            context.params |= arguments
            expect_grader()
