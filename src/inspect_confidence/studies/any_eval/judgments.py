"""Reading the judgments of any eval's samples, and completing them."""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, filterfalse
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence import answers
from inspect_confidence.answers import REPLY_STATUSES, RUN_STATUSES, ParseFailure, TokenChoice
from inspect_confidence.answers.clean import LONGEST_COMPARED, comparable
from inspect_confidence.grades import (
    NO_SHARE,
    base_name,
    chosen_score,
    grade,
    is_confidence_name,
    is_missing,
    read_number,
    split_score_name,
)
from inspect_confidence.printing import counted
from inspect_confidence.results import Condition
from inspect_confidence.scales import (
    low_values,
    other_scale,
    values_far_outside,
    values_just_outside,
    verdict_remark,
)
from inspect_confidence.studies import stated
from inspect_confidence.studies.any_eval.decisions import TASKS as DECISION_TASKS
from inspect_confidence.studies.any_eval.decisions import complete_decisions, decisions
from inspect_confidence.studies.any_eval.known_evals import KnownField, known_field
from inspect_confidence.studies.study import CompletedRun, JudgmentRows, SampleFacts, ScoreFacts
from inspect_confidence.ways import is_decision

SCORER = "confidence"
NO_SCALE = "none"
"""Value of `scale` if only the order of scores counts."""
EPOCHS, NONE, OUTCOME = "epochs", "none", "outcome"
"""Values of `method` if confidence comes from several epochs, if there is none, and if it comes
from another log than the grade.
"""

DEFAULT_ARGUMENTS: Mapping[str, object] = {"draws": 5, "agreement": "auto"}
"""Arguments of `with_confidence` whose default values are no setting of a run."""

_ASK_LATER = (
    "ask for it now: inspect score LOG --action append --scorer inspect_confidence/confidence "
    "-S ways=stated"
)
_NOT_FOUND = (
    "no confidence: wrap the eval in with_confidence, name the field that holds it with "
    f"--confidence-from, or {_ASK_LATER}"
)
_NOT_ASKED = (
    "no confidence was asked for: put ask_confidence after the solver that answers, or "
    f"{_ASK_LATER}"
)
_EMPTY_FIELD = "the log holds nothing in {}"
_SCALE_UNKNOWN = "some lie outside 0 to 1: say the scale with --confidence-scale"
_STATED_CONFIDENCE = re.compile(r"confiden\w*\W{0,20}\d|\d\W{0,20}(?:\w+\W+)?confiden", re.I)
"""Text that states a confidence, such as `Confidence: 80` or `80% confident`; known scorers impute
one if a reply has no such text.
"""
_PERCENTAGE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*%\s*")
"""A percentage alone, such as ` 87.5 %`."""


def read_sample(sample: SampleFacts) -> JudgmentRows:
    """Read the judgments of a sample: one for each method or recorded field, and decisions.

    A run of several epochs adds a judgment of the method `epochs`, whose confidence follows later
    from the answers of all epochs. A sample without confidence and decisions has one failed
    judgment. With `--outcome` one log has the grades, and its one judgment has no confidence
    (`only_grades`); judgments of the other log have NaN as their grade.
    """
    own_score = _own_score(sample)
    eval_scores = {name: score for name, score in sample.scores.items() if score is not own_score}
    metadata = dict(own_score.metadata) if own_score else {}
    # By method of asking: its details in `metadata`, its confidence or decision in `values`.
    values = own_score.value if own_score and isinstance(own_score.value, Mapping) else {}
    # The grade, by the score that the user or else the run names: a number, or why there is none.
    score_name = sample.recorded.score or str(metadata.get("score") or "") or None
    grader, correct = _grade(eval_scores, score_name)
    row = _answer_columns(sample, grader, eval_scores)
    row["correct"] = math.nan if isinstance(correct, ParseFailure) else correct
    if sample.recorded.only_grades:
        return [_set_outcome({**row, "method": OUTCOME, **_status_columns()}, sample, correct)]
    if sample.recorded.outcome:
        correct = math.nan  # graded in another log
        row["correct"] = correct
    grading_failure = correct if isinstance(correct, ParseFailure) else None
    decision_rows = []
    for decision in decisions(row, grading_failure, metadata, values):
        status_columns = sample.status_columns(decision["status"], decision["reason"])
        decision_rows.append({**decision, **status_columns})
    judgments = [
        *_elicited_judgments(metadata, values),
        *_recorded_judgments(sample, grader, eval_scores),
    ]
    if sample.epochs > 1 and not sample.recorded.outcome:
        judgments.append({"method": EPOCHS, **_status_columns()})
    if not judgments and not decision_rows:
        failure = ParseFailure("scoring_failed", _NOT_ASKED if own_score else _NOT_FOUND)
        judgments = [{"method": NONE, **_status_columns(failure)}]
    rows = [_set_outcome({**row, **judgment}, sample, correct) for judgment in judgments]
    return [*rows, *decision_rows]


