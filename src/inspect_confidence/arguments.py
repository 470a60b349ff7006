"""Readers of task arguments, which accept every type that Inspect's command line produces.

`-T levels=80,90` arrives as a list of text, `-T items=1e3` as text, `-T x=off` as False. Each
reader returns the parsed value, or raises `InvalidArgument` with the value and the remedy.
"""

import hashlib
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from string import Formatter

from inspect_confidence.errors import InvalidArgument, nearest

LARGEST_TEXT = 200_000_000
"""Size limit of a user's table in bytes: a million questions, which fit into a small memory."""
LARGEST_PROMPT = 1_000_000
"""Size limit of a prompt in bytes, above the context window of models."""
MAX_DRAWS = 1_000
"""Limit of the draws of an item, whose calls are all made at once."""
_DIGITS = 4_000
"""Digits of a whole number at most; Python itself refuses more than 4,300."""


def refuse_unknown(unknown: Mapping[str, object], names: Iterable[str]) -> None:
    """Raise `InvalidArgument` if there are `unknown` arguments, of which Inspect only warns.

    `names` are the arguments that the task has; the error suggests the nearest one.
    """
    for name in unknown:
        raise InvalidArgument(f"There is no task argument {name!r}. {nearest(name, names)}")


def argument_names(task: Callable[..., object]) -> list[str]:
    """Return the names of a task's arguments, without the one that collects unknown names."""
    return [name for name in task.__annotations__ if name not in ("unknown", "return")]


def choice(name: str, value: object, words: Sequence[str]) -> str:
    """Return the value if it is an allowed word; else raise an error on the argument `name`."""
    text = str(value).strip()
    if text not in words:
        raise InvalidArgument(f"{name}={text} is not known. {nearest(text, words)}")
    return text


_TRUTH = {
    **dict.fromkeys(("true", "yes", "on", "1"), True),
    **dict.fromkeys(("false", "no", "off", "0"), False),
}


def boolean(name: str, value: object) -> bool:
    """Read True or False, also from text such as `yes`, `off` or `1`."""
    word = str(value).strip().lower()
    if word not in _TRUTH:
        raise InvalidArgument(f"{name}={value} is neither true nor false.")
    return _TRUTH[word]


def parts(value: object) -> list[str]:
    """Return the non-empty items of a list, or of text with commas, as stripped text."""
    items = value if isinstance(value, list | tuple) else str(value).split(",")
    return list(filter(None, map(str.strip, map(str, items))))


def name_list(names: str | Iterable[str]) -> list[str]:
    """Return one name or several as a list: a text is one name, not one for each of its letters.

    Example:
        >>> name_list("ece"), name_list(("ece", "brier"))
        (['ece'], ['ece', 'brier'])
    """
    return [names] if isinstance(names, str) else list(names)


def choice_list(name: str, value: object, allowed: Sequence[str]) -> list[str]:
    """Read one or more distinct allowed words from a list or from text with commas."""
    words = [choice(name, part, allowed) for part in parts(value)]
    if not words or len(set(words)) < len(words):
        raise InvalidArgument(
            f"{name}={value} is empty or names a word twice; known: {', '.join(allowed)}."
        )
    return words


def integer(
    name: str, value: object, *, minimum: int | None = None, maximum: int | None = None
) -> int:
    """Read a whole number from `minimum` to `maximum`, also from `1e3` or `1,000`."""
    # Inspect's command line splits `1,000` into a list.
    text = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    digits = _without_commas(text)
    if re.fullmatch(rf"\s*[-+]?\d{{1,{_DIGITS}}}\s*", digits):
        parsed: float = int(digits)  # exact, however large
    else:
        parsed = number(name, text)
    if parsed != int(parsed):
        raise InvalidArgument(f"{name}={text} is not a whole number; give one such as 100.")
    if minimum is not None and parsed < minimum:
        raise InvalidArgument(f"{name}={text} is below {minimum}; give {minimum} or more.")
    if maximum is not None and parsed > maximum:
        raise InvalidArgument(f"{name}={text} is above {maximum:,}; give {maximum:,} or fewer.")
    return int(parsed)


