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

from build import column_of, texts_starting
from inspect_confidence import InvalidArgument, summarize
from inspect_confidence.cli.layout import PIPED, Grid
from inspect_confidence.cli.terminal import print_headlines, print_table, print_views
from inspect_confidence.commands.views import headline_views, views_of
from inspect_confidence.judges.model import expect_grader, expect_model
from inspect_confidence.results import Key, Result, results_frame
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
        lambda rows: list(chain.from_iterable(column_of(headline_views(rows), 1))),
    ),
    "estimates": (
        lambda rows: print_views(rows, full=True),
        lambda rows: list(chain.from_iterable(column_of(views_of(rows), 1))),
    ),
}


def cells(views: Sequence[View]) -> list[Cell]:
    """All numbers of the tables."""
    entries = chain.from_iterable(view.table.to_numpy().ravel() for view in views)
    return [entry for entry in entries if isinstance(entry, Cell)]


def test_a_reason_says_of_which_answers_every_one_is_right() -> None:
    """The wrong answer has no confidence, so that AUROC rests on two right ones."""
    rows = pd.DataFrame(
        {"item": list("123"), "confidence": [0.8, 0.7, None], "correct": [1.0, 1.0, 0.0]}
    )
    for frame, answers in ((rows, "every answer with a confidence"), (rows[:2], "every answer")):
        judgments = frame.assign(task="any_eval", model="m")
        ((_, (view,)),) = headline_views(summarize(judgments, resamples=20))
        assert f"Undefined: AUROC. Reason: {answers} is right." in view.caption


@pytest.mark.parametrize("name", ["a", "z"])
def test_the_order_of_columns_does_not_depend_on_the_first_model(name: str) -> None:
    """A model without an AUROC, whose only answer is right, is the first or the last line."""
    one = pd.DataFrame({"item": ["1"], "confidence": [0.8], "correct": [1.0], "model": name})
    four = pd.DataFrame(
        {"item": list("1234"), "confidence": [0.8, 0.7, 0.6, 0.5], "correct": [1.0, 1, 0, 0]}
    )
    judgments = pd.concat([one, four.assign(model="m")]).assign(task="any_eval", status="ok")
    ((_, (view,)),) = headline_views(summarize(judgments, resamples=20))
    assert view.table["model"].iloc[0] == min(name, "m")
    columns = [
        column for column in view.table if column in ("Accuracy", "Overconfidence", "AUROC", "ECE")
    ]
    assert columns == ["Accuracy", "Overconfidence", "AUROC", "ECE"]