def _own_score(sample: SampleFacts) -> ScoreFacts | None:
    """Return the score of this package's scorer; None if there is none.

    The eval may have a scorer with the same name, whose scores lack the methods of asking (`ways`).
    """
    score = sample.score(SCORER)
    return score if score and "ways" in score.metadata else None


def _grade(
    eval_scores: Mapping[str, ScoreFacts], score_name: str | None
) -> tuple[str, float | ParseFailure]:
    """Return the name of the scorer that grades the answer, and the grade or why there is none.

    `score_name` is the score that the user or the run names, as `scorer` or `scorer.key`. Without
    it `chosen_score` chooses among the eval's scores, from which scorers of confidence are left
    out; if it can't, the first one's scorer is named, beside the reason why there is no grade. The
    name is empty if no score remains.
    """
    grades = {}
    for name, score in eval_scores.items():
        if not _is_confidence_scorer(name):
            grades[name] = score.grades
    chosen_name = score_name or chosen_score(grades) or next(iter(grades), "")
    return split_score_name(chosen_name, grades)[0], grade(grades, score_name)


def _answer_columns(
    sample: SampleFacts, grader: str, eval_scores: Mapping[str, ScoreFacts]
) -> dict[str, Any]:
    """Return the columns of the question and the answer, without the answer's grade.

    `choices` is their number, NaN without choices. `answer` is what the scorer `grader` read, empty
    if it read none. `by` encodes the values of the fields that the option `--by` names.
    """
    metadata = sample.metadata
    groups = {field: str(metadata[field]) for field in sample.recorded.by if field in metadata}
    return {
        "item": sample.id,
        "split": metadata.get("split"),
        "target": sample.target,
        "choices": float(len(sample.choices)) if sample.choices else math.nan,
        "answer": (eval_scores[grader].answer or "") if grader in eval_scores else "",
        "scorer": grader,
        "by": str(Condition(groups)),
    }


_RULE_SCORERS = frozenset(
    {"answer", "choice", "exact", "f1", "includes", "match", "math", "pattern"}
)
"""Scorers of Inspect that use rules and no model."""


def judges_of(rows: pd.DataFrame) -> "pd.Series[str]":
    """Return the scorer of each answer; NaN if it is one of Inspect's that use rules, no model."""
    rules = []
    for name in rows["scorer"].unique():
        # `base_name` drops the number of a repeated score, but also the digit of `f1`: try both.
        if name in _RULE_SCORERS or base_name(name.rsplit("/", 1)[-1]) in _RULE_SCORERS:
            rules.append(name)
    return rows["scorer"].mask(rows["scorer"].isin(rules))


def _is_confidence_scorer(name: str) -> bool:
    """Return whether a score has the name of this package's scorer."""
    return base_name(name) == SCORER


def _set_outcome(
    row: dict[str, Any], sample: SampleFacts, correct: float | ParseFailure
) -> dict[str, Any]:
    """Return a judgment, with its status replaced if the run failed or the answer has no grade.

    `correct` is the answer's grade, or why it has none. If the run failed on the sample, `ok`
    stays, as the confidence was read before; only the method `epochs`, which needs the whole
    answer, fails too. A missing grade replaces `ok`. A declined answer replaces any status but that
    of a run without a reply, because a model that declines need not state a confidence.
    """
    if sample.failure and (row["status"] != "ok" or row["method"] == EPOCHS):
        # Without a status of its own the judgment gets that of the failed run.
        status = "" if row["method"] == EPOCHS else row["status"]
        return {**row, **sample.status_columns(status, "")}
    if not isinstance(correct, ParseFailure):
        return row
    is_declined = correct.status == "declined" and row["status"] not in RUN_STATUSES
    if is_declined or row["status"] == "ok":
        return {**row, **_status_columns(correct)}
    return row


def _status_columns(failure: ParseFailure | None = None) -> dict[str, str]:
    """Return the columns `status` and `reason` of a failure; of None, those of a readable reply."""
    if failure is None:
        return {"status": "ok", "reason": ""}
    return {"status": failure.status, "reason": failure.reason}


