"""Judges the sentences of a hedged answer against the model's other answers to the question."""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from inspect_ai.model import get_model
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState
from inspect_ai.util import collect

from inspect_confidence.answers import ParseFailure, reply_failure
from inspect_confidence.answers.judged import Markers, Verdict
from inspect_confidence.answers.sentences import ends_whole, split_sentences
from inspect_confidence.judges.judgment import Judge, SentenceJudgment
from inspect_confidence.judges.markers import without_marker
from inspect_confidence.judges.model import ROLE, ModelJudge, require_grader
from inspect_confidence.judges.rules import RulesJudge
from inspect_confidence.judges.wording import is_batched, judge_wording
from inspect_confidence.metrics import faithfulness
from inspect_confidence.prompts.hedge_markers import with_choices
from inspect_confidence.scorers import log_metrics as logged
from inspect_confidence.scorers.explained import hedges_judged, quoted
from inspect_confidence.scorers.reading import NAN, NOT_ASKED, Reading, mean_of, number_of
from inspect_confidence.solvers.draws import Draw, stored_draws


@dataclass(frozen=True)
class _Sentence:
    """A sentence as judged; what the judge failed at is None or NaN, and has a reason.

    `agreement` is how many draws agree (`yes`), contradict (`no`), do neither (`n/a`), or couldn't
    be judged (`failed`); `foreign` is how many markers were listed that aren't in the sentence.
    """

    text: str
    markers: Sequence[str] | None
    decisiveness: float
    agreement: Mapping[str, int]
    reason: str
    foreign: int = 0

    @property
    def confidence(self) -> float:
        """1 less the mean inconsistency: 0 of `yes`, 1/2 of `n/a`, 1 of `no`."""
        yes, neither, no = (self.agreement.get(word, 0) for word in ("yes", "n/a", "no"))
        return (yes + neither / 2) / (yes + neither + no) if yes + neither + no else NAN

    @property
    def failed(self) -> int:
        """How many judgments of it failed."""
        unknown = (self.markers is None) + math.isnan(self.decisiveness)
        return self.agreement.get("failed", 0) + unknown


@dataclass(frozen=True)
class _Verdict:
    """The judge's word on the answer, or why there is none, and whether it counts as right."""

    word: str | None = None
    reason: str = ""
    right: float = NAN
    punt: float = NAN


@scorer(
    metrics=[
        logged.faithfulness(),
        logged.mean_internal_confidence(),
        logged.mean_decisiveness(),
        logged.accuracy(),
        logged.punt_rate(),
        logged.format_failure_rate(),
        logged.grader_failure_rate(),
        logged.faithfulness_by_dataset(),
    ]
)
def hedged(
    judge: str = "model",
    batch_judgments: bool | None = None,
    judge_prompts: dict[str, str] | str | None = None,
) -> Scorer:
    """Judge each sentence's markers, decisiveness and internal confidence, and the answer.

    Internal confidence of a sentence is 1 less the mean inconsistency of the K other answers with
    it. The value is a dict of numbers: `sentences`, `markers` (in all of them), `foreign` (markers
    that the judge lists but their sentence hasn't got, left out), `confidence` and `decisiveness`
    (means over sentences), `faithfulness` (1 - mean |decisiveness - confidence|), `correct` (1, 0),
    `punt` (1, 0), `draws` (answers compared with), `different_draws` (those that the judge is
    shown: of answers that differ in their marker alone one), `empty_draws` (empty or withheld, left
    out), `cut` (1 if a last sentence was cut off and left out), `judgments` and `failed` (how many
    were made, and how many the judge failed at), `asked_again` (how many it was asked for alone,
    after they couldn't be read of a reply about all) and `format_ok`. The metadata holds every
    sentence with what was judged of it, and nothing is filled in where the judge failed.

    Args:
        judge: `model` (the one in the role `grader`) or `rules`.
        batch_judgments: Whether all about a sentence is judged in one call; by default it is, but
            for the study's prompts, and for templates without `sentence`.
        judge_prompts: Templates that replace ours, by what is asked, or `study` for the study's.
            Those ask whether the answer is right alone: `punt` is unknown, and a punt is wrong.
    """
    wording = judge_wording(judge_prompts, batch=batch_judgments)
    at_once = is_batched(judge_prompts, batch_judgments)
    asked: Judge = ModelJudge(wording, at_once) if judge == "model" else RulesJudge()
    # Our prompts say to leave out of account how sure either is; others may not.
    alike = without_marker if judge == "model" and not wording.name else str

    async def score(state: TaskState, target: Target) -> Score:
        if judge == "model":
            require_grader()
        by = _label(judge, at_once, wording.name)
        draws = stored_draws(state)
        if failure := _failure(draws):
            return _score(by, failure)
        text = draws[0].text
        sentences = split_sentences(text)
        cut = draws[0].stop == "max_tokens" and bool(sentences) and not ends_whole(sentences[-1])
        sentences = sentences[:-1] if cut else sentences
        if not sentences:
            return _score(by, ParseFailure("truncated", "no sentence is whole"))
        others = [draw.text.strip() for draw in draws[1:] if _failure([draw]) is None]
        groups: dict[str, list[str]] = {}
        for other in others:
            groups.setdefault(alike(other), []).append(other)
        each = [group[0] for group in groups.values()]
        question = with_choices(state.input_text, [choice.value for choice in state.choices])
        different = list(dict.fromkeys(sentences))
        answerable = bool(state.metadata["answerable"])
        # All judgments go out together: one wave.
        together = await collect(
            asked.verdict(question, list(target) if answerable else [], text),
            collect(*(asked.sentence(question, one, each) for one in different)),
        )
        said, judged = cast(tuple[Verdict | ParseFailure, list[SentenceJudgment]], tuple(together))
        verdict = _verdict(said, answerable, punts=not wording.is_study)
        by_text = dict(zip(different, judged, strict=True))
        found = [_sentence(one, by_text[one], list(map(len, groups.values()))) for one in sentences]
        counts = {
            **{"draws": len(others), "different_draws": len(each), "cut": cut},
            **{"empty_draws": len(draws) - 1 - len(others)},
            "asked_again": sum(one.asked_again for one in judged),
        }
        return _score(by, None, found, verdict, text, **counts)

    return score


