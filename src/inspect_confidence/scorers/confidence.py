"""Reads how sure a model said, or showed, it is of its answer to any eval."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState
from inspect_ai.util import sample_limits

from inspect_confidence import answers, arguments
from inspect_confidence.answers import (
    INSTRUMENT_STATUSES,
    RUN_STATUSES,
    ParseFailure,
    TokenChoice,
    TokenConfidence,
    reply_failure,
)
from inspect_confidence.datasets.wep_survey import median_of, phrases
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.grades import Numbers, grade, unknown_score
from inspect_confidence.scales import Scale
from inspect_confidence.scorers import log_metrics as logged
from inspect_confidence.scorers.agreement import AGREEMENTS, Rule, Said, agreed
from inspect_confidence.scorers.explained import confidence_on_scale, unread
from inspect_confidence.scorers.graded import eval_scores, is_own
from inspect_confidence.scorers.reading import NAN
from inspect_confidence.solvers.ask_confidence import (
    Asking,
    Kept,
    asked,
    keep,
    kept_in,
    require_models,
)
from inspect_confidence.solvers.draws import Draw


@scorer(
    metrics=[
        logged.overconfidence(),
        logged.accuracy(),
        logged.mean_confidence(),
        logged.format_failure_rate(),
        logged.ece(),
        logged.auroc(),
    ]
)
def confidence(
    ways: str | list[str] | None = None,
    scale: str = "0-100",
    draws: int = 5,
    score: str | None = None,
    agreement: str = "auto",
    equality: Scorer | None = None,
) -> Scorer:
    """Score how sure the model is beside how right it is by the eval's own score.

    It stands after the eval's scorers. Without `ways` it reads what `ask_confidence` asked; with
    them it asks for what isn't known yet, also when a log is scored again. The value is a dict:
    `correct`, in [0, 1], by the eval's own score, and for each way its confidence in [0, 1] under
    the way's name and whether it could be read (`stated_ok`, 1 or 0; NaN where the run gave no
    reply). What could not be read is NaN, its status in the metadata.

    Args:
        ways: As `ask_confidence` takes them; None asks for nothing.
        scale: Likewise.
        draws: Likewise.
        score: The scorer whose score says what is right, `name` or `name.key`; needed where the
            eval has several.
        agreement: What says that two answers are the same, for `consistency`: `scorer`
            (`equality`), `text`, `judge` (the model in the role grader) or `auto`.
        equality: A scorer that is given one answer as the target for another.
    """
    asking = None if ways is None else Asking.of(ways, scale, draws)
    same_by = arguments.choice("agreement", agreement, AGREEMENTS)
    if same_by == "scorer" and equality is None:
        raise InvalidArgument("agreement=scorer needs equality, a scorer that compares.")

    is_known = False

    async def judge(state: TaskState, target: Target) -> Score | None:
        nonlocal is_known
        if asking and not state.completed:
            return None  # an agent that has a first attempt scored goes on
        if asking and not is_known:
            # Which keys a score has is known once a sample has it, and its confidence is not paid
            # for yet. A later sample without the key is a judgment that failed.
            scores = eval_scores(state.scores)
            _require_score(scores, score)
            is_known = not isinstance(grade(scores, score), ParseFailure)
        known = kept_in(dict(state.store.items())) | _kept_by(state.scores or {})
        if asking:
            require_models(asking.ways, same_by)
            # A run asks once, as its plan says; what failed in it is asked for again of its log.
            failures = () if _is_running() else (ParseFailure,)
            lacking = [
                way
                for way in asking.ways
                if way not in known or isinstance(known[way].replies, failures)
            ]
            known |= await asked(state, replace(asking, ways=lacking))
            keep(state, known)
        rule = Rule(same_by, equality)
        read = {way: await _read(way, one, state, target, rule) for way, one in known.items()}
        made = _scored(state, score, read)
        if asking and not _is_running():
            # A log that is scored again keeps its samples' stores as they are.
            made.metadata = {
                **(made.metadata or {}),
                _REPLIES: json.dumps({way: one.as_json() for way, one in known.items()}),
            }
        return made

    return judge


def _require_score(scores: Mapping[str, Numbers], name: str | None) -> None:
    """Refuse a run in which no score is the one that says what is right."""
    if reason := unknown_score(scores, name):
        raise InvalidArgument(f"{reason[0].upper()}{reason[1:]}; no confidence was asked for.")


_REPLIES = "replies"


def _is_running() -> bool:
    """Whether the eval itself is scored, and no log of it."""
    try:
        sample_limits()
    except RuntimeError:
        return False
    return True


def texts_of_ways(store: Mapping[str, Any], scores: Mapping[str, Score]) -> dict[str, list[str]]:
    """The replies that a logged sample holds, by the way of asking."""
    return {
        way: [one.text for one in kept.replies]
        for way, kept in (kept_in(store) | _kept_by(scores)).items()
        if not isinstance(kept.replies, ParseFailure)
    }


def _kept_by(scores: Mapping[str, Score]) -> dict[str, Kept]:
    """What an earlier score in a log keeps of asking."""
    earlier = [one.metadata or {} for name, one in scores.items() if is_own(name)]
    # An eval's own scorer may have our name, and facts of its own.
    texts = [facts[_REPLIES] for facts in earlier if "ways" in facts and facts.get(_REPLIES)]
    return {way: Kept.of_json(one) for text in texts for way, one in json.loads(text).items()}


def _scored(state: TaskState, named: str | None, read: Mapping[str, Said]) -> Score:
    """The score of all ways, beside how right the answer is."""
    right = grade(eval_scores(state.scores), named)
    correct = NAN if isinstance(right, ParseFailure) else right
    value: dict[str, float] = {"correct": correct}
    facts: dict[str, Any] = {"ways": list(read)}
    lines = [
        right.reason if isinstance(right, ParseFailure) else f"By the eval's score {correct:g}"
    ]
    for way, said in read.items():
        status, detail = (said.failure.status, said.failure.reason) if said.failure else ("ok", "")
        value[way] = said.confidence
        value[f"{way}_ok"] = NAN if status in _NO_REPLY else float(status in ("ok", "out_of_range"))
        facts[way] = {"status": status, "detail": detail, **said.kept}
        why = unread("confidence", status, detail).rstrip(".")
        parts = [why if said.failure else "", said.sentence]
        lines.append(f"{way}: {' '.join(filter(None, parts))}")
    if not read:
        lines.append("nothing was asked: put ask_confidence among the solvers, or name ways")
    own = [name for name in state.scores or {} if not is_own(name)]
    chosen = named.partition(".")[0] if named else own[0] if own else ""
    answer = (state.scores or {})[chosen].answer if chosen in own else None
    failed = [said.failure.status for said in read.values() if said.failure]
    return Score(
        value=cast(Any, value),
        answer=answer,
        explanation="; ".join(lines) + ".",
        reason=cast(Any, failed[0]) if failed else None,
        metadata={**facts, "score": named or ""},
    )


_NO_REPLY = RUN_STATUSES | INSTRUMENT_STATUSES


async def _read(way: str, kept: Kept, state: TaskState, target: Target, rule: Rule) -> Said:
    """What a way's replies give."""
    if isinstance(kept.replies, ParseFailure):
        return Said(failure=kept.replies)
    if way == "consistency":
        return await agreed(state, target, kept.replies, rule)
    reply = kept.replies[0]
    if failure := reply_failure(reply.text, reply.stop):
        return Said(failure=failure)
    if way == "logprob":
        return _token(reply, [choice.value for choice in state.choices])
    return {"words": _phrase, "p_true": _p_true}.get(way, _on_scale)(reply, kept.scale)