def _elicited_judgments(
    metadata: Mapping[str, Any], values: Mapping[str, float]
) -> Iterator[dict[str, Any]]:
    """Yield the judgments that this package's scorer wrote, one for each method of asking.

    `metadata["ways"]` lists the methods, and `metadata[method]` has the details of each: its
    status, its reason as `detail`, and the rule by which answers were compared as `by`. `values`
    has the confidence by method. Methods that ask for a decision are left out.
    """
    for method in metadata.get("ways", ()):
        if is_decision(method):
            continue
        facts: dict[str, Any] = dict(metadata[method])
        yield {
            "method": method,
            "status": facts.pop("status"),
            "reason": facts.pop("detail"),
            "agreement": facts.pop("by", ""),
            **{name: value for name, value in facts.items() if name in _METHOD_DETAILS},
            "confidence": values[method],
        }


_METHOD_DETAILS = ("raw", "low", "high", "clipped", "phrase", "unseen_mass", "draws")
"""Columns of a method that its part of the score's metadata may hold."""


def _recorded_judgments(
    sample: SampleFacts, grader: str, eval_scores: Mapping[str, ScoreFacts]
) -> Iterator[dict[str, Any]]:
    """Yield a judgment for each field that the user names, or for the only confidence field.

    A field is named as `scorer.value.confidence`, where `score` stands for the scorer `grader`.
    `output.logprobs` is the probability of the answer's token. Several fields without the user's
    choice make one failed judgment that names them. A field in which a known eval writes something
    else, such as a verdict, fails with that objection.
    """
    fields = [*sample.recorded.confidence] or _fields_by_name(sample, grader, eval_scores)
    if not sample.recorded.confidence and len(fields) > 1:
        reason = f"{', '.join(fields)} may hold it: name one with --confidence-from"
        yield {"method": NONE, **_status_columns(ParseFailure("scoring_failed", reason))}
        return
    for name in fields:
        if name == "output.logprobs":
            yield {"method": name, **_read_token(sample)}
            continue
        scorer, _, key = name.partition(".value.")
        scorer = grader if scorer == "score" else scorer
        score = eval_scores.get(scorer)
        eval_field = known_field(scorer, score.value, key) if score else None  # of a known eval
        if eval_field and eval_field.objection:
            objection = f"{name}: {eval_field.objection} ({', '.join(eval_field.evals)})"
            yield {"method": name, _OBJECTION: objection, **_scoring_failed(objection)}
            continue
        value = _field_value(sample, name, grader, eval_scores)
        # A mark for the checks of the whole run, in which `_read_value` may set it to False.
        yield {"method": name, _IS_FIELD: True, **_read_value(value, sample, name, eval_field)}


_IS_FIELD, _IMPUTED, _OBJECTION = "is_field", "is_imputed", "objection"
"""Columns that `complete_run` uses and removes: whether the value is a plain number of a field,
whether the eval imputed it, and why the field is no confidence.
"""


def _fields_by_name(
    sample: SampleFacts, grader: str, eval_scores: Mapping[str, ScoreFacts]
) -> list[str]:
    """Return the fields of the eval's scores that have the name of a confidence.

    If the user names the score that defines correctness (by the scorer `grader`) and it has such
    fields, only these are returned. A field is named as `scorer.metadata.confidence`.
    """
    fields = []
    for scorer, score in eval_scores.items():
        if not _is_confidence_scorer(scorer):  # this package's scorer is not the eval's
            names = [*_confidence_names(score.metadata, "metadata")]
            if isinstance(score.value, Mapping):
                names += _confidence_names(score.value, "value")
            fields += [f"{scorer}.{name}" for name in names]
    grader_fields = [field for field in fields if field.startswith(f"{grader}.")]
    return grader_fields if sample.recorded.score and grader_fields else fields


def _confidence_names(values: Mapping[str, Any], name: str) -> Iterator[str]:
    """Yield the paths of keys that have the name of a confidence, such as `metadata.confidence`.

    Paths begin with `name`. Keys of mappings within `values`, one level down, are included.
    """
    for key, value in values.items():
        if isinstance(value, Mapping):
            for part in value:
                if is_confidence_name(str(part)):
                    yield f"{name}.{key}.{part}"
        elif is_confidence_name(key):
            yield f"{name}.{key}"


def _field_value(
    sample: SampleFacts, name: str, grader: str, eval_scores: Mapping[str, ScoreFacts]
) -> Any:
    """Return the value of a field such as `score.metadata.confidence`; None if there is none.

    The first part of the name is a scorer, `metadata` or `store` (of the sample); `score` and
    `answer` stand for the scorer `grader`. A scorer alone names its value, `answer` its answer.
    """
    if name in sample.requested_fields:  # `output.completion` or a whole `store.NAME`
        return sample.requested_fields[name]
    first, key = split_score_name(name, eval_scores)
    path = key.split(".") if key else []
    if first == "store" and path:
        return _nested_value(sample.requested_fields.get(f"store.{path[0]}"), path[1:])
    if first == "metadata":
        return _nested_value(sample.metadata, path)
    score = eval_scores.get(grader if first in ("score", "answer") else first)
    if score is None:
        return None
    parts = {"value": score.value, "metadata": score.metadata, "answer": score.answer}
    return _nested_value(parts, path or ["answer" if first == "answer" else "value"])