def number(name: str, value: object) -> float:
    """Read a finite number, also from text."""
    parsed = math.nan
    with suppress(ValueError):  # a text that is no number, also that of True
        parsed = float(_without_commas(str(value)))
    if not math.isfinite(parsed):
        raise InvalidArgument(
            f"{name}={value} is not a number; write it in digits, such as 0.9 or 12."
        )
    return parsed


def condition_number(name: str, value: object) -> float:
    """Read a finite number to six digits, as prompts, ids and names of metrics write it."""
    return float(f"{number(name, value):g}")


def numbers(name: str, value: object, *, above: float, below: float) -> list[float]:
    """Read one or more distinct numbers strictly between two limits from a list or text.

    Each is rounded to six digits by `condition_number`; rounded ones must still be distinct.
    """
    values = [condition_number(name, part) for part in parts(value)]
    if not values:
        raise InvalidArgument(f"{name} is empty; give numbers such as {name}=80,90.")
    for entry in values:
        if not above < entry < below:
            raise InvalidArgument(
                f"{name}={entry:g} is not between {above:g} and {below:g}, both excluded."
            )
    if len(set(values)) < len(values):
        raise InvalidArgument(f"{name}={value} names a number twice.")
    return values


def whole_numbers(name: str, value: object, *, minimum: int, maximum: int) -> list[int]:
    """Read one or more distinct whole numbers within limits from a list or `0-10,20`."""
    items = value if isinstance(value, list | tuple) else str(value).split(",")
    values: list[int] = []
    for part in map(str, items):
        # A number such as `20`, or a range such as `0-10`, whose last number is the second group.
        match = re.fullmatch(rf"\s*(\d{{1,{_DIGITS}}})\s*(?:-\s*(\d{{1,{_DIGITS}}})\s*)?", part)
        if not match or int(match[1]) > int(match[2] or match[1]):
            raise InvalidArgument(
                f"{name}={part} is neither a whole number nor a range such as 0-100."
            )
        first, last = int(match[1]), int(match[2] or match[1])
        if first < minimum or last > maximum:
            raise InvalidArgument(f"{name}={part} is not within {minimum} to {maximum}.")
        values += range(first, last + 1)
    if not values or len(set(values)) < len(values):
        raise InvalidArgument(f"{name}={value} is empty or names a number twice.")
    return values


_INTEGER_RANGE = re.compile(rf"\s*([-+]?\d{{1,{_DIGITS}}})\s*\.\.\s*([-+]?\d{{1,{_DIGITS}}})\s*")


def integer_range(name: str, value: object) -> tuple[int, int]:
    """Read a range of whole numbers such as `-50..50`, lower end first."""
    match = _INTEGER_RANGE.fullmatch(str(value))
    if not match or int(match[1]) > int(match[2]):
        raise InvalidArgument(f"{name}={value} is not a range of whole numbers such as -50..50.")
    return int(match[1]), int(match[2])


def scale_ends(name: str, value: object) -> tuple[float, float]:
    """Read the two ends of a scale such as `0-100` or `0-1`, lower end first."""
    match = re.fullmatch(r"\s*(-?\d+(?:\.\d+)?)\s*-\s*(-?\d+(?:\.\d+)?)\s*", str(value))
    if not match or float(match[1]) >= float(match[2]):
        raise InvalidArgument(f"{name}={value} is not a scale such as 0-100, the lower end first.")
    return float(match[1]), float(match[2])


def user_path(name: str, value: object) -> Path:
    """Return the path of an existing file, relative to the user's working directory."""
    path = shell_folder() / Path(str(value)).expanduser()
    if not path.is_file():
        raise InvalidArgument(
            f"{name}={value}: there is no file {path}; paths are relative to the working directory."
        )
    return path


