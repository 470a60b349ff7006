"""A scorer that judges the sentences of a hedged answer, and compares them with other answers."""

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

from inspect_confidence.answers import ParseFailure
from inspect_confidence.answers.judged import Markers, Verdict
from inspect_confidence.answers.sentences import ends_whole, split_sentences
from inspect_confidence.judges.judgment import Judge, SentenceJudgment
from inspect_confidence.judges.markers import without_marker
from inspect_confidence.judges.model import ROLE, ModelJudge, extractor, require_grader
from inspect_confidence.judges.rules import RulesJudge
from inspect_confidence.judges.wording import JudgeWording, is_batched, judge_wording
from inspect_confidence.metrics import faithfulness
from inspect_confidence.prompts.hedge_markers import with_choices
from inspect_confidence.scorers import log_metrics as logged
from inspect_confidence.scorers.explained import hedges_judged, quoted
from inspect_confidence.scorers.parsed import NAN, NOT_ASKED, ParsedReply, mean_of, number_of
from inspect_confidence.solvers.draws import Draw, choice_texts, stored_draws


@dataclass(frozen=True)
class _Sentence:
    """A sentence and its judgments; one that the judge failed at is None or NaN, with a reason.

    `agreement` counts the draws that agree (`yes`), contradict (`no`), do neither (`n/a`), or could
    not be judged (`failed`); `foreign` counts listed markers that are not in the sentence.
    """

    text: str
    markers: Sequence[str] | None
    decisiveness: float
    agreement: Mapping[str, int]
    reason: str
    foreign: int = 0

    @property
    def confidence(self) -> float:
        """1 less the mean inconsistency (`yes` 0, `n/a` 1/2, `no` 1); NaN if there is none."""
        yes, no = self.agreement.get("yes", 0), self.agreement.get("no", 0)
        neither = self.agreement.get("n/a", 0)
        compared = yes + neither + no  # without judgments that failed
        return (yes + neither / 2) / compared if compared else NAN

    @property
    def failed(self) -> int:
        """Number of judgments of the sentence that failed."""
        unknown = (self.markers is None) + math.isnan(self.decisiveness)
        return self.agreement.get("failed", 0) + unknown


@dataclass(frozen=True)
class _Verdict:
    """The judge's word on the answer or the reason why there is none, and its correctness."""

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

    The internal confidence of a sentence is 1 less the mean inconsistency of the K other answers
    with it. The value is a dict of numbers: `sentences`; `markers` (in all sentences); `foreign`
    (markers that the judge lists and the sentence does not contain, left out); `confidence` and
    `decisiveness` (means over sentences); `faithfulness` (1 - mean |decisiveness - confidence|);
    `correct` (1, 0); `punt` (1, 0); `draws` (other answers); `different_draws` (answers that the
    judge reads: one of several that differ only in their marker); `empty_draws` (empty or withheld,
    left out); `cut` (1 if a last sentence was cut off and left out); `judgments` and `failed` (how
    many there are, and how many of them the judge failed at); `asked_again` (judgments asked for
    separately, because they could not be read from a reply about all of them); and `format_ok`. The
    metadata holds every sentence with its judgments; a failed judgment is missing.

    Args:
        judge: `model` (the one in the role `grader`; one in the role `extractor`, if there is one,
            lists the markers) or `rules`.
        batch_judgments: Whether all judgments of a sentence are asked for in one call; by default
            they are, except with the study's prompts and with templates without `sentence`.
        judge_prompts: Templates that replace the package's, by form, or `study` for the study's.
            The study's ask only for right or wrong: `punt` is unknown, and a punt is wrong.
    """
    wording = judge_wording(judge_prompts, batch=batch_judgments)
    batched = is_batched(judge_prompts, batch_judgments)
    instrument: Judge = ModelJudge(wording, batched) if judge == "model" else RulesJudge()

    async def score(state: TaskState, target: Target) -> Score:
        """Return the score of a sample by the scorer's `judge` and its `wording`."""
        if judge == "model":
            require_grader()
        label = _label(judge, batched, wording.name)
        return await _score_draws(state, target, instrument, wording, label)

    return score