def _nested_value(value: Any, path: list[str]) -> Any:
    """Return the value at a path of keys in nested mappings; None if a key is missing."""
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _read_value(
    value: Any, sample: SampleFacts, name: str, known: KnownField | None
) -> dict[str, Any]:
    """Return the columns of a confidence that a field of the log holds, with its status.

    A value that is no confidence is `scoring_failed`; only a text in the model's own words can be a
    parse failure. "80%" has the scale 0-100; another number has the user's or the known eval's
    scale. Without one `low` and `high` are NaN, and all values of the run decide later whether the
    number is a share.

    `name` is the field's, and `known` describes it if a known eval writes it. The constant that
    such an eval writes is `no_response` if the reply is empty, and is marked as the eval's own
    (`_IMPUTED`) if the reply states no confidence.
    """
    if objection := _value_objection(value, name):
        return _scoring_failed(objection)
    scale = sample.recorded.scale or (known.scale if known else None)
    low, high = map(float, scale or (math.nan, math.nan))
    is_imputed = False
    if known and value == known.imputed:
        scorer = name.partition(".value.")[0]  # the name is such as `grader.value.confidence`
        score = sample.scores.get(scorer)
        if score and score.reason == "no_response":
            return _status_columns(ParseFailure("no_response", "the reply is empty"))
        is_imputed = not _STATED_CONFIDENCE.search(
            str(sample.requested_fields.get("output.completion", ""))
        )
    if isinstance(value, str) and (percent := _PERCENTAGE.fullmatch(value)):
        return {
            _IS_FIELD: False,  # no plain number: its scale is known, not compared with the user's
            "raw": float(percent[1]),
            "low": 0,
            "high": 100,
            **_status_columns(),
        }
    number = read_number(value)
    if math.isnan(number):  # a text such as "about 80"
        return _read_text(str(value), low, high, name)
    return {_IMPUTED: is_imputed, "raw": number, "low": low, "high": high, **_status_columns()}


def _value_objection(value: Any, name: str) -> str:
    """Return why the value of a field is no confidence; empty if it may be one, as a text may."""
    if is_missing(value):
        return _EMPTY_FIELD.format(name)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return f"{name} holds no number"
    if isinstance(value, float) and not math.isfinite(value):
        return f"{name} holds no finite number"
    return ""


def _scoring_failed(reason: str) -> dict[str, str]:
    """Return the columns `status` and `reason` of a value that a scorer should have written."""
    return _status_columns(ParseFailure("scoring_failed", reason))


_REPLY_FIELDS = ("answer", "output.completion")
"""Fields, or their last parts, that hold the model's own words."""


def _read_text(text: str, low: float, high: float, name: str) -> dict[str, Any]:
    """Read a confidence from the text of a field, on a scale of whole numbers.

    It is `scoring_failed` without such a scale, and if the text of a field that is not the model's
    reply can't be read.
    """
    is_reply = name.endswith(_REPLY_FIELDS)
    if math.isnan(low) or not (low.is_integer() and high.is_integer()):
        if is_reply or re.search(r"\d", text):
            remedy = "say its scale of whole numbers with --confidence-scale"
            return _scoring_failed(f"a text with a confidence: {remedy}")
        return _scoring_failed(f"{name} holds words; a confidence in words has no scale")
    parsed = answers.read_confidence(text, int(low), int(high), is_whole_reply=True)
    if isinstance(parsed, ParseFailure):
        return _status_columns(parsed) if is_reply else _scoring_failed(parsed.reason)
    return {"raw": float(parsed.raw), "low": low, "high": high, **_status_columns()}


def _read_token(sample: SampleFacts) -> dict[str, Any]:
    """Read the probability of the answer's token, with its status; only the status of a failure."""
    tokens = sample.requested_fields.get("output.logprobs")
    token_choices = None if tokens is None else [TokenChoice(*token) for token in tokens]
    parsed = answers.read_token_confidence(
        str(sample.requested_fields.get("output.completion", "")),
        token_choices,
        sample.choices,
        has_several_right=sample.has_several_right,
    )
    if isinstance(parsed, ParseFailure):
        return _status_columns(parsed)
    return {"confidence": parsed.confidence, "unseen_mass": parsed.unseen_mass, **_status_columns()}


