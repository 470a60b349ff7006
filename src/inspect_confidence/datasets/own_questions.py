"""Questions in a user's csv or jsonl file: with choices, or with a number for an answer."""

import json
import re
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from string import ascii_uppercase

from inspect_confidence.datasets.records import Record, read_records
from inspect_confidence.errors import InvalidArgument

LETTERS = ascii_uppercase


def own_questions(path: Path) -> list[Record]:
    """Rows with `id, question, choices, target, subject, split`; a bad one is an error naming it.

    `choices` is a list (in csv its JSON text, or texts between `|`); `target` is a letter, a
    choice's text, or where there are no choices a number.

    Raises:
        InvalidArgument: A row can't be used.
    """
    rows = []
    for number, record in enumerate(read_records(path, ["question", "target"]), start=1):
        where = f"{path.name}, row {number}"
        choices = choices_of(record.get("choices"), where)
        target = str(record["target"]).strip()
        split, given = record.get("split") or None, record.get("id")
        if split not in (None, "train", "test"):
            raise InvalidArgument(f"{where}: split {split!r} is not train or test.")
        rows.append(
            {
                "id": f"{path.stem}-{number:04d}" if given in (None, "") else str(given),
                "question": str(record["question"]),
                "choices": choices,
                "target": letter_of(target, choices, where) if choices else _number(target, where),
                "subject": str(record.get("subject") or ""),
                "split": split,
            }
        )
    refuse_duplicates(path, (str(row["id"]) for row in rows))
    return rows


def refuse_duplicates(path: Path, ids: Iterable[str]) -> None:
    """Refuse a file in which an id stands twice.

    Raises:
        InvalidArgument: One does.
    """
    for name, count in Counter(ids).items():
        if count > 1:
            raise InvalidArgument(f"{path.name}: the id {name!r} stands there {count} times.")


def choices_of(value: object, where: str) -> tuple[str, ...]:
    """A row's choices: a list, its JSON text, or texts between `|`; none where there are none.

    Raises:
        InvalidArgument: They can't be used.
    """
    if value in (None, "", []):
        return ()
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except json.JSONDecodeError:
            value = str(value).split("|")
    if not isinstance(value, list):
        raise InvalidArgument(
            f'{where}: choices {value!r} are no list; write ["one", "other"] or one|other.'
        )
    choices = tuple(str(choice).strip() for choice in value)
    if not 2 <= len(choices) <= len(LETTERS):
        raise InvalidArgument(f"{where}: {len(choices)} choices; give 2 to {len(LETTERS)}.")
    if "" in choices or len(set(choices)) < len(choices):
        raise InvalidArgument(f"{where}: choices are empty or there twice: {list(choices)}.")
    return choices


def letter_of(target: str, choices: tuple[str, ...], where: str) -> str:
    """The letter of the right choice, from its letter or its text.

    Raises:
        InvalidArgument: It is neither, or could be two.
    """
    by_text = choices.index(target) if target in choices else None
    by_letter = LETTERS.find(target.upper()) if len(target) == 1 else -1
    by_letter = by_letter if by_letter < len(choices) else -1
    if by_text is not None and by_letter not in (-1, by_text):
        raise InvalidArgument(
            f"{where}: target {target!r} is a choice and the letter of another one."
        )
    if by_text is None and by_letter == -1:
        raise InvalidArgument(
            f"{where}: target {target!r} is neither a letter from A to {LETTERS[len(choices) - 1]} "
            "nor one of the choices."
        )
    return LETTERS[by_letter if by_text is None else by_text]


def _number(target: str, where: str) -> str:
    grouped = re.fullmatch(r"-?\d{1,3}(,\d{3})+(\.\d+)?", target)
    plain = target.replace(",", "") if grouped else target
    try:
        Fraction(plain)
    except (ValueError, ZeroDivisionError):
        raise InvalidArgument(
            f"{where}: target {target!r} is no number; free answers are numbers, other questions "
            "need `choices`."
        ) from None
    return plain
