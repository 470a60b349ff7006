"""LifeEval's and the question sets' samples as judgments, and judgments of a file made whole."""

import json
from collections.abc import Sequence
from dataclasses import replace
from string import ascii_uppercase
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence.datasets.life_tables import SEXES, SSA_2022, read_life_table
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.metrics import Clusters
from inspect_confidence.prompts.question_sets import KINDS
from inspect_confidence.studies import stated
from inspect_confidence.studies.estimate import check_shares
from inspect_confidence.studies.life_eval.columns import STATED, TOKEN
from inspect_confidence.studies.study import SampleFacts

HALF_OPEN = "half-open"

_VERDICTS = ("True", "False")


def read_age(sample: SampleFacts) -> list[dict[str, Any]]:
    """Read the judgments of a person: stated confidence in an age, and the token's if asked."""
    names = ("item", "split", "sex", "age", "radius")
    score, outcome = sample.read("age_at_death")
    row = {name: sample.metadata.get(name) for name in names} | {"source": STATED}
    row |= score.select("answer", "confidence", "score", "mas", "best_answer")
    if score.value:
        table, window = score.metadata["table"], score.metadata["window"]
        row |= {"dataset": table, "table": table, "window": window}
    if not score.value or not sample.generation.get("logprobs"):
        return [{**row, **outcome}]
    token = {
        "source": TOKEN,
        "confidence": score.value.get("token_confidence", np.nan),
        "unseen_mass": score.metadata.get("unseen_mass", np.nan),
        "status": score.metadata.get("token_status", "scoring_failed"),
        "reason": score.metadata.get("token_detail", ""),
    }
    if "token_status" not in score.metadata:
        token["reason"] = "the provider gave no log probabilities"
    return [{**row, **outcome}, row | token]


def read_options(sample: SampleFacts) -> list[dict[str, Any]]:
    """Read the judgments of a question: stated confidence, and the token's if asked."""
    metadata = sample.metadata
    score, outcome = sample.read("option_confidence")
    value, facts = score.value, score.metadata
    row = {
        "item": metadata["item"],
        "split": metadata.get("split"),
        "kind": metadata["kind"],
        "given": metadata.get("given", ""),
        "choices": metadata.get("choices") or np.nan,
        "target": sample.target,
        "answer": score.answer or "",
        **score.select("correct"),
    }
    stated_row = {"source": STATED, **score.select("confidence", "raw_sum"), **outcome}
    if not value:
        return [row | stated_row]
    stated_row["probabilities"] = _text_of_list(facts["probabilities"])
    if metadata["kind"] == "given" or not sample.generation.get("logprobs"):
        return [row | stated_row]
    token_row = {
        "source": TOKEN,
        "confidence": value["token_confidence"],
        "probabilities": _text_of_list(facts["token_probabilities"]),
        "unseen_mass": facts["unseen_mass"],
        "status": facts["token_status"],
        "reason": facts["token_detail"],
    }
    return [row | stated_row, row | token_row]


def _text_of_list(text: str) -> str:
    return "" if text == "[]" else text


def completed_ages(rows: pd.DataFrame) -> pd.DataFrame:
    """Check judgments of LifeEval and complete them; the task's default window becomes empty.

    If answers come without their true probability, the life table gives the true probability and
    the best answer.

    Raises:
        InvalidArgument: A share lies outside [0, 1], an age or radius is missing, or the table
            doesn't have a sex or age whose true probability is missing.
    """
    if missing := missing_ages(rows):
        raise InvalidArgument(f"{next(iter(missing.values()))}; {len(missing)} rows lack it.")
    rows = _scored(rows)
    check_shares(rows, ("confidence", "score", "mas"))
    unread = (rows["source"] == TOKEN) & (rows["status"] != "ok")
    rows = rows.assign(score=rows["score"].mask(unread), unit=age_names(rows))
    return rows.assign(window=rows["window"].replace(HALF_OPEN, ""))


def missing_ages(rows: pd.DataFrame) -> dict[int, str]:
    """Return the reason, by position, of each readable judgment without an age or a radius.

    A sample that was never written has a status, but not the values that it would have asked.
    """
    reasons = {}
    for name in ("age", "radius"):
        is_missing = rows[name].isna() & (rows["status"] == "ok")
        for position in np.flatnonzero(is_missing).tolist():
            reasons[position] = f"{name} is missing; give it in years"
    return reasons