def complete_run(samples: Sequence[JudgmentRows]) -> CompletedRun:
    """Complete the judgments of a run's samples from each other: confidence, then decisions.

    A sample gets a failed judgment of each method or decision that only other samples have.
    """
    _refuse_other_grades(list(chain.from_iterable(samples)))
    confidence_rows = []
    for rows in samples:
        for row in rows:
            row.setdefault("method", NONE)  # a sample that could not be read has no method
        confidence_rows.append([row for row in rows if row.get("task") not in DECISION_TASKS])
    completed = _complete_confidence(confidence_rows)
    return complete_decisions(samples, completed)


def _refuse_other_grades(rows: JudgmentRows) -> None:
    """Make a run's judgments unusable if its grades are on another scale than 0 to 1.

    They are if more than a tenth lie outside, or if all others are 0: then 1 may be 1% of 100. A
    grade of -1 does not count, since it often marks a missing one.
    """
    beyond = [row for row in rows if row["reason"].endswith(NO_SHARE)]
    outside = [row for row in beyond if not row["reason"].endswith(f", -1, {NO_SHARE}")]
    inside = [row for row in rows if row.get("correct", math.nan) >= 0]  # NaN is none
    n = len(outside) + len(inside)
    if len(outside) > n / 10 or (outside and not any(row["correct"] for row in inside)):
        extent = f"as in {len(outside)} of {counted(n, 'judgment')}"
        reason = f"{outside[0]['reason']}, {extent}; name another by --score"
        for row in chain(outside, filter(lambda row: row["status"] == "ok", inside)):
            row.update(correct=math.nan, **_scoring_failed(reason))


def _complete_confidence(samples: Sequence[JudgmentRows]) -> CompletedRun:
    """Return a run whose judgments of confidence are completed from each other.

    A sample may lack a method that other samples have, because it failed before the request or its
    field is empty: it gets a failed judgment of that method. If the user sets no scale, values are
    shares if all of the method lie in [0, 1]; otherwise they fail. A field that holds no
    confidence, such as a verdict, is left out with a notice. If no judgment can be used, all stay,
    and the commonest reason is the run's problem. The rows in `samples` are changed in place.
    """
    rows_by_method = _rows_by_method(samples)
    notices = list(_imputed_notices(rows_by_method))
    objections: dict[str, str] = {}  # by method: why its field holds no confidence
    for method, method_rows in rows_by_method.items():
        if objection := _field_objection(method, method_rows):
            objections[method] = objection
        else:
            notices += _scale_notices(method, method_rows)
    for row in chain.from_iterable(samples):
        for name in (_IS_FIELD, _IMPUTED, _OBJECTION):  # only this function needs these columns
            row.pop(name, None)
        # Such rows stay only if no judgment of the run can be used.
        if row["method"] in objections:
            row.update(_scoring_failed(objections[row["method"]]))
    completed_samples = [_add_missing_methods(rows, rows_by_method) for rows in samples]
    all_rows = list(chain.from_iterable(completed_samples))
    # The scales are those of the judgments read, not of the failed ones that were added.
    scales = {method: _Scale.from_rows(rows) for method, rows in rows_by_method.items()}
    for row in all_rows:
        if row["method"] in scales:
            row.update(scales[row["method"]].columns_for(row))
    if problem := _run_problem(all_rows):
        return CompletedRun(completed_samples, problem)
    notices += _unusable_method_notices(_rows_by_method(completed_samples))
    remaining_samples = []
    for rows in completed_samples:
        remaining_samples.append([row for row in rows if row["method"] not in objections])
    return CompletedRun(remaining_samples, notices=[*notices, *objections.values()])


def _rows_by_method(samples: Sequence[JudgmentRows]) -> dict[str, JudgmentRows]:
    """Return the judgments by method, without `none` and `epochs`, which state no confidence."""
    by_method: dict[str, JudgmentRows] = {}
    for row in chain.from_iterable(samples):
        if row["method"] not in (NONE, EPOCHS):
            by_method.setdefault(row["method"], []).append(row)
    return by_method


def _add_missing_methods(rows: JudgmentRows, methods: Collection[str]) -> JudgmentRows:
    """Return a sample's judgments, with a failed one for each of the methods that it lacks.

    Its judgment without a method is left out if there are methods.
    """
    present = {row["method"] for row in rows}
    completed = [row for row in rows if row["method"] != NONE or not methods]
    completed += [_failed_method(rows, method) for method in methods if method not in present]
    return completed


