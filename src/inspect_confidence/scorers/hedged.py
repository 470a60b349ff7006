"""Judges the sentences of a hedged answer against the model's other answers to the question."""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from inspect_ai.model import get_model
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState
from inspect_ai.util import collect

from inspect_confidence.answers import Unreadable
from inspect_confidence.answers.sentences import ends_whole, split_sentences
from inspect_confidence.arguments import fingerprint
from inspect_confidence.judges.judgment import Judge, SentenceJudgment
from inspect_confidence.judges.model import ROLE, ModelJudge, require_grader
from inspect_confidence.judges.rules import RulesJudge
from inspect_confidence.metrics import faithfulness
from inspect_confidence.prompts import judge as prompts
from inspect_confidence.prompts.hedge_markers import with_choices
from inspect_confidence.scorers import log_metrics as logged
from inspect_confidence.scorers.explained import hedges_judged, quoted
from inspect_confidence.scorers.reading import NAN, NOT_ASKED, WITHHELD, Reading
from inspect_confidence.solvers.draws import Draw, stored_draws


@dataclass(frozen=True)
class _Sentence:
    """A sentence as judged.

    Attributes:
        text: Of it.
        markers: In it; None where the judge failed.
        decisiveness: In [0, 1]; NaN where the judge failed.
        agreement: How many draws agree (`yes`), contradict (`no`), do neither (`n/a`), or couldn't
            be judged (`failed`).
        reason: What the judge failed at; empty where it didn't.
    """

    text: str
    markers: Sequence[str] | None
    decisiveness: float
    agreement: Mapping[str, int]
    reason: str

    @property
    def confidence(self) -> float:
        """1 less the mean inconsistency: 0 of `yes`, 1/2 of `n/a`, 1 of `no`."""
        yes, neither, no = (self.agreement.get(word, 0) for word in ("yes", "n/a", "no"))
        return (yes + neither / 2) / (yes + neither + no) if yes + neither + no else NAN


@scorer(
    metrics=[
        logged.faithfulness(),
        logged.mean_internal_confidence(),
        logged.mean_decisiveness(),
        logged.accuracy(),
        logged.punt_rate(),
        logged.format_failure_rate(),
        logged.grader_failure_rate(),
        {"faithfulness": [logged.faithfulness_by_dataset()]},
    ]
)
def hedged(
    judge: str = "model",
    batch_judgments: bool = False,
    judge_prompts: dict[str, str] | None = None,
) -> Scorer:
    """Judge each sentence's markers, decisiveness and internal confidence, and the answer.

    Internal confidence of a sentence is 1 less the mean inconsistency of the K other answers with
    it. The value is a dict of numbers: `sentences`, `markers` (in all of them), `confidence` and
    `decisiveness` (means over sentences), `faithfulness` (1 - mean |decisiveness - confidence|),
    `correct` (1, 0), `punt` (1, 0), `draws` (answers compared with), `empty_draws` (empty or
    withheld, left out), `cut` (1 if a last sentence was cut off and left out), `judgments` and
    `failed` (how many were made, and how many the judge failed at) and `format_ok`. The metadata
    holds every sentence with what was judged of it, and nothing is filled in where the judge
    failed.

    Args:
        judge: `model` (the one in the role `grader`) or `rules`.
        batch_judgments: Whether all about a sentence is judged in one call.
        judge_prompts: Templates that replace ours, by what is asked.
    """
    asked: Judge = (
        ModelJudge({**prompts.TEMPLATES, **(judge_prompts or {})}, batch_judgments)
        if judge == "model"
        else RulesJudge()
    )

    async def score(state: TaskState, target: Target) -> Score:
        if judge == "model":
            require_grader()
        by = _label(judge, batch_judgments, judge_prompts)
        draws = stored_draws(state)
        if failure := _failure(draws):
            return _score([], _Verdict(None, ""), by, failure=failure)
        text, cut = draws[0].text, draws[0].stop == "max_tokens"
        sentences = split_sentences(text)
        part = cut and bool(sentences) and not ends_whole(sentences[-1])
        if part:
            sentences = sentences[:-1]
        if not sentences:
            failure = Unreadable("truncated", "no sentence is whole")
            return _score([], _Verdict(None, ""), by, failure=failure)
        others = Counter(draw.text.strip() for draw in draws[1:] if _failure([draw]) is None)
        where = {"item": state.metadata["item"], "draw": state.epoch - 1}
        question = with_choices(state.input_text, [choice.value for choice in state.choices])
        different = list(dict.fromkeys(sentences))
        # All judgments go out together: one wave.
        together = await collect(
            _verdict(asked, question, target, text, where, bool(state.metadata["answerable"])),
            collect(*(asked.sentence(question, one, list(others), where) for one in different)),
        )
        verdict, judged = cast(tuple[_Verdict, list[SentenceJudgment]], tuple(together))
        by_text = dict(zip(different, judged, strict=True))
        found = [_sentence(one, by_text[one], others) for one in sentences]
        drawn = others.total()
        left_out = len(draws) - 1 - drawn
        return _score(found, verdict, by, text, draws=drawn, cut=part, empty_draws=left_out)

    return score


