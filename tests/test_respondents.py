"""What respondents refuse: parameters before a run, questions they don't know during one."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai import Task, eval

from inspect_confidence.respondents.provider import respondent
from inspect_confidence.tasks.fermi_eval import fermi_eval
from inspect_confidence.tasks.scale_variants import scale_variants
from inspect_confidence.tasks.wep_probes import wep_choice, wep_elicitation
from runs import refusal

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
    own = "docs/respondents.md names, not 'mine-0001'"
    scales = {"accuracy": 1, "scale_meta_d": ["0-20:2", "0-100:1"]}
    cases: list[tuple[Task, str, dict[str, object], list[str]]] = [
        (fermi_eval("mine.csv"), "calibrated", {}, [own, "-T dataset=bundled"]),
        (scale_variants("mine.csv"), "metacognitive", dict(scales), [own, "-T dataset=bundled"]),
        (wep_elicitation(items=1, words="maybe"), "surveyed", {}, ["the 17 words surveyed"]),
        (wep_choice(items=1), "surveyed", {}, ["doesn't answer what was asked"]),
        (wep_elicitation(items=1), "chooser", {}, ["doesn't answer what was asked"]),
    ]
    for task, name, parameters, says in cases:
        model = f"respondent/{name}"
        (log,) = eval(task, model, model_args=parameters, log_dir="logs", display="none")
        assert log.status == "error", says
        assert log.error, says
        assert all(part in log.error.message for part in says), log.error.message
