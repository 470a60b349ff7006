"""LifeEval's and the question sets' samples as judgments, and completion of files' judgments."""

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
from inspect_confidence.printing import counted
from inspect_confidence.prompts.question_sets import KINDS
from inspect_confidence.studies import stated
from inspect_confidence.studies.estimate import check_shares
from inspect_confidence.studies.life_eval.columns import LIFE, STATED, TOKEN
from inspect_confidence.studies.study import SampleFacts

HALF_OPEN = "half-open"

_VERDICTS = ("True", "False")


def read_age(sample: SampleFacts) -> list[dict[str, Any]]:
    """Read the model's judgments of an answer: an age at which a described person dies.

    One has the stated confidence. If log probabilities were requested, there is another one, of the
    probability of the answer's token, but not if the sample has no score.
    """
    names = ("item", "split", "sex", "age", "radius")
    score, status_and_reason = sample.read("age_at_death")
    row = {name: sample.metadata.get(name) for name in names} | {"source": STATED}
    # "mas" is the maximum achievable score, that of the best answer.
    row |= score.select("answer", "confidence", "score", "mas", "best_answer")
    if score.value:
        # The data set is the life table. Ages within `radius` years of the answer are right;
        # `window` says whether the upper end is, too.
        table, window = score.metadata["table"], score.metadata["window"]
        row |= {"dataset": table, "table": table, "window": window}
    if not score.value or not sample.generation.get("logprobs"):
        return [{**row, **status_and_reason}]
    token = {
        "source": TOKEN,
        "confidence": score.value.get("token_confidence", np.nan),
        "unseen_mass": score.metadata.get("unseen_mass", np.nan),
        "status": score.metadata.get("token_status", "scoring_failed"),
        "reason": score.metadata.get("token_detail", ""),
    }
    if "token_status" not in score.metadata:
        token["reason"] = "the provider gave no log probabilities"
    return [{**row, **status_and_reason}, row | token]


def read_options(sample: SampleFacts) -> list[dict[str, Any]]:
    """Read the judgments of a question: one of the stated confidence in the answer.

    If log probabilities were requested, there is another one, of the probability of the answer's
    token, but not if the sample has no score or the answer was given in the question.
    """
    metadata = sample.metadata
    row, score, status_and_reason = sample.read_answer("option_confidence")
    value, score_metadata = score.value, score.metadata
    row |= {
        "kind": metadata["kind"],
        "given": metadata.get("given", ""),
        **score.select("correct"),
    }
    stated_row = {"source": STATED, **score.select("confidence", "raw_sum"), **status_and_reason}
    if not value:
        return [row | stated_row]
    stated_row["probabilities"] = _empty_if_no_values(score_metadata["probabilities"])
    if metadata["kind"] == "given" or not sample.generation.get("logprobs"):
        return [row | stated_row]
    token_row = {
        "source": TOKEN,
        "confidence": value["token_confidence"],
        "probabilities": _empty_if_no_values(score_metadata["token_probabilities"]),
        "unseen_mass": score_metadata["unseen_mass"],
        "status": score_metadata["token_status"],
        "reason": score_metadata["token_detail"],
    }
    return [row | stated_row, row | token_row]


def _empty_if_no_values(text: str) -> str:
    """Return the text of a JSON list; empty if the list is."""
    return "" if text == "[]" else text


def complete_judgments(task: str, rows: pd.DataFrame, convention: str | None) -> pd.DataFrame:
    """Complete the judgments of a task; those of question sets are graded by the convention."""
    if task == LIFE:
        return complete_ages(rows)
    # Both tasks are grouped by the window of right ages, which question sets don't have.
    return grade_by_convention(complete_options(rows), convention).assign(window="")


def complete_ages(rows: pd.DataFrame) -> pd.DataFrame:
    """Check and complete judgments of LifeEval.

    If answers come without their true probability, the life table gives the true probability and
    the best answer. The column `unit` names the age, because ages are resampled. An unreadable
    judgment of the confidence in a token, whose source is `token`, loses its score, which is that
    of the stated answer. `window`, which says which ages count as right, becomes empty if it is the
    default.

    Raises:
        InvalidArgument: A share lies outside [0, 1], an age or radius is missing, or the table
            does not have a sex or age whose true probability is missing.
    """
    if missing := missing_ages(rows):
        raise InvalidArgument(
            f"{next(iter(missing.values()))}; {counted(len(missing), 'row lacks', 'rows lack')} it."
        )
    rows = _fill_missing_scores(rows)
    check_shares(rows, ("confidence", "score", "mas"))
    unread = (rows["source"] == TOKEN) & (rows["status"] != "ok")
    rows = rows.assign(score=rows["score"].mask(unread), unit=age_names(rows))
    return rows.assign(window=rows["window"].replace(HALF_OPEN, ""))


