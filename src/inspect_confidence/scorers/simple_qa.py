"""A scorer of short answers with a stated confidence, and with the frequency of the commonest."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai.model import get_model
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from inspect_confidence.answers import ParseFailure, StatedConfidence, read_confidence
from inspect_confidence.answers.clean import comparable
from inspect_confidence.answers.decline import DECLINED, StatedWords, read_answer
from inspect_confidence.judges.judgment import Judge
from inspect_confidence.judges.model import ROLE
from inspect_confidence.judges.short_answers import OURS, answer_judge, grader_wording
from inspect_confidence.scorers import log_metrics as logged
from inspect_confidence.scorers.decisions import AttemptedAnswer, grade_answer
from inspect_confidence.scorers.explained import confidence_on_scale
from inspect_confidence.scorers.parsed import NAN, NOT_ASKED, ParsedReply, scale_values, status_of
from inspect_confidence.solvers.decisions import HIGH, LOW
from inspect_confidence.solvers.draws import Draw, stored_draws


@dataclass(frozen=True)
class CommonestAnswer:
    """The commonest answer of several draws, and the share of the draws that give it.

    Attributes:
        answer: The answer, or why there is none; `declined` if most draws decline.
        share: Its share of the draws that could be read; NaN if there are none.
        draws: Number of draws that could be read.
    """

    answer: StatedWords | ParseFailure
    share: float
    draws: int

    @classmethod
    def from_answers(cls, answers: Sequence[StatedWords | ParseFailure]) -> "CommonestAnswer":
        """Return the commonest answer; of equally common ones the one that comes first.

        Texts are equal if they differ only in case and marks. Declining is an answer, other
        failures don't count. Without any answer the first failure stands for it, with a NaN share.

        Example:
            >>> lyon, paris = StatedWords("Lyon"), StatedWords("Paris")
            >>> CommonestAnswer.from_answers([paris, lyon, StatedWords("lyon.")])
            CommonestAnswer(answer=StatedWords(text='Lyon'), share=0.666..., draws=3)
        """
        groups: dict[str, list[StatedWords | ParseFailure]] = {}
        for answer in answers:
            if isinstance(answer, StatedWords) or answer.status == "declined":
                groups.setdefault(_equality_key(answer), []).append(answer)
        if not groups:
            return cls(next(iter(answers), NOT_ASKED), NAN, 0)
        draws = sum(map(len, groups.values()))
        commonest = max(groups.values(), key=len)
        return cls(commonest[0], len(commonest) / draws, draws)


@scorer(
    metrics=[
        logged.overconfidence(),
        logged.accuracy(),
        logged.attempted_share(),
        logged.ece(),
        logged.auroc(),
        logged.mean_frequency(),
        logged.violation_rate(),
        logged.format_failure_rate(),
    ]
)
def simple_qa_score(
    judge: str = "model", judge_prompts: str = OURS, verified: bool = False
) -> Scorer:
    """Grade a short answer as correct, incorrect or not attempted, with its confidence.

    The value is a dict of numbers: `correct` (1 or 0; NaN if not attempted), `declined` (1 if not
    attempted, NaN if not graded), `raw` (confidence as stated), `low` and `high` (ends of its
    scale, 0 and 100) and `confidence` (in [0, 1]); with further draws `frequency` (share of the
    commonest answer), `frequency_correct` and `draws` (draws that could be read); and `format_ok`.
    The metadata has the commonest answer with its status, and the judge.

    Args:
        judge: `model` (the one in the role `grader`) or `rules`.
        judge_prompts: `ours`, or `inspect_evals` for SimpleQA's grader.
        verified: Whether that is the grader of SimpleQA Verified.
    """
    wording = grader_wording(judge_prompts, is_verified=verified)
    instrument = answer_judge(judge, wording, "simple_qa_score")

    async def score(state: TaskState, target: Target) -> Score:
        """Return the score of a sample; its metadata name the judge, and its wording if set."""
        label = f"{get_model(role=ROLE)} {wording.name}".strip() if judge == "model" else judge
        return await _score_draws(state, target, instrument, label)

    return score


async def _score_draws(state: TaskState, target: Target, judge: Judge, judge_label: str) -> Score:
    """Return the score of a sample's first reply and, if there are more, of their commonest answer.

    The judge grades both answers; `judge_label` is its name in the metadata. Without replies the
    score is a failure.
    """
    draws = stored_draws(state)
    metadata = {"judge": judge_label}
    if not draws:
        return ParsedReply(_value(NOT_ASKED), NOT_ASKED, metadata=metadata).score("answer")
    parsed = _read_words(draws[0])
    main = await grade_answer(parsed, state, target, judge)
    # The confidence in an answer that was declined, not read or not graded is not read either.
    report = main.failure or _read_confidence(draws[0])
    value = _value(report, main)
    # The share of the further replies that give the commonest answer measures confidence, too.
    if len(draws) > 1:
        commonest = CommonestAnswer.from_answers(list(map(_read_words, draws[1:])))
        graded = main  # equal answers are graded once
        if _equality_key(commonest.answer) != _equality_key(parsed):
            graded = await grade_answer(commonest.answer, state, target, judge)
        value |= {
            "frequency": commonest.share,
            "frequency_correct": graded.correct,
            "draws": float(commonest.draws),
        }
        metadata |= {"frequency_answer": graded.text, **status_of(graded.failure, "frequency_")}
    failure = main.failure
    sentence = main.sentence
    if not failure and isinstance(report, ParseFailure):
        failure = report
    elif not failure:
        sentence += f"; {confidence_on_scale(value)}"
        if value["violation"]:
            failure = ParseFailure("out_of_range", f"{value['raw']:g} is not on the scale")
    sentence = f"{sentence}." if sentence else ""
    reply = ParsedReply(value, failure, main.text or None, sentence, metadata)
    return reply.score("answer with its confidence")


def _value(
    report: StatedConfidence | ParseFailure, main: AttemptedAnswer | None = None
) -> dict[str, float]:
    """Return the score's numbers of the first reply: its grade, its confidence and their scale.

    Without a reply `main`, the graded answer, is None and all numbers but the scale's ends are NaN.
    If `format_ok` is not set here, `ParsedReply` derives it from the failure.
    """
    value = {
        "correct": main.correct if main else NAN,
        "declined": main.is_declined if main else NAN,
        **scale_values(report, LOW, HIGH),
    }
    if isinstance(report, StatedConfidence):
        value["format_ok"] = 1.0  # it was read, also if it is out of range
    elif main and main.failure:  # the judge may have failed though the reply was read
        value["format_ok"] = main.is_read
    return value


def _read_words(draw: Draw) -> Any:
    return draw.read(read_answer, "words")


def _read_confidence(draw: Draw) -> StatedConfidence | ParseFailure:
    """Read the confidence of a reply; decimals count only if the reply names it `confidence`."""
    # Decimals are read only as in replies that hold nothing but a confidence (`is_whole_reply`):
    # in other replies they may belong to the answer.
    is_named = "confidence" in draw.text.lower()
    return draw.read(read_confidence, LOW, HIGH, is_whole_reply=is_named)


def _equality_key(answer: StatedWords | ParseFailure) -> str:
    """Return a text that is equal for answers of one grade: by words, declining, or the failure."""
    if isinstance(answer, StatedWords):
        return f"answer {comparable(answer.text)}"
    return DECLINED.status if answer.status == "declined" else answer.reason
