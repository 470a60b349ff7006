"""Reading the judgments of any eval's samples, and completing them."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence import answers
from inspect_confidence.answers import REPLY_STATUSES, ParseFailure, TokenChoice
from inspect_confidence.answers.clean import LONGEST_COMPARED, comparable
from inspect_confidence.grades import base_name, grade
from inspect_confidence.results import Condition
from inspect_confidence.studies import stated
from inspect_confidence.studies.study import JudgmentRows, SampleFacts, ScoreFacts

SCORER = "confidence"
EPOCHS, NONE = "epochs", "none"
"""Values of `method` if confidence comes from several epochs, and if there is none."""

USUAL: Mapping[str, object] = {"draws": 5, "agreement": "auto"}
"""Arguments of `with_confidence` that are no setting of a run where nothing else was said."""

_NAMED = re.compile(r"(?:.*_)?confidence(?:_score)?", re.I)
_NOT_FOUND = (
    "no confidence: wrap the eval in with_confidence, or name the field that holds it with "
    "--confidence-from"
)
_NOTHING = "the log holds nothing in {}"
_NO_SCALE = "some lie outside 0 to 1: say the scale with --confidence-scale"
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
    score_name = sample.recorded.score or str(metadata.get("score") or "") or None
    numbers = {
        name: judgment.numbers for name, judgment in eval_scores.items() if not _is_ours(name)
    }
    correct = grade(numbers, score_name)
    graded = score_name.partition(".")[0] if score_name else next(iter(numbers), "")
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
    judgments = [*_elicited(metadata, values), *_recorded(sample, graded, eval_scores)]
    if sample.epochs > 1:
        judgments.append({"method": EPOCHS, **_status_of()})
    if not judgments:
        judgments = [{"method": NONE, **_status_of(ParseFailure("scoring_failed", _NOT_FOUND))}]
    return [_outcome({**row, **judgment}, sample, correct) for judgment in judgments]


_RULES = frozenset({"answer", "choice", "exact", "f1", "includes", "match", "math", "pattern"})
"""Scorers of Inspect's that no model judges by."""


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
    """Set a judgment's status to the run's failure, or to a failure of grading."""
    if sample.failure and (row["status"] != "ok" or row["method"] == EPOCHS):
        return {**row, **sample.outcome(row["status"] if row["method"] != EPOCHS else "", "")}
    if row["status"] == "ok" and isinstance(right, ParseFailure):
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
    """Yield what our scorer read, one judgment for each method."""
    for method in metadata.get("ways", ()):
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
    """Yield the confidence in the fields that the user names, or in the only field so named."""
    fields = [*sample.recorded.confidence] or list(_by_name(eval_scores))
    if not sample.recorded.confidence and len(fields) > 1:
        reason = f"{', '.join(fields)} may hold it: name one with --confidence-from"
        yield {"method": NONE, **_status_of(ParseFailure("scoring_failed", reason))}
        return
    for name in fields:
        if name == "output.logprobs":
            yield {"method": name, **_token(sample)}
        else:
            yield {
                "method": name,
                **_value(_field_value(sample, name, graded, eval_scores), sample, name),
            }


def _by_name(eval_scores: Mapping[str, ScoreFacts]) -> Iterator[str]:
    """Yield fields of the eval's scores that are named as a confidence."""
    for scorer, score in eval_scores.items():
        if _is_ours(scorer):
            continue
        yield from (f"{scorer}.metadata.{key}" for key in score.metadata if _NAMED.fullmatch(key))
        if isinstance(score.value, Mapping):
            yield from (f"{scorer}.value.{key}" for key in score.value if _NAMED.fullmatch(key))


def _field_value(
    sample: SampleFacts, name: str, graded: str, eval_scores: Mapping[str, ScoreFacts]
) -> Any:
    """Return the value of a field; None if it doesn't exist."""
    if name in sample.whole:
        return sample.whole[name]
    first, *path = name.split(".")
    if first == "store" and path:
        return _nested(sample.whole.get(f"store.{path[0]}"), path[1:])
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