def missing_ages(rows: pd.DataFrame) -> dict[int, str]:
    """Return the reason, by position, of each readable judgment without an age or a radius.

    The radius is the years on each side of an answer that count. Failed judgments may lack both:
    their samples were never written.
    """
    reasons = {}
    for name in ("age", "radius"):
        is_missing = rows[name].isna() & (rows["status"] == "ok")
        for position in np.flatnonzero(is_missing).tolist():
            reasons[position] = f"{name} is missing; give it in years"
    return reasons


def table_problems(rows: pd.DataFrame) -> dict[int, str]:
    """Return, by position, why an answer gets no true probability from its life table.

    A reason is a sex or age that the table lacks, or an unusable table, radius or window. Answers
    with a score need no table. Those without an age or a radius are left to `missing_ages`.
    """
    needs_table = rows["answer"].notna() & rows["score"].isna() & (rows["status"] == "ok")
    needs_table &= rows[["age", "radius"]].notna().all(axis=1)
    questions = rows.loc[needs_table, ["table", "sex", "age", "radius", "window"]]
    reasons: dict[int, str] = {}
    reason_by_question: dict[tuple[Any, ...], str] = {}
    for position, question in zip(
        np.flatnonzero(needs_table).tolist(), questions.itertuples(index=False), strict=True
    ):
        if question not in reason_by_question:
            reason_by_question[question] = _table_problem(*question)
        if reason := reason_by_question[question]:
            reasons[position] = reason
    return reasons


def _table_problem(table: str, sex: str, age: Any, radius: float, window: str) -> str:
    """Return why a life table gives no true probability for a question; empty if it does."""
    try:
        life_table = read_life_table(table or SSA_2022)
        lower_sex = sex.strip().lower()  # "Female" is known; other spellings stay, for the message
        known_sex = lower_sex if lower_sex in life_table.sexes else sex
        life_table.best_answer(known_sex, age, radius, window or HALF_OPEN)
    except InvalidArgument as error:
        return error.message.removesuffix(".")
    return ""


CLUSTERS = Clusters(
    "ages",
    min_units=20,
    note="neighbouring ages are alike: interval by cosines over age",
    are_ordered=True,
)
"""Units of LifeEval: ages, because judgments of one or of neighbouring ages are dependent."""


def age_clusters(rows: pd.DataFrame) -> Clusters:
    """Return the clusters of LifeEval, which are ages in order, with their trend.

    The trend is each age's mean of the maximum achievable score (`mas`), less the mean of all ages;
    0 for an age without. Intervals leave out differences along it: the life table determines the
    maximum, so that they are no sampling error.
    """
    maximum = rows.groupby("unit")["mas"].mean().sort_index()
    trend = tuple((maximum - maximum.mean()).fillna(0).tolist())
    return replace(CLUSTERS, trend=trend)


def age_names(rows: pd.DataFrame) -> pd.Series:
    """Return each judgment's age as text that sorts like the number; `unknown` if it is missing."""
    return rows["age"].map("{:09.4f}".format, na_action="ignore").fillna("unknown").astype(object)