CLUSTERS = Clusters(
    "ages",
    min_units=20,
    note="neighbouring ages are alike: interval by cosines over age",
    are_ordered=True,
)
"""The units of LifeEval: answers and confidence depend over years of age, sexes and radii."""


def ages_of(rows: pd.DataFrame) -> Clusters:
    """Return the ages of judgments; the trend is the mean maximum achievable score of each age.

    The life table determines the maximum, so that differences along this trend are no sampling
    error.
    """
    maximum = rows.groupby("unit")["mas"].mean().sort_index()
    trend = tuple((maximum - maximum.mean()).fillna(0).tolist())
    return replace(CLUSTERS, trend=trend)


def age_names(rows: pd.DataFrame) -> pd.Series:
    """Name each judgment's age, so that names are in the order of ages."""
    return rows["age"].map("{:09.4f}".format, na_action="ignore").fillna("unknown").astype(object)


def cluster_of(rows: pd.DataFrame) -> pd.Series:
    """Name each judgment's decade of age and radius, which are resampled beside other items."""
    group = (rows["age"] // 10).fillna(-1).astype(int)
    names = [f"{decade} {radius:g}" for decade, radius in zip(group, rows["radius"], strict=True)]
    return pd.Series(names, rows.index, dtype=object)


def _scored(rows: pd.DataFrame) -> pd.DataFrame:
    """Add `score`, `mas` and `best_answer` from the life table to answers without a score."""
    lacking = rows["answer"].notna() & rows["score"].isna()
    if not lacking.any():
        return rows
    sex = rows["sex"].str.strip().str.lower()
    table_columns = {"table": rows["table"].replace("", SSA_2022)}
    table_columns["window"] = rows["window"].replace("", HALF_OPEN)
    rows = rows.assign(sex=sex, **table_columns)
    # Of all rows, so that means of the maximum rest on readable and unreadable replies alike.
    is_computed = lacking | (rows["mas"].isna() & sex.isin(SEXES))
    for table, table_rows in rows[is_computed].groupby("table", sort=False):
        lives = read_life_table(table)
        columns = ["sex", "age", "radius", "window", "answer"]
        scores = []
        for person_sex, age, radius, window, answer in table_rows[columns].itertuples(index=False):
            best = lives.best_answer(person_sex, age, radius, window)
            score = lives.window_probability(person_sex, age, answer, radius, window)
            scores.append((score, best.probability, float(best.answer)))
        names = ["score", "mas", "best_answer"]
        rows = rows.fillna(pd.DataFrame(scores, table_rows.index, names))
    return rows


def completed_options(rows: pd.DataFrame) -> pd.DataFrame:
    """Complete the judgments of question sets from other columns.

    `choices` follows from `probabilities`, which are divided by their sum (kept in `raw_sum`);
    `correct` from `answer` and `target`, `confidence` from `answer` and `probabilities`. What a
    token said of a reply that couldn't be read has no `correct`.

    Raises:
        InvalidArgument: A share lies outside [0, 1], `kind` or `source` isn't known, or
            probabilities aren't a list of them, one an option.
    """
    rows = rows.copy()
    if unknown := {**unknown_kinds(rows), **unknown_sources(rows)}:
        raise InvalidArgument(next(iter(unknown.values())))
    # A judgment whose source could not be read counts as one that failed to state an answer.
    rows["source"] = rows["source"].replace("", STATED)
    for name in ("answer", "target"):
        rows[name] = [_option(text) for text in rows[name]]
    probabilities = [_probabilities(text) for text in rows["probabilities"]]
    lengths = np.array([len(shares) or np.nan for shares in probabilities], float)
    differs = (rows["choices"].notna() & (rows["choices"] != lengths)).to_numpy()
    different = differs & ~np.isnan(lengths)
    if different.any():
        raise InvalidArgument(
            f"choices={rows.loc[different, 'choices'].iloc[0]:g} with "
            f"{lengths[different][0]:g} probabilities; give one for each choice."
        )
    rows["choices"] = rows["choices"].where(rows["choices"].notna(), lengths)
    sums = np.array([sum(shares) if shares else np.nan for shares in probabilities])
    normalized = [
        [p / sum(shares) for p in shares] if abs(sum(shares) - 1) > 1e-9 else shares
        for shares in probabilities
    ]
    rows["raw_sum"] = rows["raw_sum"].where(rows["raw_sum"].notna(), sums)
    rows["probabilities"] = [json.dumps(shares) if shares else "" for shares in normalized]
    named_shares = [
        shares[_place(answer, len(shares))] if shares and answer else np.nan
        for shares, answer in zip(normalized, rows["answer"], strict=True)
    ]
    rows["confidence"] = rows["confidence"].where(
        rows["confidence"].notna(), np.array(named_shares)
    )
    rows["correct"] = stated.grade_answers(rows)
    unread = (rows["source"] == TOKEN) & (rows["status"] != "ok")
    rows["correct"] = rows["correct"].mask(unread | (rows["status"] == "declined"))
    check_shares(rows, ("confidence", "correct"))
    return rows


def unknown_kinds(rows: pd.DataFrame) -> dict[int, str]:
    """Return the reason, by position, of each judgment of an unknown kind of question."""
    return _unknown_values(rows, "kind", KINDS)


def unknown_sources(rows: pd.DataFrame) -> dict[int, str]:
    """Return the reason, by position, of each judgment from an unknown source."""
    return _unknown_values(rows, "source", (STATED, TOKEN))


def _unknown_values(rows: pd.DataFrame, name: str, known_values: Sequence[str]) -> dict[int, str]:
    is_empty = (rows[name] == "") & (rows["status"] != "ok")
    reasons = {}
    for position in np.flatnonzero(~rows[name].isin(known_values) & ~is_empty).tolist():
        value = rows[name].iloc[position]
        reasons[position] = f"{name}={value} is not known. {nearest(value, known_values)}"
    return reasons


def option_contradictions(rows: pd.DataFrame) -> dict[int, str]:
    """Return the reason, by place, of each judgment whose answer or target is no option."""
    reasons: dict[int, str] = {}
    columns = [rows[name] for name in ("probabilities", "choices", "answer", "target")]
    for place, (text, choices, *options) in enumerate(zip(*columns, strict=True)):
        if not text:
            continue
        count = len(_probabilities(text))
        if pd.notna(choices) and choices != count:
            reasons[place] = (
                f"choices={choices:g} with {count} probabilities; give one for each choice"
            )
            continue
        for option in filter(None, map(_option, options)):
            try:
                _place(option, count)
            except InvalidArgument as error:
                reasons[place] = error.message.removesuffix(".")
    return reasons


def stated_options(rows: pd.DataFrame) -> pd.DataFrame:
    """Complete judgments of question sets, with the confidence in the named option.

    The other options' probabilities are dropped, because changes to the confidence do not apply to
    them.
    """
    return completed_options(rows).assign(probabilities="")


def _option(text: str) -> str:
    """Normalize an option to a capital letter, True or False."""
    word = text.strip()
    return word.capitalize() if word.lower() in ("true", "false") else word.upper()


def graded(rows: pd.DataFrame, convention: str | None) -> pd.DataFrame:
    """Grade completed judgments by the convention.

    `authors`, the default: the named letter is the answer, and its probability is the confidence.
    `text`: the option with the largest probability is the answer, and that probability is the
    confidence. If several options have the largest probability and the right one is among them,
    `correct` is one divided by their number. A reply whose letter can't be read is readable by its
    probabilities. The conventions differ only if options have probabilities.
    """
    if convention != "text":
        return rows
    rows = rows.copy()
    for index, text, target in zip(rows.index, rows["probabilities"], rows["target"], strict=True):
        if target and (probabilities := _probabilities(text)):
            tied = [p == max(probabilities) for p in probabilities]
            rows.loc[index, "confidence"] = max(probabilities)
            rows.loc[index, "correct"] = tied[_place(target, len(tied))] / sum(tied)
            rows.loc[index, "status"] = "ok"
    return rows


def _place(option: str, count: int) -> int:
    """Return the position of an option among `count` probabilities."""
    name = option.strip(" ().:").capitalize()
    names: Sequence[str] = _VERDICTS if name in _VERDICTS else tuple(ascii_uppercase)
    if name not in names[:count]:
        raise InvalidArgument(
            f"{option!r} is none of {count} options with probabilities; options are letters, or "
            "True and False."
        )
    return names.index(name)


def _probabilities(text: str) -> list[float]:
    if not text:
        return []
    try:
        values = json.loads(text)
        shares = [float(value) for value in values] if isinstance(values, list) else [2.0]
    except (TypeError, ValueError, RecursionError):
        shares = [2.0]
    if not all(0 <= share <= 1 for share in shares) or not sum(shares) > 0:
        raise InvalidArgument(
            f"probabilities={text[:60]} is not a JSON list of numbers from 0 to 1 such as "
            "[0.7, 0.3]."
        )
    return shares