async def _score_draws(
    state: TaskState, target: Target, judge: Judge, wording: JudgeWording, label: str
) -> Score:
    """Judge the sentences of the first reply against the other replies, and return the score.

    The judge tells each sentence's markers and decisiveness, whether each other reply agrees with
    it, and whether the answer is right; equal sentences and equal replies are judged once.
    `wording` has the judge's prompts and `label` its name in the metadata. Without an answer the
    score is a failure.
    """
    draws = stored_draws(state)
    if failure := _failure(draws):
        return _score(label, failure)
    sentences, is_cut = _whole_sentences(draws[0])
    if not sentences:
        return _score(label, ParseFailure("truncated", "no sentence is whole"))
    other_texts = [draw.text.strip() for draw in draws[1:] if _failure([draw]) is None]
    # Only the package's prompts (a wording without a name) compare answers without their markers.
    excludes_markers = isinstance(judge, ModelJudge) and not wording.name
    sizes = _count_equal(other_texts, ignore_markers=excludes_markers)
    question = with_choices(state.input_text, choice_texts(state))
    distinct = list(dict.fromkeys(sentences))
    answerable = bool(state.metadata["answerable"])
    accepted = list(target) if answerable else []
    # All judgments go out at once, in one wave of a batch.
    outcomes = await collect(
        judge.verdict(question, accepted, draws[0].text),
        collect(*(judge.sentence(question, line, list(sizes)) for line in distinct)),
    )
    answer_verdict = cast(Verdict | ParseFailure, outcomes[0])
    sentence_judgments = cast(list[SentenceJudgment], outcomes[1])
    by_text = dict(zip(distinct, sentence_judgments, strict=True))
    return _score(
        label,
        None,
        [_sentence(line, by_text[line], list(sizes.values())) for line in sentences],
        _verdict(answer_verdict, answerable, asks_for_punts=not wording.is_study),
        draws[0].text,
        draws=len(other_texts),
        different_draws=len(sizes),
        cut=is_cut,
        empty_draws=len(draws) - 1 - len(other_texts),
        asked_again=sum(judgment.asked_again for judgment in sentence_judgments),
    )


def _count_equal(texts: Sequence[str], *, ignore_markers: bool) -> dict[str, int]:
    """Count equal texts, or texts that differ only in a marker; keys are the first of each group.

    The judge compares a sentence with the first text, and its judgment counts for the whole group.
    """
    groups: dict[str, list[str]] = {}
    for text in texts:
        groups.setdefault(without_marker(text) if ignore_markers else text, []).append(text)
    return {group[0]: len(group) for group in groups.values()}


def _whole_sentences(draw: Draw) -> tuple[list[str], bool]:
    """Return the sentences of an answer, and whether a last one was cut off and left out."""
    sentences = split_sentences(draw.text)
    is_cut = draw.stop == "max_tokens" and bool(sentences) and not ends_whole(sentences[-1])
    return sentences[:-1] if is_cut else sentences, is_cut


def _verdict(word: Verdict | ParseFailure, answerable: bool, *, asks_for_punts: bool) -> _Verdict:
    """Return the verdict on an answer: whether it is right, and whether it is a punt (no answer).

    If nobody can answer the question, a punt is right and anything else wrong. A judge that is
    asked only for right or wrong is believed if it calls a reply to such a question correct, or a
    punt although it was not asked for that; then it is not recorded whether the reply is a punt.

    Args:
        word: The judge's word, `correct`, `incorrect` or `punt`, or why there is none: then
            the verdict has only this reason, and its numbers are NaN.
        answerable: Whether the question has an answer.
        asks_for_punts: Whether the judge is asked if an answer is a punt.
    """
    if isinstance(word, ParseFailure):
        return _Verdict(reason=word.reason)
    declined = word == "punt"
    if not asks_for_punts:
        accepted = word == "correct" or (declined and not answerable)
        return _Verdict(word, "the judge isn't asked whether it is a punt", float(accepted))
    right = word == "correct" if answerable else declined
    return _Verdict(word, "", float(right), float(declined))


def _failure(draws: Sequence[Draw]) -> ParseFailure | None:
    """Return why the first draw has no answer to judge or to compare, or None if it has one."""
    if not draws:
        return NOT_ASKED
    is_empty = not draws[0].text.strip()
    empty = ParseFailure("no_response", "the reply is empty") if is_empty else None
    return draws[0].failure or empty


