"""Requirements: how they are read, which rows they apply to, and when a row fails."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from click.testing import CliRunner
from inspect_ai import eval
from inspect_ai.log import EvalError, EvalStatus, read_eval_log, write_eval_log

from build import column_of, texts_starting, texts_with
from conftest import run_respondent
from inspect_confidence import InvalidArgument, read_judgments
from inspect_confidence.cli import check as command
from inspect_confidence.cli.terminal import print_verdicts
from inspect_confidence.commands.check import COLUMNS, check
from inspect_confidence.results import Condition, Key, Result, results_frame
from inspect_confidence.tasks.fermi_eval import fermi_eval
from refusals import refused
from runs import QUIET

NAN = math.nan

ROWS = results_frame(
    [
        Result("fermi_eval", "a/1", "scioly", "level=90", "coverage", 0.9, 0.8, 0.95, 100, 100, ""),
        Result("fermi_eval", "b/2", "scioly", "level=90", "coverage", 0.7, 0.6, 0.8, 100, 100, ""),
        Key("fermi_eval", "a/1", "scioly").result(
            {"level": 90, "split": "test"}, "coverage", 0.85, (0.7, 0.92), n=50, asked=60, note="w"
        ),
        Result("life_eval", "a/1", "ssa-2022", "", "ece", 0.1, 0.05, 0.12, 80, 80, ""),
        Result("life_eval", "a/1", "ssa-2022", "", "auroc", NAN, NAN, NAN, 80, 80, "all are right"),
        Key("life_eval", "a/1", "ssa-2022").result(
            {}, "prr", NAN, n=80, note="undefined: all are right"
        ),
        Result("life_eval", "a/1", "ssa-2022", "", "n", 80.0, NAN, NAN, 80, 80, "a count"),
        Key("life_eval", "a/1", "ssa-2022").result(
            {"variant": "temperature=1"}, "ece", 0.3, (0.2, 0.4), n=8
        ),
    ]
)


def verdicts(requirement: str, *, strict: bool = False) -> list[tuple[str, str, bool, str]]:
    """Model, condition, verdict and reason of each row that a requirement applies to."""
    verdict_rows = check(ROWS, [requirement], strict=strict)
    assert list(verdict_rows.columns) == list(COLUMNS)
    columns = verdict_rows[["model", "condition", "passed", "reason"]]
    return list(columns.itertuples(index=False, name=None))


def test_which_rows_a_requirement_holds_for() -> None:
    """All of the metric's, or those of columns asked for; NaN meets none; some must be asked."""
    assert verdicts("coverage>=0.85") == [
        ("a/1", "level=90", True, ""),
        ("b/2", "level=90", False, "0.7 is not >= 0.85"),
        ("a/1", "level=90;split=test", True, ""),
    ]
    requirement = "coverage>=0;task=fermi_eval;dataset=scioly;model=b/2"
    assert verdicts(requirement) == [("b/2", "level=90", True, "")]
    assert verdicts("auroc>=0") == [("a/1", "", False, "undefined: all are right")]
    assert verdicts("prr>=0") == [("a/1", "", False, "undefined: all are right")]
    with pytest.raises(InvalidArgument, match="There is no requirement"):
        check(ROWS, [])


def test_how_a_requirement_may_be_written() -> None:
    """Blanks, exponents, a level in any notation, and names with signs, encoded or as they are."""
    for requirement, passed in (
        ("ece<=0.1;variant=", True),
        ("ece<0.1;variant=", False),
        ("ece>=0.1;variant=", True),
        ("ece>0.1;variant=", False),
        ("  ece  <=  1e-1 ; variant= ", True),
    ):
        assert column_of(verdicts(requirement), 2) == [passed], requirement
    for level in ("90", "90.0", "9e1"):
        verdict_rows = verdicts(f"coverage>=0.85;level={level};split=;model=a/1")
        assert verdict_rows == [("a/1", "level=90", True, "")], level
    for value in ("temperature=1", "temperature%3D1"):
        (row,) = verdicts(f"ece<=0.5;variant={value}")
        assert row[1] == "variant=temperature%3D1", value
    rows = results_frame([Result("life_eval", "m%20x", "d", "", "ece", 0.1, 0, 0.2, 9, 9, "")])
    for model in ("m%20x", "m%2520x"):
        assert check(rows, [f"ece<=0.1;model={model}"])["passed"].tolist() == [True], model