def _verdict(found: Verdict | ParseFailure, answerable: bool, *, punts: bool) -> _Verdict:
    """A punt is wrong, but of a question that nobody can answer it is right.

    Not all judges tell punts.
    """
    if isinstance(found, ParseFailure):
        return _Verdict(reason=found.reason)
    declined = found == "punt"
    if not punts:
        accepted = found == "correct" or (declined and not answerable)
        return _Verdict(found, "the judge isn't asked whether it is a punt", float(accepted))
    right = found == "correct" if answerable else declined
    return _Verdict(found, "", float(right), float(declined))


def _failure(draws: Sequence[Draw]) -> ParseFailure | None:
    """Why there is no answer to judge, or to compare with; None where there is one."""
    if not draws:
        return NOT_ASKED
    text = draws[0].text
    empty = None if text.strip() else ParseFailure("no_response", "the reply is empty")
    return reply_failure(text, draws[0].stop) or empty


def _sentence(text: str, judged: SentenceJudgment, sizes: Sequence[int]) -> _Sentence:
    """With the verdict on one of each group of draws given to so many."""
    agreement: Counter[str] = Counter()
    for word, count in zip(judged.agreement, sizes, strict=True):
        agreement["failed" if isinstance(word, ParseFailure) else word] += count
    failures = [
        part.reason
        for part in (*judged.agreement, judged.markers, judged.decisiveness)
        if isinstance(part, ParseFailure)
    ]
    return _Sentence(
        text,
        None if isinstance(judged.markers, ParseFailure) else list(judged.markers),
        number_of(judged.decisiveness),
        agreement,
        failures[0] if failures else "",
        judged.markers.foreign if isinstance(judged.markers, Markers) else 0,
    )


_COUNTS = ("draws", "different_draws", "cut", "empty_draws", "asked_again")


def _score(
    judge: str,
    failure: ParseFailure | None = None,
    sentences: Sequence[_Sentence] = (),
    verdict: _Verdict = _Verdict(),
    text: str = "",
    **counts: float,
) -> Score:
    held = [one.confidence for one in sentences]
    decided = [one.decisiveness for one in sentences]
    known = [len(one.markers) for one in sentences if one.markers is not None]
    # Of each sentence the markers, the decisiveness and each draw; and whether the answer is right.
    judged = [sum(one.agreement.values()) + 2 for one in sentences]
    failed = [one.failed for one in sentences] + [verdict.word is None]
    value = {
        "sentences": float(len(sentences)),
        "markers": float(sum(known)) if known else NAN,
        "foreign": float(sum(one.foreign for one in sentences)),
        "confidence": mean_of(held),
        "decisiveness": mean_of(decided),
        "faithfulness": faithfulness(decided, held) if sentences else NAN,
        "correct": verdict.right,
        "punt": verdict.punt,
        **{name: float(counts.get(name, 0)) for name in _COUNTS},
        "judgments": float(sum(judged) + 1) if sentences else 0.0,
        "failed": float(sum(failed)) if sentences else 0.0,
    }
    shown = [
        vars(one) | ({"decisiveness": None} if math.isnan(one.decisiveness) else {})
        for one in sentences
    ]
    return Reading(
        value,
        failure,
        answer=text or None,
        said="" if failure else hedges_judged(value, _right(verdict)),
        kept={
            "verdict_reason": verdict.reason,
            "judge": judge,
            "judged": json.dumps(shown, ensure_ascii=False),
        },
    ).score("answer")


def _label(judge: str, batched: bool, wording: str) -> str:
    """Which judge it was, for the judgments."""
    if judge != "model":
        return judge
    parts = (str(get_model(role=ROLE)), "in one call" if batched else "", wording)
    return " ".join(filter(None, parts))


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
