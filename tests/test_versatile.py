"""The versatile respondents: each form gets the reply of the respondent that it is for."""

from __future__ import annotations

import json
from itertools import chain, product
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval
from inspect_ai.model import get_model

from build import attributes_of, column_of, texts_starting
from inspect_confidence import read_judgments
from inspect_confidence.datasets.fermi import bundled_fermi
from inspect_confidence.datasets.hedge_markers import load_marker_questions
from inspect_confidence.datasets.life_tables import read_life_table
from inspect_confidence.datasets.question_sets import bundled_sets
from inspect_confidence.datasets.questions import bundled_questions
from inspect_confidence.datasets.wep_choices import design
from inspect_confidence.respondents.actuary import Actuary
from inspect_confidence.respondents.estimator import Estimator
from inspect_confidence.respondents.examinee import Examinee
from inspect_confidence.respondents.grader import Grader
from inspect_confidence.respondents.hedger import Hedger
from inspect_confidence.respondents.metacognitive import Metacognitive
from inspect_confidence.respondents.presets import PRESETS
from inspect_confidence.respondents.provider import respondent
from inspect_confidence.respondents.surveyed import Chooser, Surveyed
from inspect_confidence.respondents.utterance import Respondent
from inspect_confidence.tasks.fermi_eval import fermi_eval
from inspect_confidence.tasks.hedge_markers import hedge_markers, judge_check
from inspect_confidence.tasks.life_eval import life_eval
from inspect_confidence.tasks.question_sets import question_sets
from inspect_confidence.tasks.scale_variants import scale_variants
from inspect_confidence.tasks.wep_probes import wep_choice, wep_elicitation

FERMI = next(iter(bundled_fermi()))
QUESTION = next(iter(bundled_questions()))
QUESTIONS_OF_SETS = chain.from_iterable(items.items() for items in bundled_sets().values())
OPTIONS = next(name for name, question in QUESTIONS_OF_SETS if question.options)
HEDGED = load_marker_questions("bundled", split="all").items[0]
JUDGED = {"question": "How many?", "sentence": "It is probably 7.", "reply": "It is 7."}

FORMS: list[tuple[str, dict[str, Any], type]] = [
    ("interval", {"item": FERMI, "draw": 2, "level": 90}, Estimator),
    ("point", {"item": FERMI, "draw": 2}, Estimator),
    ("integer", {"item": FERMI, "draw": 2}, Estimator),
    ("trace", {"item": FERMI, "draw": 2}, Estimator),
    ("stated", {"item": QUESTION, "draw": 1, "low": 0, "high": 100}, Metacognitive),
    ("options", {"item": OPTIONS, "draw": 1}, Metacognitive),
    ("p_true", {"conversation": bundled_questions()[QUESTION].question, "draw": 1}, Examinee),
    ("age", {"item": "x", "draw": 1, "sex": "male", "age": 40, "radius": 5}, Actuary),
    ("probability", {"item": "x", "draw": 1, "word": "likely"}, Surveyed),
    ("word", {"item": next(design()).id, "draw": 1, "cot": False}, Chooser),
    ("hedged", {"item": HEDGED.id, "draw": 1, "choices": list(HEDGED.choices)}, Hedger),
    ("judge_markers", JUDGED, Grader),
    ("judge_consistency", JUDGED, Grader),
]

OWN: dict[str, dict[type, Respondent]] = {
    "candid": {
        Estimator: Estimator(seed=3),
        Metacognitive: Metacognitive(seed=3, accuracy=0.7, meta_d=2),
        Examinee: Examinee(seed=3, accuracy=0.7, meta_d=2),
        Actuary: Actuary(seed=3, sensitivity=1),
        Surveyed: Surveyed(seed=3),
        Chooser: Chooser(seed=3),
        Hedger: Hedger(seed=3, stability=1),
        Grader: Grader(seed=3),
    },
    "boastful": {
        Estimator: Estimator(seed=3, tunnel=0.65),
        Metacognitive: Metacognitive(seed=3, accuracy=0.7, meta_d=0.5, bias=1.5, anchor_share=0.3),
        Examinee: Examinee(seed=3, accuracy=0.7, meta_d=0.5, bias=1.5),
        Actuary: Actuary(seed=3, sensitivity=0.2, bias=0.2),
        Surveyed: Surveyed(seed=3, shift=15),
        Chooser: Chooser(seed=3, noise=0.2),
        Hedger: Hedger(seed=3, stability=0.2),
        Grader: Grader(seed=3),
    },
}