def _on_scale(reply: Draw, scale: Scale) -> Said:
    read = answers.read_confidence(
        reply.text, scale.low, scale.high, is_whole_reply=True, truncated=reply.stop == "max_tokens"
    )
    ends = {"low": float(scale.low), "high": float(scale.high)}
    if isinstance(read, ParseFailure):
        return Said(failure=read, kept=ends)
    number = NAN if read.confidence is None else read.confidence
    kept = {**ends, "raw": float(read.raw), "clipped": read.clipped}
    outside = f"{read.raw} is not between {scale.low} and {scale.high}"
    shown = {**kept, "confidence": number, "violation": read.violation}
    return Said(
        number,
        ParseFailure("out_of_range", outside) if read.violation else None,
        confidence_on_scale(shown),
        kept,
    )


def _phrase(reply: Draw, scale: Scale) -> Said:
    offered = phrases()
    read = answers.read_word_choice(reply.text, offered, truncated=reply.stop == "max_tokens")
    if isinstance(read, ParseFailure):
        return Said(failure=read)
    phrase = offered[read.index]
    number = median_of(phrase)
    said = f'"{phrase}", by which people mean {number:g} (the survey\'s median)'
    return Said(number, None, said, {"phrase": phrase})


def _p_true(reply: Draw, scale: Scale) -> Said:
    read = answers.read_p_true(reply.text, _tokens(reply))
    return _of_token(read, "True has {0:.4g} of the probability of True and False")


def _token(reply: Draw, choices: Sequence[str]) -> Said:
    cut = reply.stop == "max_tokens"
    read = answers.read_token_confidence(reply.text, _tokens(reply), choices, truncated=cut)
    among = " of the probability of the letters" if choices else " as its probability"
    return _of_token(read, f"the token of the answer has {{0:.4g}}{among}")


def _tokens(reply: Draw) -> list[TokenChoice] | None:
    return None if reply.tokens is None else [TokenChoice(*one) for one in reply.tokens]


def _of_token(read: TokenConfidence | ParseFailure, said: str) -> Said:
    if isinstance(read, ParseFailure):
        return Said(failure=read)
    unseen = {} if math.isnan(read.unseen_mass) else {"unseen_mass": read.unseen_mass}
    others = f" ({read.unseen_mass:.4g} was on other tokens)" if unseen else ""
    return Said(read.confidence, None, said.format(read.confidence) + others, unseen)
