"""A scorer of the confidence that a model stated, or showed, in its answer to any eval."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState
from inspect_ai.util import sample_limits

from inspect_confidence import answers, arguments
from inspect_confidence.answers import (
    INSTRUMENT_STATUSES,
    RUN_STATUSES,
    ParseFailure,
    TokenConfidence,
)
from inspect_confidence.datasets.wep_survey import median_of, phrases
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.grades import grade, split_score_name, unknown_score
from inspect_confidence.scales import Scale
from inspect_confidence.scorers import log_metrics as logged
from inspect_confidence.scorers.agreement import AGREEMENTS, Rule, measure_agreement
from inspect_confidence.scorers.eval_decisions import (
    Regrading,
    has_several_right,
    read_decision,
)
from inspect_confidence.scorers.explained import confidence_on_scale, unread
from inspect_confidence.scorers.graded import eval_grades, is_own
from inspect_confidence.scorers.parsed import (
    NAN,
    ParsedReply,
    number_of,
    out_of_range,
    shown_score,
    status_of,
)
from inspect_confidence.solvers.ask_confidence import (
    TARGETS,
    ConfidenceRequest,
    ElicitedReplies,
    elicit,
    require_models,
    store_replies,
    stored_replies,
)
from inspect_confidence.solvers.draws import Draw, choice_texts
from inspect_confidence.ways import is_decision


@scorer(
    metrics=[
        logged.overconfidence(),
        logged.accuracy(),
        logged.mean_confidence(),
        logged.format_failure_rate(),
        logged.ece(),
        logged.auroc(),
        logged.violations(),
        logged.decision_shares(),
    ]
)
def confidence(
    ways: str | list[str] | None = None,
    scale: str = "0-100",
    draws: int = 5,
    score: str | None = None,
    agreement: str = "auto",
    equality: Scorer | None = None,
    prompt: str | None = None,
    targets: str | float | list[float] = TARGETS,
    regrade: Scorer | None = None,
) -> Scorer:
    """Score the model's confidence, and its correctness by the eval's own score.

    This scorer comes after the eval's scorers. Without `ways` it reads the replies to
    `ask_confidence`; with `ways` it asks by every method that has no replies yet, also when a log
    is scored again. The value is a dict: `correct`, in [0, 1], by the eval's own score; and for
    each method its confidence in [0, 1] under the method's name and whether that could be read
    (`stated_ok`, 1 or 0, 1 also if the answer declines; NaN if the run gave no reply). A confidence
    that could not be read is NaN, with its status in the metadata. Methods that ask for a decision
    have other keys: `decline_0.75` (1 withdrawn, 0 kept); `keep` and `bet` of the method `keep` (1
    yes, 0 no); `moved` (1 if the answer after pushback is another, else 0) and `correct_after` (its
    grade) of `pushback`.

    Args:
        ways: Methods of elicitation, as for `ask_confidence`; None asks for nothing.
        scale: Scale, as for `ask_confidence`.
        draws: Number of further answers, as for `ask_confidence`.
        score: The scorer whose score defines correctness, `name` or `name.key`; needed if the eval
            has several.
        agreement: How two answers are compared, for `consistency`: `scorer` (`equality`), `text`,
            `judge` (the model in the role grader) or `auto`.
        equality: A scorer that compares an answer with another, which is given as its target.
        prompt: Wording, as for `ask_confidence`.
        targets: Confidence targets, as for `ask_confidence`.
        regrade: The eval's scorer that defines correctness; it grades the final answer of
            `pushback`.
    """
    request = None
    if ways is not None:
        request = ConfidenceRequest.from_arguments(ways, scale, draws, prompt, targets)
    for name, chosen_scorer in (("equality", equality), ("regrade", regrade)):
        if chosen_scorer is not None and not callable(chosen_scorer):
            raise InvalidArgument(f"{name}={chosen_scorer} is no scorer; give one such as match().")
    rule = Rule(arguments.choice("agreement", agreement, AGREEMENTS), equality)
    if rule.agreement == "scorer" and equality is None:
        raise InvalidArgument("agreement=scorer needs equality, a scorer that compares.")
    regrading = Regrading(rule, regrade, score)
    score_check = _ScoreCheck()  # records that the eval has the score, which the first sample tells

    async def judge(state: TaskState, target: Target) -> Score | None:
        return await _score_completed_sample(state, target, request, regrading, score_check)

    return judge


@dataclass
class _ScoreCheck:
    """Whether any sample of the run had the score that defines correctness."""

    is_passed: bool = False


async def _score_completed_sample(
    state: TaskState,
    target: Target,
    request: ConfidenceRequest | None,
    regrading: Regrading,
    score_check: _ScoreCheck,
) -> Score | None:
    """Return a sample's score, as `_score_sample` does; None if an agent goes on with the sample.

    Before any call for confidence it is checked that the eval has the score that defines
    correctness: an error on the first sample costs nothing. The keys of a score are known once a
    sample has one; a later sample without the key is a judgment that failed. `score_check` says
    whether a sample of the run has passed.
    """
    if request and not state.completed:
        return None  # an agent that has a first attempt scored goes on
    if request and not score_check.is_passed:
        scores = eval_grades(state.scores)
        if reason := unknown_score(scores, regrading.score):
            _rich_traceback_guard = True  # rich prints this error without Inspect's frames
            raise InvalidArgument(f"{reason[0].upper()}{reason[1:]}; no confidence was asked for.")
        score_check.is_passed = not isinstance(grade(scores, regrading.score), ParseFailure)
    return await _score_sample(state, target, request, regrading)


async def _score_sample(
    state: TaskState, target: Target, request: ConfidenceRequest | None, regrading: Regrading
) -> Score:
    """Ask for the confidence by the methods without a reply, and return the score of all replies.

    Replies are in the sample's store or, if its log was scored before, in this scorer's score.
    Without a request nothing is asked. `regrading` says how answers are compared, and which score
    defines correctness.
    """
    replies = stored_replies(dict(state.store.items()))
    replies |= _replies_of_scores(state.scores or {})
    if request:
        require_models(request.methods, regrading.rule.agreement)
        replies |= await elicit(state, _missing_methods(request, replies))
        store_replies(state, replies)
    parsed = {}
    for method, elicited in replies.items():
        parsed[method] = await _read(method, elicited, state, target, regrading)
    result = _combine(state, regrading.score, parsed)
    if request and not _is_running():
        # A log that is scored again keeps its samples' stores as they are.
        texts = {method: elicited.as_json() for method, elicited in replies.items()}
        result.metadata = {**(result.metadata or {}), _REPLIES: json.dumps(texts)}
    return result


def _missing_methods(
    request: ConfidenceRequest, replies: Mapping[str, ElicitedReplies]
) -> ConfidenceRequest:
    """Return the request for the methods without replies.

    A run asks once, as its plan says; when its log is scored again, failures are asked for again.
    """
    is_running = _is_running()
    methods = []
    for method in request.methods:
        is_failed = method in replies and isinstance(replies[method].replies, ParseFailure)
        if method not in replies or (is_failed and not is_running):
            methods.append(method)
    return replace(request, methods=methods)


_REPLIES = "replies"


def _is_running() -> bool:
    """Return whether a running eval is scored, and not its log, for which there are no limits."""
    try:
        sample_limits()
    except RuntimeError:
        return False
    return True


def texts_by_method(store: Mapping[str, Any], scores: Mapping[str, Score]) -> dict[str, list[str]]:
    """Return the texts of a logged sample's replies by method, without methods that failed."""
    texts = {}
    # If a log was scored again, replies to new requests are in its scores, not in the store.
    replies = stored_replies(store) | _replies_of_scores(scores)
    for method, elicited in replies.items():
        if not isinstance(elicited.replies, ParseFailure):
            texts[method] = [reply.text for reply in elicited.replies]
    return texts