def test_strict() -> None:
    """The nearer end of the interval decides, which must be there."""
    reason = "the lower end 0.7 is not >= 0.75"
    verdict_rows = verdicts("coverage>=0.75;model=a/1", strict=True)
    assert [row[2:] for row in verdict_rows] == [(True, ""), (False, reason)]
    assert verdicts("ece<=0.12;variant=", strict=True)[0][2]
    assert verdicts("ece<0.12;variant=", strict=True)[0][3] == ("the upper end 0.12 is not < 0.12")
    for requirement in ("n>=50", "n.low>=50"):  # an exact count is its own interval
        assert verdicts(requirement, strict=True) == [("a/1", "", True, "")]
    assert not verdicts("n>=81", strict=True)[0][2]


def test_a_requirement_may_name_an_end_of_the_interval() -> None:
    """Either end against either kind of limit; a row without an interval fails."""
    assert verdicts("ece.low<=0.06;variant=")[0][2:] == (True, "")
    assert verdicts("ece.high<=0.11;variant=")[0][2:] == (
        False,
        "the upper end 0.12 is not <= 0.11",
    )
    for strict in (False, True):  # a named end stays as it is
        assert verdicts("coverage.high>=0.79;model=b/2", strict=strict)[0][2]
        assert not verdicts("coverage.low>=0.79;model=b/2", strict=strict)[0][2]
    rows = [Result("life_eval", "a", "d", "", "ece", 0.1, NAN, NAN, 9, 9, "no interval: few")]
    checked = check(results_frame(rows), ["ece.low<=0.2"])
    assert checked[["passed", "reason"]].values.tolist() == [[False, "no interval: few"]]


def test_a_failure_gives_only_the_part_of_the_note_that_is_its_reason() -> None:
    """The definition before it, and "undefined" or "no interval", are not repeated."""
    rows = [
        Result("life_eval", "a", "d", "", "ece", 0.1, NAN, NAN, 9, 9, "10 bins; no interval: few"),
        Result(
            "life_eval", "b", "d", "", "ece", NAN, NAN, NAN, 0, 9, "undefined: no reply; 9 left"
        ),
    ]
    reasons = check(results_frame(rows), ["ece.high<=0.1"])["reason"].tolist()
    assert reasons == ["no interval: few", "undefined: no reply"]


