"""Reading the judgments of any eval's samples, and completing them."""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence import answers
from inspect_confidence.answers import REPLY_STATUSES, RUN_STATUSES, ParseFailure, TokenChoice
from inspect_confidence.answers.clean import LONGEST_COMPARED, comparable
from inspect_confidence.grades import (
    base_name,
    chosen_score,
    grade,
    is_confidence_name,
    is_missing,
    read_number,
)
from inspect_confidence.results import Condition
from inspect_confidence.scales import other_scale, verdict_sign
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
"""Default arguments of `with_confidence`, which are no setting of a run."""

_NOT_FOUND = (
    "no confidence: wrap the eval in with_confidence, or name the field that holds it with "
    "--confidence-from"
)
_NOTHING = "the log holds nothing in {}"
_NO_SCALE = "some lie outside 0 to 1: say the scale with --confidence-scale"
_STATED = re.compile(r"confiden\w*\W{0,20}\d|\d\W{0,20}(?:\w+\W+)?confiden", re.I)
"""A confidence in a reply, as the scorers that impute one look for it."""
_PERCENT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*%\s*")


def read_sample(sample: SampleFacts) -> JudgmentRows:
    """Read the judgments of a sample: one for each method, recorded field, or epoch."""
    own_score = sample.score(SCORER)
    if own_score and "ways" not in own_score.metadata:
        own_score = None  # a scorer of theirs that has this name
    eval_scores = {
        name: judgment for name, judgment in sample.scores.items() if judgment is not own_score
    }
    metadata = dict(own_score.metadata) if own_score else {}
    label = sample.recorded.score or str(metadata.get("score") or "") or None
    grades = {name: score.grades for name, score in eval_scores.items() if not _is_ours(name)}
    correct = grade(grades, label)
    graded = (label or chosen_score(grades) or next(iter(grades), "")).partition(".")[0]
    row = {
        "item": sample.id,
        "split": sample.metadata.get("split"),
        "target": sample.target,
        "choices": float(len(sample.choices)) if sample.choices else math.nan,
        "answer": (eval_scores[graded].answer or "") if graded in eval_scores else "",
        "correct": math.nan if isinstance(correct, ParseFailure) else correct,
        "scorer": graded,
        "by": _fields(sample),
    }
    values = own_score.value if own_score and isinstance(own_score.value, Mapping) else {}
    if sample.recorded.only_grades:
        return [_outcome({**row, "method": OUTCOME, **_status_of()}, sample, correct)]
    if sample.recorded.outcome:
        correct = math.nan  # graded in another log
        row["correct"] = correct
    graded_failure = correct if isinstance(correct, ParseFailure) else None
    decided = []
    for decision in decisions(row, graded_failure, metadata, values):
        decided.append(
            {**decision, **sample.status_columns(decision["status"], decision["reason"])}
        )
    judgments = [*_elicited(metadata, values), *_recorded(sample, graded, eval_scores)]
    if sample.epochs > 1 and not sample.recorded.outcome:
        judgments.append({"method": EPOCHS, **_status_of()})
    if not judgments and not decided:
        judgments = [{"method": NONE, **_status_of(ParseFailure("scoring_failed", _NOT_FOUND))}]
    return [*(_outcome({**row, **judgment}, sample, correct) for judgment in judgments), *decided]


_RULES = frozenset({"answer", "choice", "exact", "f1", "includes", "match", "math", "pattern"})
"""Scorers of Inspect that use rules and no model."""


def judges_of(rows: pd.DataFrame) -> "pd.Series[str]":
    """Return the scorer of each answer, NaN if it is one of Inspect's rule-based scorers."""
    plain = {name: base_name(name.rsplit("/", 1)[-1]) for name in rows["scorer"].unique()}
    # f1 ends in a digit of its own.
    rules = [name for name, plain_name in plain.items() if plain_name in _RULES or name in _RULES]
    return rows["scorer"].mask(rows["scorer"].isin(rules))