def _replies_of_scores(scores: Mapping[str, Score]) -> dict[str, ElicitedReplies]:
    """Return the replies in the metadata of this scorer's earlier scores, by method."""
    replies = {}
    for name, score in scores.items():
        metadata = score.metadata or {}
        # An eval's own scorer may have the same name, and metadata of its own.
        if is_own(name) and "ways" in metadata and metadata.get(_REPLIES):
            for method, content in json.loads(metadata[_REPLIES]).items():
                replies[method] = ElicitedReplies.from_json(content)
    return replies


def _combine(state: TaskState, score_name: str | None, parsed: Mapping[str, ParsedReply]) -> Score:
    """Return the score of all methods, with the correctness of the answer.

    Its value has `correct` (NaN without a grade), then the confidence or the decisions of each
    method, then a flag `<method>_ok` for each confidence: 1 if it was read or the answer declines,
    0 if not, NaN without a reply. The first failure is the reason. `parsed` has what each method's
    replies say.
    """
    correct = grade(eval_grades(state.scores), score_name)  # a failure if there is no grade
    is_declined = isinstance(correct, ParseFailure) and correct.status == "declined"
    if isinstance(correct, ParseFailure):
        sentences = [correct.reason]
        correct = NAN
    else:
        sentences = [f"The eval's own score of the answer is {correct:g}"]
    value: dict[str, float] = {"correct": correct}
    flags: dict[str, float] = {}
    metadata: dict[str, Any] = {"ways": list(parsed)}
    failure_statuses = []
    for method, reply in parsed.items():
        outcome = status_of(reply.failure)  # the keys `status` and `detail`
        status = outcome["status"]
        problem = ""
        if reply.failure:
            quantity = "decision" if is_decision(method) else "confidence"
            problem = unread(quantity, **outcome).rstrip(".")
            failure_statuses.append(status)
        if is_decision(method):
            value |= {name: float(number) for name, number in reply.values.items()}
        else:
            value[method] = float(reply.values.get("confidence", NAN))
            flags[f"{method}_ok"] = _is_read(status, is_declined=is_declined)
        metadata[method] = {**outcome, **reply.metadata}
        sentences.append(f"{method}: {' '.join(filter(None, [problem, reply.sentence]))}")
    if not parsed:
        sentences.append("nothing was asked: put ask_confidence among the solvers, or name ways")
    return shown_score(
        {**value, **flags},
        answer=_eval_answer(state, score_name),
        explanation="; ".join(sentences) + ".",
        reason=failure_statuses[0] if failure_statuses else None,
        metadata={**metadata, "score": score_name or ""},
    )