def test_the_screen_advises_an_end_of_the_interval_only_if_none_is_required(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Of ECE it says that the interval is often wide; a rounding error is 0."""
    rows = results_frame([Result("life_eval", "m", "d", "", "ece", 1e-14, 0, 0.2, 60, 60, "")])
    for requirement, advises in (("ece<=0.1", True), (" ece.high<=0.1", False)):
        print_verdicts(check(rows, [requirement]), strict=False, lost_logs=0)
        screen = " ".join(capsys.readouterr().out.split())
        assert ("decides by an end of the interval" in screen) == advises
        assert "Intervals often wider than 95% needs: ece." in screen
        assert " 0 [0, 0.2] 60 " in screen


def test_the_screen_says_first_what_decides_the_exit_code(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A value above the limit fails, although its interval contains the limit."""
    rows = results_frame([Result("life_eval", "m", "d", "", "ece", 0.11, 0, 0.2, 60, 60, "")])
    for strict, compared in ((False, "the value"), (True, "the end of the interval that is near")):
        print_verdicts(check(rows, ["ece<=0.1"], strict=strict), strict=strict, lost_logs=0)
        screen = " ".join(capsys.readouterr().out.split())
        start = "The column `verdict` decides the exit code: it compares"
        assert screen.startswith(f"{start} {compared}")
        assert "ece<=0.1 (life_eval, d) " in screen
        assert " fails m 0.11 [0, 0.2] 60 undecided" in screen
        assert "the upper end 0.2 is not <= 0.1" in screen or not strict


def test_what_n_decides_follows_from_the_interval() -> None:
    """[.05, .12] is within .2, beyond .04, and undecided at .1; without an interval undecided."""
    for requirement, decision in (
        ("ece<=0.2;variant=", "within the limit"),
        ("ece<=0.04;variant=", "beyond the limit"),
        ("ece<=0.1;variant=", "undecided"),
        ("ece>=0.04;variant=", "within the limit"),
        ("n>=50", "within the limit"),
        ("n>=81", "beyond the limit"),
    ):
        assert check(ROWS, [requirement])["decision"].tolist() == [decision], requirement


def test_an_undefined_value_is_not_undecided(capsys: pytest.CaptureFixture[str]) -> None:
    """More judgments would not decide it; the caption counts it apart."""
    rows = [
        Result("life_eval", "a", "d", "", "ece", NAN, NAN, NAN, 0, 9, "undefined: no reply"),
        Result("life_eval", "b", "d", "", "ece", 0.1, NAN, NAN, 9, 9, "no interval: few"),
    ]
    checked = check(results_frame(rows), ["ece<=0.1"])
    assert checked["decision"].tolist() == ["undefined", "undecided: no interval"]
    print_verdicts(checked, strict=False, lost_logs=0)
    screen = " ".join(capsys.readouterr().out.split())
    assert "1 of 2 hold. 1 undefined. 1 undecided: " in screen


def test_one_estimator_is_gated_unless_another_is_named() -> None:
    """Ten equal bins of five ECEs; 15 bins or equal masses if the requirement names them."""
    key = Key("any_eval", "m", "d")
    conditions: list[dict[str, object]] = [
        {},
        {"bins": 15},
        {"bins": 20},
        {"binning": "equal_mass"},
    ]
    rows = []
    for number, parts in enumerate(conditions):
        rows.append(key.result(parts, "ece", 0.1 + number / 100, (0.05, 0.2), n=50))
    results = results_frame(rows)
    assert check(results, ["ece<=0.1"])["value"].tolist() == [0.1]
    assert check(results, ["ece<=0.1;bins=15"])["value"].tolist() == [0.11]
    assert check(results, ["ece<=0.1;binning=equal_mass"])["value"].tolist() == [0.13]
    # A study that has one estimator alone, with a name, has no other to gate on.
    assert check(results_frame(rows[1:2]), ["ece<=0.1"])["value"].tolist() == [0.11]


def test_what_looks_alike_is_told_in_full() -> None:
    """A value just above the limit isn't printed as the limit."""
    key = Key("life_eval", "m", "d")
    rows = results_frame([key.result({}, "ece", 0.100000001, (0.05, 0.100000002), n=9)])
    assert check(rows, ["ece<=0.1"])["reason"].tolist() == ["0.100000001 is not <= 0.1"]
    assert check(rows, ["ece<=0.1"], strict=True)["reason"].tolist() == [
        "the upper end 0.100000002 is not <= 0.1"
    ]
    assert check(rows, ["ece<=0.10000000001"])["reason"].tolist() == [
        "0.100000001 is not <= 0.10000000001"
    ]


@pytest.mark.parametrize(
    ("requirement", "says"),
    [
        ("covrage>=0.8", "covrage>=0.8: there is no metric 'covrage'. Did you mean 'coverage'?"),
        ("coverage=0.8", "'coverage=0.8' is not a requirement; write it as"),
        (
            "coverage.lower>=0.8",
            "'lower' is not an end of the interval; write coverage.low or coverage.high",
        ),
        ("coverage>=high", "'high' is not a number"),
        ("coverage>=", "'' is not a number"),
        ("coverage>=85%", "'85%' is not a number; 85% is 0.85."),
        ("coverage>=85", "lies in [0, 1], so that this is decided without data; 85% is 0.85."),
        ("coverage>=-0.1", "lies in [0, 1], so that this is decided without data."),
        ("coverage>=nan", "'nan' is not a number"),
        ("coverage>=0.8;level", "'level' is not of the form key=value"),
        ("coverage>=0.8;=90", "'=90' is not of the form key=value"),
        ("coverage>=0.8;level=90;level=95", "names 'level' twice"),
        ("coverage>=0.8;level=85", "no result of coverage has level=85. Existing values: 90."),
        ("coverage>=0.8;levle=90", "no result of coverage has 'levle'. Did you mean 'level'?"),
        ("coverage>=0.8;split=train", "has split=train. Existing values: (none), test."),
        ("coverage>=0.8;level=", "has no level. Existing values: 90."),
        ("coverage>=0.8;model=b/2;split=test", "has model=b/2, split=test together"),
        ("m_ratio>=0.8", "there is no result of m_ratio. Known: auroc, coverage, "),
    ],
)
def test_what_cannot_be_used_is_refused(requirement: str, says: str) -> None:
    """A requirement that can't be read, or applies to nothing, never passes silently."""
    with pytest.raises(InvalidArgument) as caught:
        check(ROWS, ["ece<=1", requirement])
    assert says in caught.value.format_message()
    assert requirement.split(";", maxsplit=1)[0] in caught.value.format_message()


def test_models_that_answered_are_gated_not_their_mean() -> None:
    """A mean over models has no share of parse failures; a requirement may name it."""
    rows = []
    for model, value in (("m", 0.05), ("n", 0.3), ("mean of all models", 0.175)):
        key = Key("question_sets", model, "d")
        rows.append(key.result({}, "ece", value, (0.0, 0.4), n=9))
        if model != "mean of all models":
            rows.append(key.result({}, "unread_share", 0.0, n=9))
    results = results_frame(rows)
    assert check(results, ["ece<=0.1"])["model"].tolist() == ["m", "n"]
    verdict_rows = check(results, ["ece<=0.2;model=mean of all models"])
    assert verdict_rows["passed"].tolist() == [True]


def test_names_that_other_commands_print_are_accepted() -> None:
    """`compare` prints the method `stated`, which conditions omit; conditions are not escaped."""
    key = Key("question_sets", "m", "d")
    variant = {"variant": "prompts=ours"}
    rows = results_frame(
        [
            key.result(variant, "ece", 0.1, (0.0, 0.2), n=9),
            key.result({"source": "token", **variant}, "ece", 0.3, (0.0, 0.5), n=9),
        ]
    )
    assert check(rows, ["ece<=1;source=stated"])["value"].tolist() == [0.1]
    assert check(rows, ["ece<=1;source="])["value"].tolist() == [0.1]
    assert check(rows, ["ece<=1;source=token;variant=prompts=ours"])["value"].tolist() == [0.3]
    texts = [Condition.read(text).plain for text in rows["condition"]]
    assert texts == ["variant=prompts=ours", "source=token;variant=prompts=ours"]


@pytest.fixture
def answers(tmp_path: Path) -> str:
    """A csv of four intervals at 90%, three of which cover."""
    path = tmp_path / "answers.csv"
    rows = [("a", 0, 2, 1), ("b", 0, 2, 2), ("c", 3, 4, 3), ("d", 0, 1, 9)]
    path.write_text(
        "item,level,lower,upper,truth,split\n"
        + "".join(f"{item},90,{low},{high},{truth},test\n" for item, low, high, truth in rows),
        "utf-8",
    )
    return str(path)


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["--require", "coverage>=0.75;method=direct;split="], 0, "1 of 1 requirements met."),
        (["--require", "coverage>=0.8;method=direct;split="], 1, "0 of 1 hold."),
        (
            ["--require", "coverage>=0.75;method=direct;split=", "--strict"],
            1,
            "0 of 1 requirements met.",
        ),
        (["--require", "covrage>=0.75"], 2, "Did you mean 'coverage'?"),
        ([], 2, "Missing option '--require'"),
    ],
)
def test_exit_codes(answers: str, words: list[str], code: int, says: str) -> None:
    """0 where all hold, 1 where one fails, 2 where the command can't be used so."""
    done = CliRunner().invoke(command, [answers, "--resamples", "50", *words])
    assert (done.exit_code, says in done.output) == (code, True), done.output