def _is_ours(name: str) -> bool:
    return base_name(name) == SCORER


def _outcome(
    row: dict[str, Any], sample: SampleFacts, right: float | ParseFailure
) -> dict[str, Any]:
    """Set a judgment's status to the run's failure, to `declined`, or to a failure of grading."""
    if sample.failure and (row["status"] != "ok" or row["method"] == EPOCHS):
        return {
            **row,
            **sample.status_columns(row["status"] if row["method"] != EPOCHS else "", ""),
        }
    if not isinstance(right, ParseFailure):
        return row
    # Who declines need not state a confidence, so that a missing one is no failure.
    is_declined = right.status == "declined" and row["status"] not in RUN_STATUSES
    if is_declined or row["status"] == "ok":
        return {**row, **_status_of(right)}
    return row


def _status_of(failure: ParseFailure | None = None) -> dict[str, str]:
    if failure is None:
        return {"status": "ok", "reason": ""}
    return {"status": failure.status, "reason": failure.reason}


def _fields(sample: SampleFacts) -> str:
    """Encode the metadata fields by which results are grouped."""
    values = {
        field: sample.metadata[field] for field in sample.recorded.by if field in sample.metadata
    }
    return str(Condition({name: str(value) for name, value in values.items()}))


def _elicited(metadata: Mapping[str, Any], values: Mapping[str, float]) -> Iterator[dict[str, Any]]:
    """Yield the judgments of this package's scorer, one for each method."""
    for method in metadata.get("ways", ()):
        if is_decision(method):
            continue
        facts: dict[str, Any] = dict(metadata[method])
        yield {
            "method": method,
            "status": facts.pop("status"),
            "reason": facts.pop("detail"),
            "agreement": facts.pop("by", ""),
            **{name: value for name, value in facts.items() if name in _KEPT},
            "confidence": values[method],
        }


_KEPT = ("raw", "low", "high", "clipped", "phrase", "unseen_mass", "draws")


def _recorded(
    sample: SampleFacts, graded: str, eval_scores: Mapping[str, ScoreFacts]
) -> Iterator[dict[str, Any]]:
    """Yield the confidence in the fields that the user names, or in the only confidence field."""
    fields = [*sample.recorded.confidence] or _fields_by_name(sample, graded, eval_scores)
    if not sample.recorded.confidence and len(fields) > 1:
        reason = f"{', '.join(fields)} may hold it: name one with --confidence-from"
        yield {"method": NONE, **_status_of(ParseFailure("scoring_failed", reason))}
        return
    for name in fields:
        if name == "output.logprobs":
            yield {"method": name, **_token(sample)}
        else:
            value = _field_value(sample, name, graded, eval_scores)
            known = _known(name, graded, eval_scores)
            if known and known.objection:
                objection = f"{name}: {known.objection} ({', '.join(known.evals)})"
                yield {"method": name, _OBJECTION: objection, **_unusable(objection)}
            else:
                yield {"method": name, _IS_FIELD: True, **_value(value, sample, name, known)}


_IS_FIELD, _IMPUTED, _OBJECTION = "is_field", "is_imputed", "objection"
"""Columns that `complete_run` needs and removes."""


def _known(name: str, graded: str, eval_scores: Mapping[str, ScoreFacts]) -> KnownField | None:
    scorer, _, key = name.partition(".value.")
    scorer = graded if scorer == "score" else scorer
    score = eval_scores.get(scorer)
    return known_field(scorer, score.value, key) if score else None


def _fields_by_name(
    sample: SampleFacts, graded: str, eval_scores: Mapping[str, ScoreFacts]
) -> list[str]:
    """Return the fields of the eval's scores that are named as a confidence.

    If the user names the score that defines correctness, its fields come before those of other
    scores.
    """
    fields = []
    for scorer, score in eval_scores.items():
        if not _is_ours(scorer):
            names = [*_confidence_names(score.metadata, "metadata")]
            if isinstance(score.value, Mapping):
                names += _confidence_names(score.value, "value")
            fields += [f"{scorer}.{name}" for name in names]
    own_fields = [field for field in fields if field.startswith(f"{graded}.")]
    return own_fields if sample.recorded.score and own_fields else fields


