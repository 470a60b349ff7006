"""What respondents refuse, temperatures that they obey, and published questions they answer."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample

from inspect_confidence import read_judgments, summarize
from inspect_confidence.datasets.question_sets import ITEMS
from inspect_confidence.respondents.belief import integer_probabilities
from inspect_confidence.respondents.estimator import Estimator
from inspect_confidence.respondents.provider import respondent
from inspect_confidence.tasks.fermi_eval import fermi_eval
from inspect_confidence.tasks.question_sets import question_sets
from inspect_confidence.tasks.scale_variants import scale_variants
from inspect_confidence.tasks.wep_probes import wep_choice, wep_elicitation
from runs import refusal, responded, terminal_error

NAN = float("nan")
BAD: list[tuple[str, dict[str, object], str]] = [
    ("calibrate", {}, "Did you mean 'calibrated'?"),
    ("tunnel", {"tunel": 0.5}, "Did you mean 'tunnel'?"),
    ("tunnel", {"tunnel": 1.5}, "tunnel=1.5"),
    ("erratic", {"error_rate": "often"}, "error_rate=often"),
    ("metacognitive", {"accuracy": 1.5}, "accuracy=1.5 is not between 0 and 1"),
    ("metacognitive", {"meta_d": -1}, "meta_d=-1 is not between 0 and 6"),
    ("metacognitive", {"anchor_share": NAN}, "anchor_share=nan is not between 0 and 1"),
    ("metacognitive", {"error_rate": -0.1}, "error_rate=-0.1 is not between 0 and 1"),
    ("metacognitive", {"acuracy": 1}, "has no 'acuracy'. Did you mean 'accuracy'?"),
    ("metacognitive", {"scale_meta_d": "0-20"}, "scale_meta_d=0-20 is not of the form 0-20:1.5"),
    ("metacognitive", {"scale_meta_d": "20-0:1"}, "scale_meta_d=20-0:1 is not of the form"),
    ("metacognitive", {"scale_meta_d": ["0-20:1", "0-5"]}, "scale_meta_d=0-5 is not of the form"),
    # As limited as that for all scales, and no group is cut to one scale.
    ("metacognitive", {"scale_meta_d": "0-20:nan"}, "scale_meta_d"),
    ("metacognitive", {"scale_meta_d": "0-20:99"}, "scale_meta_d"),
    ("metacognitive", {"scale_meta_d": "0-20:-3"}, "scale_meta_d"),
    ("metacognitive", {"scale_meta_d": "granularity:2"}, "scale_meta_d"),
    ("examinee", {"before_noise": 6}, "before_noise=6 is not between 0 and 5"),
    ("examinee", {"anchor_share": 0.3}, "respondent/examinee has no 'anchor_share'"),
    ("surveyed", {"shift": 101}, "shift=101 is not between -100 and 100"),
    ("surveyed", {"shrink": -1}, "shrink=-1 is not between 0 and 10"),
    ("surveyed", {"error_rate": 2}, "error_rate=2 is not between 0 and 1"),
    ("surveyed", {"noise": 0.1}, "respondent/surveyed has no 'noise'"),
    ("chooser", {"noise": 2}, "noise=2 is not between 0 and 1"),
    ("chooser", {"five": "0.9,0.5"}, "five=0.9,0.5: give 4 shares in descending order"),
    ("chooser", {"three": [0.1, 0.9]}, "give 2 shares in descending order"),
    ("chooser", {"three": "high,low"}, "three="),
    ("chooser", {"three": "1.5,0.5"}, "three="),
    ("chooser", {"three": "0.5,-1"}, "three="),
    ("chooser", {"three": "nan,0.5"}, "three="),
    ("chooser", {"three": [0.6, None]}, "give 2 shares in descending order"),
    ("chooser", {"three": [0.6, [0.4]]}, "give 2 shares in descending order"),
    ("actuary", {"sensitivity": 4}, "sensitivity=4 is not between -2 and 3"),
    ("actuary", {"bias": -1.5}, "bias=-1.5 is not between -1 and 1"),
    ("actuary", {"noise": -0.1}, "noise=-0.1 is not between 0 and 1"),
    ("actuary", {"rounding": 1}, "rounding=1 is not between 0 and 0.5"),
    ("actuary", {"error_rate": NAN}, "error_rate=nan is not between 0 and 1"),
    ("actuary", {"sensitivty": 1}, "has no 'sensitivty'. Did you mean 'sensitivity'?"),
    ("actuary", {"window": "open"}, "window=open"),
    # Only what all share can be changed of those made of several.
    ("candid", {"error_rate": 1.5}, "error_rate=1.5 is not between 0 and 1"),
    ("candid", {"tunnel": 0.5}, "respondent/candid has no 'tunnel'"),
    ("candid", {"respondents": "actuary"}, "respondents=actuary can't be given"),
]


def test_bad_names_and_parameters() -> None:
    """Each is one error with what was given, and its range or the nearest name."""
    for name, parameters, says in BAD:
        message = refusal(respondent, name=name, parameters=parameters)
        assert says in message, (name, parameters, message)


@pytest.mark.usefixtures("home")
def test_what_they_dont_know() -> None:
    """Other questions, words and tasks end a run in so many words, with what to do."""
    Path("mine.csv").write_text("question,target,exponent\nHow many cats?,9,9\n", "utf-8")
    message = "does not know 'mine-0001'. Ask about an item of a data set that docs/respondents.md"
    scales = {"accuracy": 1, "scale_meta_d": ["0-20:2", "0-100:1"]}
    cases: list[tuple[Task, str, dict[str, object], list[str]]] = [
        (fermi_eval("mine.csv"), "calibrated", {}, [message]),
        (scale_variants("mine.csv"), "metacognitive", dict(scales), [message]),
        (wep_elicitation(items=1, words="maybe"), "surveyed", {}, ["the 17 words surveyed"]),
        (Task([Sample("Who am I?")]), "examinee", {}, ["does not know 'Who am I?'"]),
        (wep_choice(items=1), "surveyed", {}, ["doesn't answer what was asked"]),
        (wep_elicitation(items=1), "chooser", {}, ["doesn't answer what was asked"]),
    ]
    for task, name, parameters, says in cases:
        model = f"respondent/{name}"
        (log,) = eval(task, model, model_args=parameters, log_dir="logs", display="none")
        assert log.status == "error", says
        error = terminal_error(log)
        for part in says:
            assert part in error, error


@pytest.mark.parametrize("temperature", [0.25, 1.0, 3.0])
@pytest.mark.parametrize("distortion", [1.0, 2.0])
def test_traces_obey_temperature(temperature: float, distortion: float) -> None:
    """After any trace an integer k has p(k)^(1/(T0 T)) of what is seen, normalised."""
    estimator = Estimator(tunnel=0.65, distortion=distortion)
    metadata = {"item": "physics-01", "draw": 3}

    def log_probabilities(temperature: float) -> dict[int, float]:
        reply = estimator.answer("integer", metadata, temperature)
        assert reply
        assert reply.tokens
        return {int(token): log for token, log in reply.tokens[0].alternatives.items()}

    tempered, plain = log_probabilities(temperature), log_probabilities(1.0)
    top = max(plain, key=lambda k: plain[k])
    for k in set(tempered) & set(plain):  # ratios know nothing of what is left out
        assert tempered[k] - tempered[top] == pytest.approx((plain[k] - plain[top]) / temperature)
    # The whole belief, by plain powers: the same for a respondent that sees all of it.
    whole = Estimator(distortion=distortion)
    powers = {
        k: p ** (1 / (distortion * temperature))
        for k, p in integer_probabilities(whole.belief("physics-01")).items()
    }
    reply = whole.answer("integer", metadata, temperature)
    assert reply
    assert reply.tokens
    for token, log in reply.tokens[0].alternatives.items():
        assert math.exp(log) == pytest.approx(powers[int(token)] / sum(powers.values())), token


def test_points_at_temperature_zero_are_the_likeliest() -> None:
    """Also of a belief so wide that its powers vanish."""
    estimator = Estimator()
    masses = integer_probabilities(estimator.belief("physics-01"))
    likeliest = max(masses, key=lambda k: masses[k])
    for draw in range(5):
        reply = estimator.answer("point", {"item": "physics-01", "draw": draw}, 0.0)
        assert reply
        assert reply.text == f"Exponent: {likeliest}"


@pytest.mark.usefixtures("published")
@pytest.mark.slow
@pytest.mark.parametrize("method", ["direct", "traces"])
def test_published_fermi_questions_are_answered(tmp_path: Path, method: str) -> None:
    """A run of `scioly` at two epochs, some replies unreadable, as one of bundled questions."""
    task = fermi_eval("scioly", items=12, levels="90", method=method)
    responded(task, "erratic", tmp_path, epochs=2)
    rows = read_judgments(tmp_path)["fermi_eval"]
    assert len(rows) == 12 * 2 * (10 if method == "traces" else 1)
    assert rows["item"].str.startswith("scioly-").all()
    assert 0 < (rows["status"] != "ok").mean() < 0.5
    results = summarize(rows, resamples=10)
    coverage = results[
        (results["metric"] == "coverage") & ~results["condition"].str.contains("split")
    ]
    assert np.isfinite(coverage["value"]).all()


@pytest.mark.usefixtures("published")
@pytest.mark.slow
@pytest.mark.parametrize("dataset", list(ITEMS))
def test_published_sets_are_answered(tmp_path: Path, dataset: str) -> None:
    """Each of the study's sets, at two epochs with unreadable replies; right answers are right."""
    task = question_sets(dataset, items=20)
    responded(task, "metacognitive", tmp_path, epochs=2, accuracy=1, error_rate=0.2, meta_d=4)
    rows = read_judgments(tmp_path)["question_sets"]
    stated_rows = rows[rows["source"] == "stated"]
    is_given = dataset == "halueval"
    assert len(stated_rows) == 2 * 20 * (2 if is_given else 1)
    assert 0 < (stated_rows["status"] != "ok").mean() < 0.5
    read = stated_rows[stated_rows["status"] == "ok"]
    if is_given:
        # Evidence of d' 4 puts right answers high and wrong ones low.
        means = read.groupby("correct")["confidence"].mean()
        assert means[1.0] > 0.7
        assert means[0.0] < 0.45
    else:
        assert (read["correct"] == 1).all()