def test_json_holds_every_row(answers: str) -> None:
    """--json prints what `check` returns."""
    words = [answers, "--resamples", "50", "--json", "--require", "coverage>=0.75;method=direct"]
    done = CliRunner().invoke(command, words)
    rows = json.loads(done.stdout)
    assert done.exit_code == 0
    assert list(map(list, rows)) == [list(COLUMNS)]
    assert (rows[0]["value"], rows[0]["passed"]) == (0.75, True)


@pytest.mark.parametrize(("words", "code"), [([], 0), (["--strict"], 1)])
def test_lost_logs_fail_under_strict(tmp_path: Path, words: list[str], code: int) -> None:
    """A log that can't be read is named in both cases; under `strict` nothing else fails here."""
    run_respondent("calibrated", tmp_path, items=3)
    arguments = ["--resamples", "50", "--require", "coverage>=0;level=90;method=direct;split="]
    whole = CliRunner().invoke(command, [str(tmp_path), *arguments, *words])
    assert (whole.exit_code, "not judged" in whole.stderr) == (0, False), whole.output
    (tmp_path / "2030-01-01T00-00-00_fermi-eval_x.eval").write_bytes(b"PK\x03\x04 not a log")
    done = CliRunner().invoke(command, [str(tmp_path), *arguments, *words])
    assert done.exit_code == code, done.output
    (notice,) = texts_starting(done.stderr.splitlines(), "not judged: ")
    assert "x.eval could not be read and was left out" in notice
    assert "note: " not in done.stderr
    assert "1 of 1 requirements met." in done.stdout