def _confidence_names(values: Mapping[str, Any], name: str) -> Iterator[str]:
    """Yield the keys that are named as a confidence, including keys within values."""
    for key, value in values.items():
        if isinstance(value, Mapping):
            nested = [part for part in value if is_confidence_name(str(part))]
            yield from (f"{name}.{key}.{part}" for part in nested)
        elif is_confidence_name(key):
            yield f"{name}.{key}"


def _field_value(
    sample: SampleFacts, name: str, graded: str, eval_scores: Mapping[str, ScoreFacts]
) -> Any:
    """Return the value of a field; None if it doesn't exist."""
    if name in sample.requested_fields:
        return sample.requested_fields[name]
    first, *path = name.split(".")
    if first == "store" and path:
        return _nested(sample.requested_fields.get(f"store.{path[0]}"), path[1:])
    if first == "metadata":
        return _nested(sample.metadata, path)
    score = eval_scores.get(graded if first in ("score", "answer") else first)
    if score is None:
        return None
    parts = {"value": score.value, "metadata": score.metadata, "answer": score.answer}
    return _nested(parts, path or ["answer" if first == "answer" else "value"])


def _nested(value: Any, path: list[str]) -> Any:
    for part in path:
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _value(value: Any, sample: SampleFacts, name: str, known: KnownField | None) -> dict[str, Any]:
    """Read a recorded confidence; without a given scale, all values of the run decide it later.

    A value of the scorer that is no confidence is a failure of the scorer. Only the model's own
    reply can be a failure of the model.
    """
    if objection := _value_objection(value, name):
        return _unusable(objection)
    scale = sample.recorded.scale or (known.scale if known else None)
    low, high = map(float, scale or (math.nan, math.nan))
    is_imputed = False
    if known and value == known.imputed:
        score = _score_of_field(sample, name)
        if score and score.reason == "no_response":
            return _status_of(ParseFailure("no_response", "the reply is empty"))
        is_imputed = not _STATED.search(str(sample.requested_fields.get("output.completion", "")))
    if isinstance(value, str) and (percent := _PERCENT.fullmatch(value)):
        # A percentage says its scale.
        return {_IS_FIELD: False, "raw": float(percent[1]), "low": 0, "high": 100, **_status_of()}
    number = read_number(value)
    if math.isnan(number):
        return _text(str(value), low, high, name)
    return {_IMPUTED: is_imputed, "raw": number, "low": low, "high": high, **_status_of()}


def _value_objection(value: Any, name: str) -> str:
    """Return why the value of a field is no confidence; empty if it may be a confidence."""
    if is_missing(value):
        return _NOTHING.format(name)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return f"{name} holds no number"
    if isinstance(value, float) and not math.isfinite(value):
        return f"{name} holds no finite number"
    return ""


def _score_of_field(sample: SampleFacts, name: str) -> ScoreFacts | None:
    return sample.scores.get(name.partition(".value.")[0])


def _unusable(reason: str) -> dict[str, str]:
    return _status_of(ParseFailure("scoring_failed", reason))


_REPLY_FIELDS = ("answer", "output.completion")
"""Fields, or their last parts, that hold the model's own words."""


def _text(text: str, low: float, high: float, name: str) -> dict[str, Any]:
    """Read a confidence from a text on a scale of whole numbers."""
    if math.isnan(low) or not (low.is_integer() and high.is_integer()):
        return _unusable(
            "a text with a confidence: say its scale of whole numbers with --confidence-scale"
        )
    read = answers.read_confidence(text, int(low), int(high), is_whole_reply=True)
    if isinstance(read, ParseFailure):
        return _status_of(read) if name.endswith(_REPLY_FIELDS) else _unusable(read.reason)
    return {"raw": float(read.raw), "low": low, "high": high, **_status_of()}