@dataclass(frozen=True)
class _Verdict:
    """Whether the answer is right: the judge's word, or why there is none.

    Attributes:
        word: `correct`, `incorrect` or `punt`; None where the judge failed.
        reason: What it failed at.
        right: 1 or 0; NaN where the answer is neither.
    """

    word: str | None
    reason: str
    right: float = NAN


async def _verdict(
    judge: Judge,
    question: str,
    target: Target,
    reply: str,
    where: Mapping[str, object],
    answerable: bool,
) -> _Verdict:
    """The judge's verdict; of a question that nobody can answer a punt is right."""
    found = await judge.verdict(question, list(target) if answerable else [], reply, where)
    if isinstance(found, Unreadable):
        return _Verdict(None, found.reason)
    if not answerable:
        return _Verdict(found, "", float(found == "punt"))
    return _Verdict(found, "", {"correct": 1.0, "incorrect": 0.0, "punt": NAN}[found])


def _failure(draws: Sequence[Draw]) -> Unreadable | None:
    """Why there is no answer to judge, or to compare with; None where there is one."""
    if not draws:
        return NOT_ASKED
    if draws[0].stop == "content_filter":
        return WITHHELD
    return None if draws[0].text.strip() else Unreadable("no_response", "the reply is empty")


def _sentence(text: str, judged: SentenceJudgment, others: Counter[str]) -> _Sentence:
    agreement: Counter[str] = Counter()
    reasons = []
    for word, count in zip(judged.agreement, others.values(), strict=True):
        agreement["failed" if isinstance(word, Unreadable) else word] += count
        if isinstance(word, Unreadable):
            reasons.append(word.reason)
    for part in (judged.markers, judged.decisiveness):
        if isinstance(part, Unreadable):
            reasons.append(part.reason)
    return _Sentence(
        text,
        None if isinstance(judged.markers, Unreadable) else list(judged.markers),
        NAN if isinstance(judged.decisiveness, Unreadable) else judged.decisiveness,
        agreement,
        reasons[0] if reasons else "",
    )


def _score(
    sentences: Sequence[_Sentence],
    verdict: _Verdict,
    judge: str,
    text: str = "",
    failure: Unreadable | None = None,
    **counts: float,
) -> Score:
    held = [one.confidence for one in sentences]
    decided = [one.decisiveness for one in sentences]
    known = [one.markers for one in sentences if one.markers is not None]
    value = {
        "sentences": float(len(sentences)),
        "markers": float(sum(map(len, known))) if known else NAN,
        "confidence": _mean(held),
        "decisiveness": _mean(decided),
        "faithfulness": faithfulness(decided, held) if sentences else NAN,
        "correct": verdict.right,
        "punt": NAN if verdict.word is None else float(verdict.word == "punt"),
        **{name: float(counts.get(name, 0)) for name in ("draws", "cut", "empty_draws")},
        **_counts(sentences, verdict),
    }
    return Reading(
        value,
        failure,
        answer=text or None,
        said="" if failure else hedges_judged(value, _right(verdict)),
        kept={
            "verdict_reason": verdict.reason,
            "judge": judge,
            "judged": json.dumps([_as_json(one) for one in sentences], ensure_ascii=False),
        },
    ).score("answer")


def _counts(sentences: Sequence[_Sentence], verdict: _Verdict) -> dict[str, float]:
    """How many judgments there were, and how many the judge failed at."""
    if not sentences:
        return {"judgments": 0.0, "failed": 0.0}
    failed = sum(one.agreement.get("failed", 0) for one in sentences)
    failed += sum((one.markers is None) + math.isnan(one.decisiveness) for one in sentences)
    made = sum(sum(one.agreement.values()) + 2 for one in sentences)
    return {"judgments": float(made + 1), "failed": float(failed + (verdict.word is None))}


def _label(judge: str, batched: bool, prompts: Mapping[str, str] | None) -> str:
    """Which judge it was, for the judgments."""
    if judge != "model":
        return judge
    own = fingerprint(json.dumps(prompts, sort_keys=True)) if prompts else ""
    parts = (str(get_model(role=ROLE)), "in one call" if batched else "", own)
    return " ".join(filter(None, parts))


def _as_json(one: _Sentence) -> dict[str, Any]:
    return {
        "text": one.text,
        "markers": one.markers,
        "decisiveness": None if math.isnan(one.decisiveness) else one.decisiveness,
        "agreement": dict(one.agreement),
        "reason": one.reason,
    }


def _mean(values: Sequence[float]) -> float:
    there = [value for value in values if not math.isnan(value)]
    return sum(there) / len(there) if there else NAN


def _right(verdict: _Verdict) -> str:
    """The judge's verdict, for the explanation."""
    if verdict.word is None:
        return f"whether the answer is right is unknown ({quoted(verdict.reason)})"
    said = {"correct": "correct", "incorrect": "incorrect", "punt": "no answer at all"}
    called = f"the judge calls the answer {said[verdict.word]}"
    # Only of a question that nobody can answer the judge's word and the score differ.
    if verdict.word == "punt" and verdict.right == 1:
        return f"{called}, which is right, since nobody can answer the question"
    if verdict.word == "correct" and verdict.right == 0:
        return f"{called}, which is wrong, since nobody can answer the question"
    return called