def test_incomplete_runs_are_lost_unless_retried(tmp_path: Path) -> None:
    """A sample that is missing is lost; not where a retry of the run has it."""
    log = run_respondent("calibrated", tmp_path / "whole", items=3)
    cut = read_eval_log(log.location)
    assert cut.samples
    cut.samples, cut.status = cut.samples[:-1], "error"
    (tmp_path / "cut").mkdir()
    write_eval_log(cut, str(tmp_path / "cut" / "cut.eval"))
    frames = read_judgments(tmp_path / "cut")
    (notice,) = frames.loss_notices
    assert "the run is incomplete" in notice
    assert notice in frames.notices
    judgments = read_judgments([tmp_path / "cut", tmp_path / "whole"])
    assert judgments.loss_notices == ()
    retry = "the same `run`, or `inspect eval-retry`, completes it"
    assert notice.endswith(f"(status error; {retry})")
    assert notice.replace(retry, "another log of the run is complete") in judgments.notices
    assert not any(retry in text for text in judgments.notices)
    cut.status = "started"
    write_eval_log(cut, str(tmp_path / "cut" / "cut.eval"))
    (running,) = read_judgments(tmp_path / "cut").loss_notices
    assert "the run goes on, or was killed: 11 of 12 samples are in the log" in running
    assert running.endswith(f"(status started; {retry})")


def test_a_run_that_logged_no_samples_is_named_with_the_option(tmp_path: Path) -> None:
    """No retry completes it: Inspect takes it for a finished run."""
    task = fermi_eval(dataset="bundled", items=3)
    eval(task, model="respondent/calibrated", log_dir=str(tmp_path), log_samples=False, **QUIET)
    error = refused(read_judgments, tmp_path)
    assert "the log has none of 12 samples: run again without --no-log-samples" in error


def test_samples_that_a_crash_left_with_an_error_are_lost(tmp_path: Path) -> None:
    """Inspect writes samples under way with an error; in a run that ended by itself they count."""
    log = run_respondent("calibrated", tmp_path / "run", items=3)
    crashed = read_eval_log(log.location)
    assert crashed.samples
    for sample in crashed.samples[4:]:
        sample.error = EvalError(message="CancelledError()", traceback="", traceback_ansi="")
        sample.scores = None
    outcomes: dict[EvalStatus, bool] = {"error": True, "cancelled": True, "success": False}
    for status, is_lost in outcomes.items():
        crashed.status = status
        folder = tmp_path / status
        folder.mkdir()
        write_eval_log(crashed, str(folder / "log.eval"))
        losses = read_judgments(folder).loss_notices
        assert bool(losses) == is_lost
        if is_lost:
            assert (
                "the run is incomplete: 4 of 12 samples are in the log without an error"
                in losses[0]
            )
        arguments = ["--resamples", "50", "--strict", "--require"]
        requirement = "mean_width>=0;level=90;method=direct;split="
        done = CliRunner().invoke(command, [str(folder), *arguments, requirement])
        assert ("1 log could not be judged, or not in full" in done.stdout) == is_lost
        if is_lost:
            assert done.exit_code == 1


def test_notices_on_many_lost_logs_are_counted(tmp_path: Path) -> None:
    """Ten are printed, and the others counted."""
    run_respondent("calibrated", tmp_path, items=3)
    for k in range(13):
        name = f"2030-01-01T00-00-{k:02d}_fermi-eval_x{k}.eval"
        (tmp_path / name).write_bytes(b"PK\x03\x04 not a log")
    requirement = "coverage>=0;level=90;method=direct;split="
    arguments = [str(tmp_path), "--resamples", "50", "--require", requirement]
    done = CliRunner().invoke(command, arguments)
    printed = texts_starting(done.stderr.splitlines(), "not judged: ")
    assert len(texts_with(printed, "could not be read and was left out")) == 10
    assert "3 more logs are incomplete or could not be read" in printed[-1]