def read_text(path: Path, *, largest: int = LARGEST_TEXT) -> str:
    """Read a user's UTF-8 text file, without the byte order mark of some editors.

    Raises:
        InvalidArgument: The path is not a file, is larger than `largest`, or is not UTF-8.
        OSError: The file can't be read.
    """
    check_size(path, largest)
    try:
        return path.read_bytes().decode("utf-8-sig")  # line ends as they are
    except UnicodeDecodeError as error:
        raise InvalidArgument(f"{path} is not UTF-8 ({error.reason}); save it as UTF-8.") from None


def check_size(path: Path, largest: int = LARGEST_TEXT) -> None:
    """Raise an error for a file above the size limit, or a path that is not a regular file.

    Raises:
        InvalidArgument: The path is not a regular file, or has more than `largest` bytes.
        OSError: The file can't be read.
    """
    size = path.stat().st_size
    if not path.is_file():
        raise InvalidArgument(f"{path} is not a file; give the path of a file.")
    if size > largest:
        raise InvalidArgument(f"{path} has {size:,} bytes; at most {largest:,} are read.")


def shell_folder() -> Path:
    """Return the working directory of the user's shell.

    While Inspect loads a task file of this package, the process's working directory is the folder
    of the file, and the shell's directory is in the variable PWD. In all other cases, also if PWD
    names no folder, it is the process's working directory.
    """
    process_folder, shell = Path.cwd(), Path(os.environ.get("PWD", ""))
    task_folder = (Path(__file__).parent / "tasks").resolve()
    return shell if process_folder == task_folder and shell.is_dir() else process_folder


def template(name: str, value: object, fields: frozenset[str]) -> str:
    """Read a prompt template from the user's file `value`; it must have exactly the `fields`."""
    text = prompt_text(name, value)
    check_fields(f"{name}={value}", text, fields)
    return text


def prompt_text(name: str, value: object) -> str:
    """Return the text of the file, with a wording or a message, that an argument names."""
    return read_text(user_path(name, value), largest=LARGEST_PROMPT)


def fields_within(source: str, text: str, fields: Sequence[str]) -> set[str]:
    """Return the `{field}`s of a template; refuse one that isn't among the allowed `fields`."""
    present = {field for field, _, _ in _parse_fields(source, text)}
    for field in sorted(present.difference(fields)):
        raise InvalidArgument(
            f"{source}: {{{field}}} is not a field of this prompt. {nearest(field, fields)} "
            "Write braces themselves as {{ and }}."
        )
    return present


def check_fields(source: str, text: str, fields: frozenset[str]) -> None:
    """Raise `InvalidArgument` if a template lacks a required field or has another one.

    A field with a conversion or a format, such as `{question!r:>9}`, counts as another field.
    """
    present = set()
    for field, spec, conversion in _parse_fields(source, text):
        conversion_text = f"!{conversion}" if conversion else ""
        spec_text = f":{spec}" if spec else ""
        present.add(f"{field}{conversion_text}{spec_text}")
    if present != fields:
        required = " ".join(f"{{{field}}}" for field in sorted(fields)) or "none"
        actual = " ".join(f"{{{field}}}" for field in sorted(present)) or "none"
        raise InvalidArgument(
            f"{source}: the fields of this prompt are {required}, the file has {actual}; "
            "write braces themselves as {{ and }}."
        )


def _parse_fields(source: str, text: str) -> list[tuple[str, str | None, str | None]]:
    """Return name, format and conversion of each field of a template; refuse unmatched braces."""
    try:
        pieces = list(Formatter().parse(text))
    except ValueError as error:
        raise InvalidArgument(
            f"{source}: {error}; write braces themselves as {{{{ and }}}}."
        ) from None
    # A piece is a text and the field after it; the name is None if no field follows the last text.
    return [(name, spec, conversion) for _, name, spec, conversion in pieces if name is not None]


def fingerprint(text: str) -> str:
    """Return the first 12 hexadecimal digits of a text's SHA-256, as a short version label."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _without_commas(text: str) -> str:
    """Return a text without the commas between groups of three digits."""
    return re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