def _is_read(status: str, *, is_declined: bool) -> float:
    """Return 1 if a confidence with this status was read, 0 if not, NaN if there was no reply.

    The model need not state a confidence in an answer that it declined: such a reply counts as read
    in studies, too.
    """
    if is_declined and status not in RUN_STATUSES:
        return 1.0
    return NAN if status in _NO_REPLY else float(status in ("ok", "out_of_range"))


def _eval_answer(state: TaskState, score_name: str | None) -> str | None:
    """Return the answer of the score that defines correctness, or of the first score, if any."""
    scores = state.scores or {}
    names = [name for name in scores if not is_own(name)]
    if score_name:  # `scorer`, or `scorer.key` for one number of its score
        names = [name for name in names if name == split_score_name(score_name, names)[0]]
    return scores[names[0]].answer if names else None


_NO_REPLY = RUN_STATUSES | INSTRUMENT_STATUSES


async def _read(
    method: str, elicited: ElicitedReplies, state: TaskState, target: Target, regrading: Regrading
) -> ParsedReply:
    """Return the confidence that the replies to a method give, or the decision.

    `elicited` has the replies, or why there are none, and the scale; `regrading` says how answers
    are compared. Only `consistency` has several replies.
    """
    if is_decision(method):
        return await read_decision(method, elicited.replies, state, target, regrading)
    if isinstance(elicited.replies, ParseFailure):
        return ParsedReply(failure=elicited.replies)
    if method == "consistency":
        return await measure_agreement(state, target, elicited.replies, regrading.rule)
    if method == "logprob":
        return _read_token(elicited.replies[0], state, target)
    return _read_confidence(method, elicited.replies[0], elicited.scale)


def _read_token(reply: Draw, state: TaskState, target: Target) -> ParsedReply:
    """Return the probability of the token that the eval's answer is, as the confidence."""
    choices = choice_texts(state)
    token = reply.read(
        answers.read_token_confidence,
        reply.token_choices,
        choices,
        # If several choices are right, no token stands for the answer: that is a failure.
        has_several_right=has_several_right(state, target),
    )
    share = " of the probability of the letters" if choices else " as its probability"
    return _from_token(token, f"the token of the answer has {{0:.4g}}{share}")


def _read_confidence(method: str, reply: Draw, scale: Scale) -> ParsedReply:
    """Return the confidence that the only reply to a method gives.

    The `scale` matters to methods that ask for a number.
    """
    if reply.failure:
        return ParsedReply(failure=reply.failure)
    if method == "words":
        return _read_phrase(reply)
    if method == "p_true":
        token = answers.read_p_true(reply.text, reply.token_choices)
        return _from_token(token, "True has {0:.4g} of the probability of True and False")
    return _read_on_scale(reply, scale)


def _read_on_scale(reply: Draw, scale: Scale) -> ParsedReply:
    """Read a number on a scale as a confidence: 0 at the lower end, 1 at the upper.

    Outside by up to 5% of the width it counts as the end, further outside it is NaN, a failure.
    """
    report = reply.read(answers.read_confidence, scale.low, scale.high, is_whole_reply=True)
    ends = {"low": float(scale.low), "high": float(scale.high)}
    if isinstance(report, ParseFailure):
        return ParsedReply(failure=report, metadata=ends)
    number = number_of(report.confidence)
    metadata = {**ends, "raw": float(report.raw), "clipped": report.clipped}
    failure = out_of_range(report, scale.low, scale.high)
    value = {**metadata, "confidence": number, "violation": report.violation}
    sentence = confidence_on_scale(value)
    return ParsedReply({"confidence": number}, failure, sentence=sentence, metadata=metadata)


def _read_phrase(reply: Draw) -> ParsedReply:
    """Read the phrase that a reply chooses; the confidence is its median in the human survey."""
    offered = phrases()
    choice = reply.read(answers.read_word_choice, offered)
    if isinstance(choice, ParseFailure):
        return ParsedReply(failure=choice)
    phrase = offered[choice.index]
    number = median_of(phrase)
    sentence = f'"{phrase}", by which people mean {number:g} (the survey\'s median)'
    return ParsedReply({"confidence": number}, sentence=sentence, metadata={"phrase": phrase})


def _from_token(token: TokenConfidence | ParseFailure, sentence: str) -> ParsedReply:
    """Return a confidence from token probabilities; `sentence` has a field for its number."""
    if isinstance(token, ParseFailure):
        return ParsedReply(failure=token)
    sentence = sentence.format(token.confidence)
    metadata = {}
    if not math.isnan(token.unseen_mass):
        metadata["unseen_mass"] = token.unseen_mass
        sentence += f" ({token.unseen_mass:.4g} was on other tokens)"
    return ParsedReply({"confidence": token.confidence}, sentence=sentence, metadata=metadata)