def test_each_form_gets_the_reply_it_is_for() -> None:
    """That of the respondent by itself at the seed; each has a form here, riddles have none."""
    for (form, metadata, respondent_name), name in product(FORMS, ["candid", "boastful"]):
        reply = respondent(name, {"seed": 3}).answer(form, metadata, 1.0)
        assert reply is not None, form
        assert reply == OWN[name][respondent_name].answer(form, metadata, 1.0)
    for name, parameters in OWN.items():
        members = set(map(type, PRESETS[name].respondents))  # type: ignore[attr-defined]
        assert members == set(parameters) == set(column_of(FORMS, -1))
    assert PRESETS["candid"].answer("riddle", {}, 1.0) is None


def test_error_rate_is_of_all() -> None:
    """At 1 no reply holds an answer: a judge's isn't JSON, others are one of the four failures."""
    for form, metadata, respondent_name in FORMS:
        if form == "trace":
            continue
        reply = respondent("candid", {"error_rate": 1}).answer(form, metadata, 1.0)
        assert reply is not None, form
        if respondent_name is Grader:
            with pytest.raises(json.JSONDecodeError):
                json.loads(reply.text)
        else:
            failures = ("That depends on", "I'm sorry, but I can't")
            assert reply.cut or not reply.text or reply.text.startswith(failures), form


def test_a_judge_fails_instead_of_lying() -> None:
    """What it judges at an error rate of 0.5 is right where it is JSON at all."""
    judge = respondent("candid", {"error_rate": 0.5})
    replies = [
        judge.answer("judge_consistency", {**JUDGED, "question": f"How many {k}?"}, 1.0)
        for k in range(60)
    ]
    texts = [reply.text for reply in replies if reply]
    readable = texts_starting(texts, "{")
    assert 10 < len(readable) < 50  # binomial(60, 0.5) leaves it once in 10 million
    assert set(column_of(map(json.loads, readable), "agreement")) == {"yes"}


def test_confidence_in_ages_by_hand() -> None:
    """Candid says the maximum M itself; boastful 0.57 + 0.2 (M - 0.57) + 0.2 = 0.656 + 0.2 M."""
    best = read_life_table("ssa-2022").best_answer("male", 40, 5, "half-open").probability
    metadata = next(metadata for form, metadata, _ in FORMS if form == "age")
    for name, expected in (("candid", best), ("boastful", 0.656 + 0.2 * best)):
        reply = PRESETS[name].answer("age", metadata, 0)
        assert reply is not None
        assert json.loads(reply.text)["Confidence"] == pytest.approx(expected, abs=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["candid", "boastful"])
def test_answers_every_task(name: str, tmp_path: Path) -> None:
    """Every judgment of every task is read; a few items each."""
    tasks = [
        *(
            fermi_eval(dataset="bundled", method=method, items=4)
            for method in ("direct", "sampling", "logprob", "traces")
        ),
        scale_variants(dataset="bundled", items=4),
        wep_elicitation(dataset="bundled", items=2),
        wep_choice(items=2),
        life_eval(items=4),
        question_sets(items=4),
        hedge_markers(dataset="bundled", items=3, draws=4),
        judge_check(items=6),
    ]
    logs = eval(
        tasks,
        model=f"respondent/{name}",
        model_roles={"grader": get_model(f"respondent/{name}")},
        log_dir=str(tmp_path),
        display="none",
    )
    assert attributes_of(logs, "status") == ["success"] * len(tasks)
    judgments = read_judgments(tmp_path)
    assert set(judgments) == {
        *("fermi_eval", "scale_variants", "wep_elicitation", "wep_choice"),
        *("life_eval", "question_sets", "hedge_markers", "judge_check"),
    }
    for task, rows in judgments.items():
        assert set(rows["status"]) == {"ok"}, task
        assert set(rows["model"]) == {f"respondent/{name}"}, task