def _run_problem(rows: JudgmentRows) -> str:
    """Return why no judgment of a run can be used; empty if some can.

    A judgment of a method can be used if it is `ok` or a reply that could not be read. Such replies
    alone are no result if others are `scoring_failed`. The reason is the most frequent one of
    judgments that are `scoring_failed`, or else of all.
    """
    statuses = {row["status"] for row in rows if row["method"] != NONE}
    is_ungraded = "ok" not in statuses and "scoring_failed" in statuses
    if statuses & {"ok", *REPLY_STATUSES} and not is_ungraded:
        return ""
    if not rows:
        return "no sample was completed"
    reasons = Counter(row["reason"] for row in rows if row["status"] == "scoring_failed")
    reasons = reasons or Counter(row["reason"] for row in rows)
    commonest_reason, _ = reasons.most_common(1)[0]
    return str(commonest_reason)


def _unusable_method_notices(by_method: Mapping[str, JudgmentRows]) -> Iterator[str]:
    """Yield a notice for each method with judgments that are `scoring_failed`.

    It gives the commonest reason, such as that the method's field is empty. `by_method` has at
    least one judgment of each method.
    """
    for method, rows in by_method.items():
        reasons = Counter(row["reason"] for row in rows if row["status"] == "scoring_failed")
        if not reasons:
            continue
        failed = f"{reasons.total()} of {len(rows)} judgments cannot be used"
        extent = failed if reasons.total() < len(rows) else "no judgment can be used"
        (reason, n), *_ = reasons.most_common(1)
        yield f"{method}: {extent}: {reason}{f' (in {n})' if n < reasons.total() else ''}"


def _imputed_notices(by_method: Mapping[str, JudgmentRows]) -> Iterator[str]:
    """Yield a notice for each method with confidences that the eval, not the model, wrote."""
    for method, rows in by_method.items():
        values = [row for row in rows if "raw" in row]  # a number was read
        imputed = [row for row in values if row.get(_IMPUTED)]  # as `_read_value` marks them
        if imputed:
            yield (
                f"{method}: {len(imputed)} of {len(values)} confidences are the eval's own, which "
                f"writes {imputed[0]['raw']:g} where the reply states none; they count as stated"
            )


def _scale_notices(method: str, rows: JudgmentRows) -> Iterator[str]:
    """Yield notices of a field's values outside their scale, or all low on it.

    Values just outside, by at most 5% of the scale's width, and far outside have a notice each.
    """
    on_scale = list(filterfalse(_has_no_scale, _readable_fields(rows)))
    if not on_scale:
        return
    values = np.array([row["raw"] for row in on_scale], float)
    low, high = on_scale[0]["low"], on_scale[0]["high"]
    if remark := values_just_outside(values, low, high):
        yield f"{method} has {remark}"
    if remark := values_far_outside(values, low, high):
        yield f"{method}: {remark}"
    if remark := low_values(values, low, high):
        yield f"{method}: the confidences are all {remark}"


def _readable_fields(rows: JudgmentRows) -> JudgmentRows:
    """Return the judgments that have a number from a field."""
    return [row for row in rows if row.get(_IS_FIELD) and row["status"] == "ok" and "raw" in row]


def _field_objection(method: str, rows: JudgmentRows) -> str:
    """Return why the field that a method is read from is no confidence; empty if it may be one.

    Values may show another scale than the user's, or follow the grades as a verdict does. Without a
    readable value, the objection of the first row that has one is returned, such as that a known
    eval writes a verdict there.
    """
    readable = _readable_fields(rows)
    if not readable:
        objections = [row[_OBJECTION] for row in rows if row.get(_OBJECTION)]
        return objections[0] if objections else ""
    on_scale = list(filterfalse(_has_no_scale, readable))
    if on_scale:
        low, high = on_scale[0]["low"], on_scale[0]["high"]  # all rows have the user's scale
        problem = other_scale(np.array([row["raw"] for row in on_scale]), low, high)
        if problem:
            return f"--confidence-scale {low:g}-{high:g}: {method} has {problem}"
    values = np.array([row["raw"] for row in readable], float)
    correct = np.array([row["correct"] for row in readable], float)
    remark = verdict_remark(values, correct, has_scale=bool(on_scale))
    return f"{method} {remark}" if remark else ""


def _failed_method(judgments: JudgmentRows, method: str) -> dict[str, Any]:
    """Return the failed judgment of a method that a sample with these judgments lacks.

    Its status and reason are those of a sample that failed before any method; otherwise the reason
    is that the method's field is empty. A sample whose only fault is that it has no confidence,
    or was asked for none, did not fail.
    """
    first = judgments[0]
    row = {name: value for name, value in first.items() if name not in _METHOD_COLUMNS}
    row["method"] = method
    has_no_method = first["method"] in (NONE, EPOCHS) and first["status"] != "ok"
    if has_no_method and first["reason"] not in (_NOT_FOUND, _NOT_ASKED):
        return row  # with the status and reason of `first`
    return {**row, **_scoring_failed(_EMPTY_FIELD.format(method))}