def _token(sample: SampleFacts) -> dict[str, Any]:
    """Read the probability of the answer's token in the reply."""
    tokens = sample.requested_fields.get("output.logprobs")
    choices = None if tokens is None else [TokenChoice(*choice) for choice in tokens]
    read = answers.read_token_confidence(
        str(sample.requested_fields.get("output.completion", "")), choices, sample.choices
    )
    if isinstance(read, ParseFailure):
        return _status_of(read)
    return {"confidence": read.confidence, "unseen_mass": read.unseen_mass, **_status_of()}


def complete_run(samples: Sequence[JudgmentRows]) -> CompletedRun:
    """Complete the judgments of a run's samples from each other, with a reason if there is none."""
    confidence_rows = [
        [row for row in rows if row.get("task") not in DECISION_TASKS] for rows in samples
    ]
    completed = _complete_confidence(confidence_rows)
    return complete_decisions(samples, completed)


def _complete_confidence(samples: Sequence[JudgmentRows]) -> CompletedRun:
    """Complete the judgments of confidence; a run may have none.

    A sample may lack a method that other samples have, because it failed before it was asked or
    because its field is empty. It gets a failed judgment of that method, on the method's scale. If
    no scale is given, all values of a method decide it, as in `completed`. A field that holds a
    verdict is left out, with a notice.
    """
    rows_by_method = _rows_by_method(samples)
    notices = list(_imputed_notices(rows_by_method))
    objections: dict[str, str] = {}
    for method, method_rows in rows_by_method.items():
        if objection := _objection(method, method_rows):
            objections[method] = objection
    for row in chain.from_iterable(samples):
        for name in (_IS_FIELD, _IMPUTED, _OBJECTION):
            row.pop(name, None)
        if row["method"] in objections:
            row.update(_unusable(objections[row["method"]]))
    completed_samples = [_with_all_methods(rows, rows_by_method) for rows in samples]
    all_rows = list(chain.from_iterable(completed_samples))
    scales = {method: _Scale.from_rows(rows) for method, rows in rows_by_method.items()}
    for row in all_rows:
        if row["method"] in scales:
            row.update(scales[row["method"]].tells(row))
    if problem := _run_problem(all_rows):
        return CompletedRun(completed_samples, problem)
    remaining_samples = []
    for rows in completed_samples:
        remaining_samples.append([row for row in rows if row["method"] not in objections])
    return CompletedRun(remaining_samples, notices=[*notices, *objections.values()])


def _rows_by_method(samples: Sequence[JudgmentRows]) -> dict[str, JudgmentRows]:
    """Return the judgments of the methods that state a confidence."""
    by_method: dict[str, JudgmentRows] = {}
    for row in chain.from_iterable(samples):
        if row["method"] not in (NONE, EPOCHS):
            by_method.setdefault(row["method"], []).append(row)
    return by_method


def _with_all_methods(rows: JudgmentRows, methods: Collection[str]) -> JudgmentRows:
    """Return a sample's judgments with a failed one of each method that it lacks."""
    present = {row["method"] for row in rows}
    completed = [row for row in rows if row["method"] != NONE or not methods]
    completed += [_missing_method(rows, method) for method in methods if method not in present]
    return completed