def decade_names(rows: pd.DataFrame) -> pd.Series:
    """Return the name of each judgment's decade of age and radius; a missing age is decade -1.

    Decades are resampled where LifeEval's judgments are pooled with those of other data sets.
    """
    decades = (rows["age"] // 10).fillna(-1).astype(int)
    names = [f"{decade} {radius:g}" for decade, radius in zip(decades, rows["radius"], strict=True)]
    return pd.Series(names, rows.index, dtype=object)


def _fill_missing_scores(rows: pd.DataFrame) -> pd.DataFrame:
    """Add `score`, `mas` and `best_answer` from the life table to answers without a score.

    They are the true probability that the death is within the radius of the answer, the maximum
    achievable score, and the answer that has it. Values that are given stay; so do all rows if no
    answer lacks a score. Where `table` or `window` is empty, the study's are used. An unreadable
    reply (NaN) keeps its score NaN; an answer for a sex that the table lacks is refused.
    """
    lacks_score = rows["answer"].notna() & rows["score"].isna()
    if not lacks_score.any():
        return rows
    sex = rows["sex"].str.strip().str.lower()
    table_columns = {"table": rows["table"].replace("", SSA_2022)}
    table_columns["window"] = rows["window"].replace("", HALF_OPEN)
    rows = rows.assign(sex=sex, **table_columns)
    # The maximum is computed for unreadable replies too, so that its mean is over all questions.
    is_computed = lacks_score | (rows["mas"].isna() & sex.isin(SEXES))
    for table, table_rows in rows[is_computed].groupby("table", sort=False):
        life_table = read_life_table(table)
        columns = ["sex", "age", "radius", "window", "answer"]
        scores = []
        for person_sex, age, radius, window, answer in table_rows[columns].itertuples(index=False):
            best = life_table.best_answer(person_sex, age, radius, window)
            score = life_table.window_probability(person_sex, age, answer, radius, window)
            scores.append((score, best.probability, float(best.answer)))
        names = ["score", "mas", "best_answer"]
        rows = rows.fillna(pd.DataFrame(scores, table_rows.index, names))
    return rows


def complete_options(rows: pd.DataFrame) -> pd.DataFrame:
    """Complete the judgments of question sets from other columns.

    Probabilities are divided by their sum, which is kept in `raw_sum`. `choices` is their number.
    `correct` follows from `answer` and `target`, `confidence` from `answer` and `probabilities`.
    `source` says whether the confidence was stated in the reply or is the probability of the
    answer's token. Declined questions, and a token's judgments of unreadable replies, have no
    `correct`.

    Raises:
        InvalidArgument: A share lies outside [0, 1], `kind` or `source` is not known, or
            `probabilities` is not a list with one probability for each option.
    """
    rows = rows.copy()
    if unknown := {**unknown_values("kind", rows), **unknown_values("source", rows)}:
        raise InvalidArgument(next(iter(unknown.values())))
    # A judgment whose source could not be read counts as one that failed to state an answer.
    rows["source"] = rows["source"].replace("", STATED)
    for name in ("answer", "target"):
        rows[name] = list(map(_normalize_option, rows[name]))
    rows = _complete_probabilities(rows)
    rows["correct"] = stated.grade_answers(rows)
    unread = (rows["source"] == TOKEN) & (rows["status"] != "ok")
    rows["correct"] = rows["correct"].mask(unread | (rows["status"] == "declined"))
    check_shares(rows, ("confidence", "correct"))
    return rows


def _complete_probabilities(rows: pd.DataFrame) -> pd.DataFrame:
    """Fill in `choices`, `raw_sum` and `confidence`, and divide `probabilities` by their sum.

    The probabilities of a question's options are a JSON list as text, or empty; `raw_sum` is their
    sum before the division. The confidence is the probability of the option in `answer`. Values of
    the three columns that are given stay as they are.

    Raises:
        InvalidArgument: `choices` is not the number of probabilities, or these are no such list.
    """
    probabilities = list(map(_read_probabilities, rows["probabilities"]))
    # NaN without probabilities, which contradict no number of choices.
    lengths = np.array([len(shares) or np.nan for shares in probabilities], float)
    is_other_number = (rows["choices"].notna() & (rows["choices"] != lengths)).to_numpy()
    is_contradiction = is_other_number & ~np.isnan(lengths)
    if is_contradiction.any():
        raise InvalidArgument(
            f"choices={rows.loc[is_contradiction, 'choices'].iloc[0]:g} with "
            f"{lengths[is_contradiction][0]:g} probabilities; give one for each choice."
        )
    sums = np.array([sum(shares) if shares else np.nan for shares in probabilities])
    normalized = list(map(_normalize_sum, probabilities))
    answer_shares = []
    for shares, answer in zip(normalized, rows["answer"], strict=True):
        has_share = shares and answer
        answer_shares.append(shares[_option_index(answer, len(shares))] if has_share else np.nan)
    derived = {"choices": lengths, "raw_sum": sums, "confidence": np.array(answer_shares)}
    filled = {
        name: rows[name].where(rows[name].notna(), values) for name, values in derived.items()
    }
    texts = [json.dumps(shares) if shares else "" for shares in normalized]
    return rows.assign(**filled, probabilities=texts)


def _normalize_sum(shares: list[float]) -> list[float]:
    """Return shares divided by their sum, or unchanged if the sum is 1 but for rounding errors."""
    total = sum(shares)
    return [share / total for share in shares] if abs(total - 1) > 1e-9 else shares


_KNOWN_VALUES = {"kind": KINDS, "source": (STATED, TOKEN)}


def unknown_values(name: str, rows: pd.DataFrame) -> dict[int, str]:
    """Return the reason, by position, of each judgment of unknown `kind` or `source` (`name`).

    A failed judgment may have no value.
    """
    known_values = _KNOWN_VALUES[name]
    is_empty = (rows[name] == "") & (rows["status"] != "ok")
    reasons = {}
    for position in np.flatnonzero(~rows[name].isin(known_values) & ~is_empty).tolist():
        value = rows[name].iloc[position]
        reasons[position] = f"{name}={value} is not known. {nearest(value, known_values)}"
    return reasons


def option_contradictions(rows: pd.DataFrame) -> dict[int, str]:
    """Return the reason, by position, of each judgment whose columns contradict each other.

    The answer or the target is not among the options with `probabilities`, or `choices` is not
    their number. Judgments without probabilities have no contradiction.

    Raises:
        InvalidArgument: `probabilities` is not a list of numbers from 0 to 1.
    """
    reasons: dict[int, str] = {}
    columns = rows[["probabilities", "choices", "answer", "target"]]
    for position, (text, choices, *options) in enumerate(columns.itertuples(index=False)):
        if not text:
            continue
        count = len(_read_probabilities(text))
        if pd.notna(choices) and choices != count:
            reasons[position] = (
                f"choices={choices:g} with {count} probabilities; give one for each choice"
            )
            continue
        for option in filter(None, map(_normalize_option, options)):
            try:
                _option_index(option, count)
            except InvalidArgument as error:
                reasons[position] = error.message.removesuffix(".")
    return reasons


def complete_without_probabilities(rows: pd.DataFrame) -> pd.DataFrame:
    """Return judgments of question sets with derived grades, without probabilities of the options.

    For recalibrated judgments: the confidence in the named option stays, while the probabilities of
    the other options would no longer fit it.
    """
    return complete_options(rows).assign(probabilities="")


def _normalize_option(text: str) -> str:
    """Normalize an option to a capital letter, True or False."""
    word = text.strip()
    return word.capitalize() if word.lower() in ("true", "false") else word.upper()


def grade_by_convention(rows: pd.DataFrame, convention: str | None) -> pd.DataFrame:
    """Grade completed judgments by the convention.

    `authors`, the default: the named letter is the answer, and its probability is the confidence.
    `text`: the option with the largest probability is the answer, and that probability is the
    confidence. If several options have the largest probability and the right one is among them,
    `correct` is one divided by their number. A reply whose letter can't be read is readable by its
    probabilities. Judgments without probabilities of options, or without a target, stay the same.
    """
    if convention != "text":
        return rows
    rows = rows.copy()
    for index, text, target in zip(rows.index, rows["probabilities"], rows["target"], strict=True):
        if target and (probabilities := _read_probabilities(text)):
            is_largest = [p == max(probabilities) for p in probabilities]
            rows.loc[index, "confidence"] = max(probabilities)
            target_index = _option_index(target, len(is_largest))
            rows.loc[index, "correct"] = is_largest[target_index] / sum(is_largest)
            rows.loc[index, "status"] = "ok"
    return rows


def _option_index(option: str, count: int) -> int:
    """Return the index of an option, such as `B` or `False`, among `count` probabilities.

    Raises:
        InvalidArgument: There is no such option.
    """
    name = option.strip(" ().:").capitalize()
    names: Sequence[str] = _VERDICTS if name in _VERDICTS else tuple(ascii_uppercase)
    if name not in names[:count]:
        raise InvalidArgument(
            f"{option!r} is none of {count} options with probabilities; options are letters, or "
            "True and False."
        )
    return names.index(name)


def _read_probabilities(text: str) -> list[float]:
    """Read the probabilities of options from a JSON list; none from an empty text.

    Raises:
        InvalidArgument: The text is not a list of numbers from 0 to 1 with a sum above 0.
    """
    if not text:
        return []
    # 2 is out of range, so that a text that is not a list of numbers is refused below.
    try:
        values = json.loads(text)
        shares = list(map(float, values)) if isinstance(values, list) else [2.0]
    except (TypeError, ValueError, RecursionError):
        shares = [2.0]
    if not all(0 <= share <= 1 for share in shares) or not sum(shares) > 0:
        raise InvalidArgument(
            f"probabilities={text[:60]} is not a JSON list of numbers from 0 to 1 such as "
            "[0.7, 0.3]."
        )
    return shares