_METHOD_COLUMNS = {*_METHOD_DETAILS, "confidence", "agreement"}
"""Columns that belong to the method of a judgment."""


@dataclass(frozen=True)
class _Scale:
    """The scale of a method, as the judgments of a run show it.

    Attributes:
        ends: The scale of all judgments that have one; None without a scale, or with several.
        are_shares: Whether all numbers without a scale lie in [0, 1].
    """

    ends: tuple[float, float] | None
    are_shares: bool

    @classmethod
    def from_rows(cls, rows: JudgmentRows) -> "_Scale":
        """Return the scale that these judgments of one method show; with several scales, none.

        Numbers without a scale are shares if all of them lie in [0, 1].
        """
        ends, are_shares = set(), True
        for row in rows:
            if not _has_no_scale(row):
                ends.add((row["low"], row["high"]))
            elif "raw" in row:
                are_shares = are_shares and 0 <= row["raw"] <= 1
        return cls(ends.pop() if len(ends) == 1 else None, are_shares)

    def columns_for(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return the columns to change in a judgment without a scale, by the scale of its method.

        `row` is the judgment; nothing changes if it has a scale. A failed judgment gets the ends of
        the method's scale, if there is one. A number is the confidence if all of the method's
        numbers without a scale lie in [0, 1]; otherwise it may be a percentage, and the judgment
        becomes `scoring_failed`.
        """
        if not _has_no_scale(row):
            return {}
        if row["status"] != "ok":
            return dict(zip(("low", "high"), self.ends, strict=True)) if self.ends else {}
        if "raw" not in row:
            return {}
        if self.are_shares:
            return {"confidence": row["raw"]}
        return _status_columns(ParseFailure("scoring_failed", _SCALE_UNKNOWN))


def _has_no_scale(row: Mapping[str, Any]) -> bool:
    """Return whether a judgment has no ends of a scale."""
    return math.isnan(row.get("low", math.nan))


def complete_scales(rows: pd.DataFrame) -> pd.DataFrame:
    """Return judgments with the confidence that follows from number and scale, and its status.

    A number without a scale is the confidence if all of its method in the run lie in [0, 1],
    otherwise `scoring_failed`. The column `scale` becomes `none` for scores of which only the order
    counts.
    """
    rows = stated.complete_judgments(_accept_shares(rows))
    return rows.assign(scale=rows["scale"].mask(is_ordinal(rows), NO_SCALE))


def complete_confidence(rows: pd.DataFrame) -> pd.DataFrame:
    """Return judgments with `confidence`, `clipped` and `status` as number and scale say.

    A number without a scale is the confidence if all of its method in the run lie in [0, 1],
    otherwise `scoring_failed`.
    """
    return stated.complete_confidence(_accept_shares(rows))


def is_ordinal(rows: pd.DataFrame) -> "pd.Series[bool]":
    """Return which judgments are scores whose order alone counts."""
    return rows["ordinal"].map(lambda flag: flag is True or flag is np.True_).astype(bool)


def rank_confidence(rows: pd.DataFrame) -> pd.DataFrame:
    """Return judgments with the ranks of their scores as confidence in [0, 1].

    The lowest distinct score becomes 0, the highest 1; a single distinct score becomes 0. Scores
    that are all 0 or 1, which are decisions, are their own confidence. A judgment that is not `ok`
    has NaN.
    """
    scores = rows["raw"].where(rows["status"] == "ok")
    distinct_scores, rank_index = np.unique(scores.dropna(), return_inverse=True)
    if len(distinct_scores) and np.isin(distinct_scores, (0, 1)).all():
        return rows.assign(confidence=scores)
    ranks = scores.copy()
    ranks[scores.notna()] = rank_index / max(len(distinct_scores) - 1, 1)
    return rows.assign(confidence=ranks)


def complete_judgments(rows: pd.DataFrame) -> pd.DataFrame:
    """Return judgments with derived columns, and with one judgment for the epochs of an item.

    A recorded confidence without a scale is a share if all values of its field in the run lie in
    [0, 1]. Otherwise it is `scoring_failed`, because 1 may mean certainty or 1%. The answers of
    several epochs become one judgment with the method `epochs`. Its answer is the most frequent
    answer, or the most frequent score if answers are long; its confidence is the share of that
    answer. Completed judgments stay unchanged.

    Raises:
        InvalidArgument: A share lies outside [0, 1], or a scale runs the wrong way.
    """
    rows = complete_scales(rows)
    of_epochs = (rows["method"] == EPOCHS) & rows["draws"].isna()
    if not of_epochs.any():
        return rows
    keys = ["task", "model", "variant", "dataset", "item"]
    epochs_by_item = rows[of_epochs].groupby(keys, sort=False)
    judgments = [_most_frequent(epochs) for _, epochs in epochs_by_item]
    return pd.concat(
        [rows[~of_epochs], pd.DataFrame(judgments, columns=rows.columns)], ignore_index=True
    )


def _accept_shares(rows: pd.DataFrame) -> pd.DataFrame:
    """Return judgments whose numbers without a scale are the confidence, or `scoring_failed`.

    They are the confidence if all numbers of the method in the run lie in [0, 1]. A number has no
    scale if neither ends nor a confidence come with it; one of which only the order counts needs
    none.
    """
    lacks_scale = rows["raw"].notna() & rows[["low", "high", "confidence"]].isna().all(axis=1)
    lacks_scale &= ~is_ordinal(rows)
    if not lacks_scale.any():
        return rows
    rows = rows.copy()
    keys = ["run", "model", "variant", "dataset", "method"]
    is_outside = ~rows["raw"].between(0, 1) & lacks_scale
    groups = rows.assign(is_outside=is_outside).groupby(keys, sort=False)
    has_outside = groups["is_outside"].transform("any")  # in the same run and method
    is_share, is_ambiguous = lacks_scale & ~has_outside, lacks_scale & has_outside
    rows.loc[is_share, "confidence"] = rows.loc[is_share, "raw"]
    rows.loc[is_ambiguous, "status"] = "scoring_failed"
    rows.loc[is_ambiguous, "reason"] = _SCALE_UNKNOWN
    return rows


_DECLINED_ANSWER = ("declined",)
"""Answer of an epoch in which the model declined; it equals no text and no score."""


def _most_frequent(epochs: pd.DataFrame) -> dict[str, Any]:
    """Return the judgment of the most frequent answer of an item's epochs; of ties the first.

    Answers are the same if their texts are, or their scores if a text is long or empty. Declining
    is an answer of its own. With fewer than two readable epochs the judgment has no confidence, and
    the most frequent status of the epochs that are not `ok`.
    """
    epochs = epochs.sort_values("epoch", kind="stable")
    # Columns such as item and model are those of the first epoch.
    judgment = {str(name): value for name, value in epochs.iloc[0].items()}
    judgment |= {"uuid": "", "epoch": 1.0, "draw": 0.0}
    is_declined = epochs["status"] == "declined"
    readable = epochs[is_declined | ((epochs["status"] == "ok") & epochs["correct"].notna())]
    judgment["draws"] = float(len(readable))
    if len(readable) < 2:
        failed = Counter(epochs.loc[epochs["status"] != "ok", "status"])
        # All epochs may be `ok` but without a grade.
        status = failed.most_common(1)[0][0] if failed else "scoring_failed"
        reason = f"{len(readable)} of {len(epochs)} epochs can be read; agreement needs 2"
        judgment |= {"answer": "", "correct": math.nan, "confidence": math.nan}
        if len(readable):  # a single readable epoch still has an answer and its grade
            judgment |= {name: readable[name].iloc[0] for name in ("answer", "correct")}
        return {**judgment, "status": status, "reason": reason}
    # What is compared of each epoch: the text of its answer, its score, or that it was declined.
    attempts = readable[readable["status"] == "ok"]
    texts = list(map(comparable, attempts["answer"]))
    are_short = all(texts) and not (attempts["answer"].str.len() > LONGEST_COMPARED).any()
    compared = texts if are_short else attempts["correct"]
    attempt_answers = dict(zip(attempts.index, compared, strict=True))
    epoch_answers = [attempt_answers.get(epoch, _DECLINED_ANSWER) for epoch in readable.index]
    commonest, count = Counter(epoch_answers).most_common(1)[0]
    is_commonest = np.array([answer == commonest for answer in epoch_answers])
    judgment |= {
        "answer": readable["answer"].iloc[int(is_commonest.argmax())],
        "correct": float(readable.loc[is_commonest, "correct"].mean()),
        "confidence": count / len(readable),
        "agreement": "text" if are_short else "score",
    }
    if commonest == _DECLINED_ANSWER:
        reason = f"{count} of {len(readable)} epochs gave no answer"
        return {**judgment, "status": "declined", "reason": reason}
    return {**judgment, "status": "ok", "reason": ""}