def _run_problem(rows: JudgmentRows) -> str:
    """Return why no judgment of a run can be used; empty if some can.

    If none of the answers with a confidence has a grade, unreadable replies alone are no result.
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


def _imputed_notices(by_method: Mapping[str, JudgmentRows]) -> Iterator[str]:
    for method, rows in by_method.items():
        values = [row for row in rows if "raw" in row]
        imputed = [row for row in values if row.get(_IMPUTED)]
        if imputed:
            yield (
                f"{method}: {len(imputed)} of {len(values)} confidences are the eval's own, which "
                f"writes {imputed[0]['raw']:g} where the reply states none; they count as stated"
            )


def _objection(method: str, rows: JudgmentRows) -> str:
    """Return why a field of the log is no confidence; empty if nothing speaks against it."""
    read = [row for row in rows if row.get(_IS_FIELD) and row["status"] == "ok" and "raw" in row]
    if not read:
        return next((row[_OBJECTION] for row in rows if row.get(_OBJECTION)), "")
    on_scale = [row for row in read if not _is_on_none(row)]
    if on_scale:
        low, high = on_scale[0]["low"], on_scale[0]["high"]
        problem = other_scale(np.array([row["raw"] for row in on_scale]), low, high)
        if problem:
            return f"--confidence-scale {low:g}-{high:g}: {method} has {problem}"
    values, correct = (np.array([row[name] for row in read], float) for name in ("raw", "correct"))
    sign = verdict_sign(values, correct, has_scale=bool(on_scale))
    return f"{method} {sign}" if sign else ""


def _missing_method(judgments: JudgmentRows, method: str) -> dict[str, Any]:
    """Return the failed judgment of a method that a sample lacks."""
    first = judgments[0]
    row = {name: value for name, value in first.items() if name not in _OF_A_WAY}
    failed = first["method"] in (NONE, EPOCHS) and first["status"] != "ok"
    if failed and first["reason"] != _NOT_FOUND:
        return {**row, "method": method}
    return {
        **row,
        "method": method,
        **_status_of(ParseFailure("scoring_failed", _NOTHING.format(method))),
    }


_OF_A_WAY = {*_KEPT, "confidence", "agreement"}


@dataclass(frozen=True)
class _Scale:
    """The scale of a method, as the judgments of a run show it.

    Attributes:
        ends: The one scale that they are on; None where they are on none, or several.
        shares: Whether all numbers whose scale nobody said lie in [0, 1].
    """

    ends: tuple[float, float] | None
    shares: bool

    @classmethod
    def from_rows(cls, rows: JudgmentRows) -> "_Scale":
        """Return the scale that these judgments of one method show."""
        ends = {(row["low"], row["high"]) for row in rows if not _is_on_none(row)}
        bare = [row["raw"] for row in rows if _is_on_none(row) and "raw" in row]
        return cls(ends.pop() if len(ends) == 1 else None, all(0 <= raw <= 1 for raw in bare))

    def tells(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return the columns that the scale implies for a judgment without a scale."""
        if not _is_on_none(row):
            return {}
        if row["status"] != "ok":
            return dict(zip(("low", "high"), self.ends, strict=True)) if self.ends else {}
        if "raw" not in row:
            return {}
        if self.shares:
            return {"confidence": row["raw"]}
        return _status_of(ParseFailure("scoring_failed", _NO_SCALE))


def _is_on_none(row: Mapping[str, Any]) -> bool:
    return math.isnan(row.get("low", math.nan))


def complete_scales(rows: pd.DataFrame) -> pd.DataFrame:
    """Complete confidence and status of judgments by their scales; `scale` is `none` of scores."""
    rows = stated.complete_judgments(_on_known_scales(rows))
    return rows.assign(scale=rows["scale"].mask(is_ordinal(rows), NO_SCALE))


def is_ordinal(rows: pd.DataFrame) -> "pd.Series[bool]":
    """Return which judgments have a score whose order alone counts."""
    return rows["ordinal"].map(lambda flag: flag is True or flag is np.True_).astype(bool)


def rank_confidence(rows: pd.DataFrame) -> pd.DataFrame:
    """Return judgments with their scores' ranks as confidence in [0, 1], for rank metrics."""
    scores = rows["raw"].where(rows["status"] == "ok")
    values, places = np.unique(scores.dropna(), return_inverse=True)
    if len(values) and np.isin(values, (0, 1)).all():
        return rows.assign(confidence=scores)  # decisions
    ranks = scores.copy()
    ranks[scores.notna()] = places / max(len(values) - 1, 1)
    return rows.assign(confidence=ranks)