def _sentence(text: str, judgment: SentenceJudgment, sizes: Sequence[int]) -> _Sentence:
    """Return a sentence with its judgments, and the first reason of one that failed.

    The judgment has an agreement for each group of equal draws; it counts for all draws of the
    group, whose numbers are `sizes`.
    """
    agreement: Counter[str] = Counter()
    for word, size in zip(judgment.agreement, sizes, strict=True):
        agreement["failed" if isinstance(word, ParseFailure) else word] += size
    reasons = []
    for part in (*judgment.agreement, judgment.markers, judgment.decisiveness):
        if isinstance(part, ParseFailure):
            reasons.append(part.reason)
    markers = judgment.markers
    return _Sentence(
        text,
        markers=None if isinstance(markers, ParseFailure) else list(markers),
        decisiveness=number_of(judgment.decisiveness),
        agreement=agreement,
        reason=reasons[0] if reasons else "",
        foreign=markers.foreign if isinstance(markers, Markers) else 0,
    )


_COUNTS = ("draws", "different_draws", "cut", "empty_draws", "asked_again")


def _count_judgments(sentences: Sequence[_Sentence], verdict: _Verdict) -> tuple[int, int]:
    """Return how many judgments a reply's sentences and the whole answer have, and how many failed.

    A sentence has one for each draw, one for its markers and one for its decisiveness; the answer
    has one, whether it is right. Without sentences nothing was judged.
    """
    if not sentences:
        return 0, 0
    judgments = failed = 0
    for sentence in sentences:
        judgments += sum(sentence.agreement.values()) + 2
        failed += sentence.failed
    return judgments + 1, failed + (verdict.word is None)


def _score(
    judge: str,
    failure: ParseFailure | None = None,
    sentences: Sequence[_Sentence] = (),
    verdict: _Verdict = _Verdict(),
    text: str = "",
    **counts: float,
) -> Score:
    """Return the score: means over sentences, counts, and all judgments in the metadata.

    `judge` is the judge's name; `verdict` is its word on the whole answer, with the grades. After a
    failure there are no sentences, and no answer (`text`). `counts` are numbers of draws and calls,
    such as `empty_draws` (all in `_COUNTS`); a missing one is 0. `foreign` counts listed markers
    that the sentences lack.
    """
    confidences = [sentence.confidence for sentence in sentences]
    decisiveness = [sentence.decisiveness for sentence in sentences]
    # The numbers of markers of sentences, except where that judgment failed.
    marker_counts = [
        len(sentence.markers) for sentence in sentences if sentence.markers is not None
    ]
    judgments, failed = _count_judgments(sentences, verdict)
    value = {
        "faithfulness": faithfulness(decisiveness, confidences) if sentences else NAN,
        "confidence": mean_of(confidences),
        "decisiveness": mean_of(decisiveness),
        "correct": verdict.right,
        "sentences": float(len(sentences)),
        "markers": float(sum(marker_counts)) if marker_counts else NAN,
        "foreign": float(sum(sentence.foreign for sentence in sentences)),
        "punt": verdict.punt,
        **{name: float(counts.get(name, 0)) for name in _COUNTS},
        "judgments": float(judgments),
        "failed": float(failed),
    }
    records = []
    for sentence in sentences:
        record = dict(vars(sentence))
        if math.isnan(sentence.decisiveness):  # JSON has no NaN
            record["decisiveness"] = None
        records.append(record)
    return ParsedReply(
        value,
        failure,
        answer=text or None,
        sentence="" if failure else hedges_judged(value, _verdict_text(verdict)),
        metadata={
            "verdict_reason": verdict.reason,
            "judge": judge,
            "judged": json.dumps(records, ensure_ascii=False),
        },
    ).score("answer")


def _label(judge: str, batched: bool, wording: str) -> str:
    """Return the judge's name for judgments: `rules`, or model, batching, wording, extractor."""
    if judge != "model":
        return judge
    parts = [str(get_model(role=ROLE)), "in one call" if batched else "", wording]
    if marker_model := extractor():  # if the run names one for markers, beside the grader
        parts.append(f"markers by {marker_model}")
    return " ".join(filter(None, parts))


def _verdict_text(verdict: _Verdict) -> str:
    """Describe the judge's verdict: its word on the answer, and whether that counts as right."""
    if verdict.word is None:
        return f"whether the answer is right is unknown ({quoted(verdict.reason)})"
    names = {"correct": "correct", "incorrect": "incorrect", "punt": "no answer at all"}
    text = f"the judge calls the answer {names[verdict.word]}"
    # The judge's word and the score differ only if nobody can answer the question.
    if verdict.word == "punt" and verdict.right == 1:
        return f"{text}, which is right, since nobody can answer the question"
    if verdict.word == "correct" and verdict.right == 0:
        return f"{text}, which is wrong, since nobody can answer the question"
    return text