@pytest.mark.parametrize(
    ("width", "is_terminal"), [(50, True), (80, True), (120, True), (None, False), (120, False)]
)
@pytest.mark.parametrize("name", list(SCREENS))
def test_no_digit_is_cut(
    name: str,
    width: int | None,
    is_terminal: bool,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Every number of every row stands whole in a line, at any width, and is the row's number.

    The width is that of `COLUMNS`, with a terminal and without; None is a pipe without it.
    """
    if width:
        monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TTY_COMPATIBLE", "1" if is_terminal else "0")
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
    for_search = name == "estimates" and not is_terminal  # names stay whole
    room = (width or PIPED) + (len(MODELS[1]) if for_search else 0)
    assert (width or PIPED) / 2 < max(map(len, text.splitlines())) <= room
    if for_search:
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


def test_a_block_has_a_row_for_each_metric_and_a_column_for_each_model(
    headlines: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last column says what is better; reasons name their metrics once."""
    print_headlines(headlines[headlines["model"] != MODELS[1]])
    screen = capsys.readouterr().out
    lines = screen.splitlines()
    start = lines.index("scale_variants, bundled: n = 90 judgments of each model")
    table = [re.split(r" {2,}", line.rstrip()) for line in lines[start + 1 : start + 8]]
    assert table == [
        ["", "openai/"],
        ["", "a/b", "gpt-4o-mini", "better"],
        ["Accuracy on 0-100", "5%", "5%", "higher"],
        ["Overconfidence on 0-100", "0 pts [-99, -1]", "-47 pts [-99, -1]", "nearer to 0"],
        ["AUROC on 0-100", "0.57 [0.00, 0.99]", "0.77 [0.02, 0.79]", "higher"],
        ["ECE on 0-100", "0.12 [0.00, 0.99]", "0.37 [0.02, 0.79]", "lower"],
        ["Parse failures", "0%", "20%"],
    ]
    text = " ".join(screen.split())
    assert "Undefined: Share of the 3 commonest reports on 0-100. Reason: no report." in text
    assert "No interval: Accuracy on 0-100. Reason: fewer than 30 items." in text
    assert "Intervals often wider than 95% needs: ECE on 0-100." in text
    assert "Brackets are 95% intervals; a judgment is one elicited answer with its" in text
    # Of a tenth of unread replies and more a line says what became of them.
    assert text.count("10 refusal") == 1


@pytest.mark.parametrize("better", ["higher", "lower", "neither", "nearer to 0"])
def test_numbers_stay_at_the_right_above_what_is_better(
    better: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last line's word makes no text of a column of numbers."""
    print_table(pd.DataFrame({"model": ["a", "better"], "Confidence": ["55%", better]}), "T", "")
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines() if line.strip()]
    *_, first, last = lines
    heading = next(line for line in lines if line.endswith("Confidence"))
    assert len(first) == len(heading) == len(last)


def answers_of(models: int) -> pd.DataFrame:
    """Ten recorded answers of each model."""
    frames = []
    for k in range(models):
        answers = {"item": list("abcdefghij"), "confidence": 0.8, "correct": [1.0] * 7 + [0.0] * 3}
        frames.append(pd.DataFrame(answers).assign(model=f"provider/model-{k}"))
    return pd.concat(frames).assign(task="any_eval", status="ok")


@pytest.mark.parametrize("models", [1, 2, 5, 50])
def test_models_are_columns_if_all_of_them_fit(
    models: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """One and two models are columns beside eighty characters, five and more are lines."""
    print_headlines(summarize(answers_of(models), resamples=10))
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= PIPED
    of_each = " of each model" if models > 1 else ""
    assert f"any_eval, recorded answers: n = 10 judgments{of_each}" in lines
    accuracies = texts_starting(lines, "Accuracy")
    names = {line.split()[0] for line in lines if re.match(r"provider/model-\d+ ", line)}
    assert len(accuracies) == (models <= 2)
    assert len(names) == (models if models > 2 else 0)


def test_a_long_name_loses_its_middle_unless_another_is_equal_then() -> None:
    """Names of 200 characters fill few lines; two that differ in the middle stay whole."""
    long, other = f"a{'x' * 98}y{'x' * 99}b", f"a{'x' * 98}z{'x' * 99}b"
    for names, is_shortened in (([long, "m"], True), ([long, other], False)):
        table = pd.DataFrame({"model": names, "n": ["1", "2"]})
        ((model, _), _) = Grid.from_frame(table).fit(80)[0].lines
        assert (len(model) <= 60) == is_shortened
        assert (model[0], model[-1]) == ("a", "b")
        assert Grid.from_frame(table).fit(80, whole=True)[0].lines[0][0] == long


def test_titles_say_which_units_n_counts() -> None:
    """Numbers of hedge markers rest on replies, which are judgments, or on their sentences."""
    judged = ("hedge_markers", "m")
    rows = [
        Result(*judged, "all", "correlation=spearman", "mrc", 0.5, math.nan, math.nan, 90, 90, ""),
        Result(*judged, "all", "", "m_avg_cv", 0.3, math.nan, math.nan, 90, 90, ""),
        Result(*judged, "facts", "split=test", "faithfulness", 0.8, 0.7, 0.9, 50, 50, ""),
    ]
    for metrics in ((), ("mrc", "m_avg_cv", "faithfulness")):
        ((_, views),) = headline_views(results_frame(rows), metrics)
        counts = {view.title.partition(": ")[2] for view in views}
        assert counts == {"n = 90 sentences", "n = 50 judgments"}


def test_named_metrics_are_printed_in_all_conditions(tmp_path: Path) -> None:
    """--metric selects rows of the screen and of files; one without results is refused."""
    answers, out = tmp_path / "answers.csv", tmp_path / "out.csv"
    answers_of(2).drop(columns=["task", "status"]).to_csv(answers, index=False)
    quick = ("--resamples", 10)
    screen = printed("summarize", answers, "--metric", "brier", "--metric", "accuracy", *quick)
    lines = screen.stdout.splitlines()
    assert lines[0] == "any_eval: n = 10 judgments of each model"
    labels = [line.split("  ")[0] for line in lines[3:] if line.strip()]
    assert labels[:3] == ["Accuracy, recorded answers", "Brier, method=recorded", "Parse failures"]
    printed("summarize", answers, "--metric", "brier", "--csv", out, *quick)
    assert set(pd.read_csv(out)["metric"]) == {"brier", "unread_share"}
    for words, message in (
        (("--metric", "brie"), "Did you mean 'brier'?"),
        (("--metric", "coverage"), "--metric coverage: these judgments have no result of it"),
        (("--metric", "brier", "--study", "fermi_eval"), "no result of it in fermi_eval"),
    ):
        stderr = printed("summarize", answers, *words, *quick, code=2).stderr
        assert message in " ".join(stderr.split())


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


def test_unread_replies_are_told_without_a_headline(tmp_path: Path) -> None:
    """Answers on a scale other than 0-100 have no headline; one of four can't be read."""
    rows = ["q1,0,10,8,1", "q2,0,10,9,0", "q3,0,10,,", "q4,0,10,7,1"]
    (tmp_path / "m.csv").write_text("\n".join(["item,low,high,raw,correct", *rows]), "utf-8")
    lines = " ".join(printed("summarize", tmp_path / "m.csv").stdout.split())
    assert "No headline; see --study scale_variants." in lines
    assert "Parse failures: 25% of 4 replies" in lines


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
        (["report", markers, "-o", tmp_path / "page.html"], "are written into a folder", 2),
    ):
        stderr = printed(*words, code=code).stderr
        assert says in " ".join(stderr.split()), words
        assert len(texts_starting(stderr.splitlines(), "Error")) == 1


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


def test_a_missing_model_is_refused_before_the_run() -> None:
    """Where a command of Inspect's names none; elsewhere the model is not known yet."""
    expect_model()
    for run_arguments in ({"model": None}, {"model": None, "run_config": None}):
        with click.Context(click.Command("eval")) as context:
            context.params |= {"model_role": (), **run_arguments}
            with pytest.raises(InvalidArgument, match="no model is named; add --model NAME"):
                expect_model()
    for arguments in (
        {"model_role": (), "model": "none/none"},
        {"model_role": (), "model": None, "run_config": "run.yaml"},
        {"model": None},
        {},
    ):
        with click.Context(click.Command("eval")) as context:
            context.params |= arguments
            expect_model()


def test_a_long_label_of_a_number_is_printed_whole(capsys: pytest.CaptureFixture[str]) -> None:
    """Models stand beside each other then, and labels are broken into lines."""
    label = "meta-d' on 0-100, confidence of 0.75 and more taken as high (d' units)"
    table = pd.DataFrame({"model": ["a", "b"], label: [Cell("2.30", 0, 2.3), Cell("1.20", 1, 1.2)]})
    print_table(table, "", "", transposable=True)
    screen = capsys.readouterr().out
    assert "…" not in screen
    words = re.findall(r"[^\s]+", screen)
    assert [word for word in words if word in label.split()] == label.split()