def complete_judgments(rows: pd.DataFrame) -> pd.DataFrame:
    """Complete judgments, and turn epochs into judgments of their agreement.

    A recorded confidence without a given scale is a share if all values of its field in the run lie
    in [0, 1]. Otherwise it is `scoring_failed`, because 1 may mean certainty or 1%. The answers of
    several epochs become one judgment per item with the method `epochs`. Its answer is the most
    frequent answer, or the most frequent score if answers are long; its confidence is the share of
    that answer. Judgments that are complete stay unchanged.

    Raises:
        InvalidArgument: As `stated.complete_judgments`.
    """
    rows = complete_scales(rows)
    of_epochs = (rows["method"] == EPOCHS) & rows["draws"].isna()
    if not of_epochs.any():
        return rows
    keys = ["task", "model", "variant", "dataset", "item"]
    modal = [_modal(epochs) for _, epochs in rows[of_epochs].groupby(keys, sort=False)]
    return pd.concat(
        [rows[~of_epochs], pd.DataFrame(modal, columns=rows.columns)], ignore_index=True
    )


def _on_known_scales(rows: pd.DataFrame) -> pd.DataFrame:
    unknown = rows["raw"].notna() & rows[["low", "high", "confidence"]].isna().all(axis=1)
    unknown &= ~is_ordinal(rows)
    if not unknown.any():
        return rows
    rows = rows.copy()
    keys = ["run", "model", "variant", "dataset", "method"]
    outside = ~rows["raw"].between(0, 1) & unknown
    mixed = outside.groupby([rows[name] for name in keys], sort=False).transform("any")
    share, ambiguous = unknown & ~mixed, unknown & mixed
    rows.loc[share, "confidence"] = rows.loc[share, "raw"]
    rows.loc[ambiguous, "status"] = "scoring_failed"
    rows.loc[ambiguous, "reason"] = _NO_SCALE
    return rows


_DECLINED = ("declined",)
"""Answer of an epoch that gave none; no text and no score is equal to it."""


def _modal(epochs: pd.DataFrame) -> dict[str, Any]:
    """Return the judgment of the most frequent answer of an item's epochs; of ties the first."""
    epochs = epochs.sort_values("epoch", kind="stable")
    judgment = {str(name): value for name, value in epochs.iloc[0].items()}
    judgment |= {"uuid": "", "epoch": 1.0, "draw": 0.0}
    is_declined = epochs["status"] == "declined"
    read = epochs[is_declined | ((epochs["status"] == "ok") & epochs["correct"].notna())]
    if len(read) < 2:
        failed = Counter(epochs.loc[epochs["status"] != "ok", "status"])
        status = failed.most_common(1)[0][0] if failed else "scoring_failed"
        reason = f"{len(read)} of {len(epochs)} epochs can be read; agreement needs 2"
        none = {"answer": "", "correct": math.nan, "confidence": math.nan}
        none |= {name: read[name].iloc[0] for name in ("answer", "correct") if len(read)}
        return {**judgment, **none, "draws": float(len(read)), "status": status, "reason": reason}
    attempts = read[read["status"] == "ok"]
    texts = [comparable(text) for text in attempts["answer"]]
    short = all(texts) and not (attempts["answer"].str.len() > LONGEST_COMPARED).any()
    attempt_answers = dict(
        zip(attempts.index, texts if short else attempts["correct"], strict=True)
    )
    # To decline is an answer of its own, whatever its words.
    epoch_answers = [attempt_answers.get(epoch, _DECLINED) for epoch in read.index]
    commonest, count = Counter(epoch_answers).most_common(1)[0]
    chosen = np.array([answer == commonest for answer in epoch_answers])
    judgment |= {
        "answer": read["answer"].iloc[int(chosen.argmax())],
        "correct": float(read.loc[chosen, "correct"].mean()),
        "confidence": count / len(read),
        "draws": float(len(read)),
        "agreement": "text" if short else "score",
    }
    if commonest == _DECLINED:
        reason = f"{count} of {len(read)} epochs gave no answer"
        return {**judgment, "status": "declined", "reason": reason}
    return {**judgment, "status": "ok", "reason": ""}