def _value(value: Any, sample: SampleFacts, name: str) -> dict[str, Any]:
    """Read a recorded confidence; without a given scale, all values of the run decide it later."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return _status_of(ParseFailure("scoring_failed", _NOTHING.format(name)))
    low, high = map(float, sample.recorded.scale or (math.nan, math.nan))
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return _status_of(ParseFailure("invalid_response_format", f"{name} holds no number"))
    if isinstance(value, str):
        if percent := _PERCENT.fullmatch(value):
            return {"raw": float(percent[1]), "low": 0.0, "high": 100.0, **_status_of()}
        try:
            value = float(value)
        except ValueError:
            return _text(value, low, high)
    if not math.isfinite(value):
        return _status_of(ParseFailure("invalid_response_format", f"{name} holds no finite number"))
    return {"raw": float(value), "low": low, "high": high, **_status_of()}


def _text(text: str, low: float, high: float) -> dict[str, Any]:
    """Read a confidence from a text on a scale of whole numbers."""
    if math.isnan(low) or not (low.is_integer() and high.is_integer()):
        reason = "a text with a confidence: say its scale of whole numbers with --confidence-scale"
        return _status_of(ParseFailure("invalid_response_format", reason))
    read = answers.read_confidence(text, int(low), int(high), is_whole_reply=True)
    if isinstance(read, ParseFailure):
        return _status_of(read)
    return {"raw": float(read.raw), "low": low, "high": high, **_status_of()}


def _token(sample: SampleFacts) -> dict[str, Any]:
    """Read the probability of the answer's token in the reply."""
    tokens = sample.whole.get("output.logprobs")
    choices = None if tokens is None else [TokenChoice(*choice) for choice in tokens]
    read = answers.read_token_confidence(
        str(sample.whole.get("output.completion", "")), choices, sample.choices
    )
    if isinstance(read, ParseFailure):
        return _status_of(read)
    return {"confidence": read.confidence, "unseen_mass": read.unseen_mass, **_status_of()}


def complete_run(samples: Sequence[JudgmentRows]) -> tuple[list[JudgmentRows], str]:
    """Complete the judgments of a run's samples by each other; add the reason if it has none.

    What a sample lacks of the ways that others have, because it failed before it was asked or its
    field is empty, is a failure in that way, and on its scale. A scale that nobody said is told by
    all values of a way, as in `completed`.
    """
    by_method: dict[str, JudgmentRows] = {}
    for row in (row for judgments in samples for row in judgments):
        if row["method"] not in (NONE, EPOCHS):
            by_method.setdefault(row["method"], []).append(row)
    completed_samples = [
        [row for row in judgments if row["method"] != NONE or not by_method]
        + [
            _missing_method(judgments, method)
            for method in by_method
            if method not in {row["method"] for row in judgments}
        ]
        for judgments in samples
    ]
    rows = [row for judgments in completed_samples for row in judgments]
    scales = {method: _Scale.from_rows(method_rows) for method, method_rows in by_method.items()}
    for row in rows:
        if row["method"] in scales:
            row.update(scales[row["method"]].tells(row))
    if any(row["method"] != NONE and row["status"] in ("ok", *REPLY_STATUSES) for row in rows):
        return completed_samples, ""
    reasons = Counter(row["reason"] for row in rows if row["status"] == "scoring_failed")
    reasons = reasons or Counter(row["reason"] for row in rows)
    return completed_samples, reasons.most_common(1)[0][0] if rows else "no sample was completed"


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
        """Return the columns that follow for a judgment without a scale."""
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


def on_scales(rows: pd.DataFrame) -> pd.DataFrame:
    """Complete confidence and status of judgments by their scales."""
    return stated.completed(_on_known_scales(rows))


def completed(rows: pd.DataFrame) -> pd.DataFrame:
    """Complete judgments, and turn epochs into judgments of their agreement.

    A recorded confidence whose scale nobody said is a share where all of its field in the run lie
    in [0, 1], and `scoring_failed` otherwise: 1 may be all or a hundredth. Answers of epochs become
    a judgment an item, `epochs`: its answer is the commonest one, or the commonest score where
    answers are long, and its confidence the share of it. Judgments that are complete stay as they
    are.

    Raises:
        InvalidArgument: As `stated.completed`.
    """
    rows = on_scales(rows)
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


def _modal(epochs: pd.DataFrame) -> dict[str, Any]:
    """Return the judgment of the commonest answer of an item's epochs; of ties the first."""
    epochs = epochs.sort_values("epoch", kind="stable")
    judgment = {str(name): value for name, value in epochs.iloc[0].items()}
    judgment |= {"uuid": "", "epoch": 1.0, "draw": 0.0}
    read = epochs[(epochs["status"] == "ok") & epochs["correct"].notna()]
    if len(read) < 2:
        failed = Counter(epochs.loc[epochs["status"] != "ok", "status"])
        status = failed.most_common(1)[0][0] if failed else "scoring_failed"
        reason = f"{len(read)} of {len(epochs)} epochs can be read; agreement needs 2"
        none = {"answer": "", "correct": math.nan, "confidence": math.nan}
        none |= {name: read[name].iloc[0] for name in ("answer", "correct") if len(read)}
        return {**judgment, **none, "draws": float(len(read)), "status": status, "reason": reason}
    texts = [comparable(text) for text in read["answer"]]
    short = all(texts) and read["answer"].str.len().max() <= LONGEST_COMPARED
    answers_given: list[object] = [*texts] if short else [*read["correct"]]
    commonest, count = Counter(answers_given).most_common(1)[0]
    chosen = np.array([answer == commonest for answer in answers_given])
    return {
        **judgment,
        "answer": read["answer"].iloc[int(chosen.argmax())],
        "correct": float(read.loc[chosen, "correct"].mean()),
        "confidence": count / len(read),
        "draws": float(len(read)),
        "agreement": "text" if short else "score",
        "status": "ok",
        "reason": "",
    }
