"""Reads the arguments of tasks, whatever type Inspect's command line made of them.

`-T levels=80,90` arrives as a list of text, `-T items=1e3` as text, `-T x=off` as False. Every
function here takes any of these and gives what its first sentence says, or raises
`InvalidArgument` with the value and the remedy.
"""

import hashlib
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from string import Formatter

from inspect_confidence.errors import InvalidArgument, nearest

LARGEST_TEXT = 200_000_000
"""Bytes of a user's table: a million questions, which fit into the memory of a small machine."""
LARGEST_PROMPT = 1_000_000
"""Bytes of a prompt: more than models read at once."""
_DIGITS = 4_000
"""Digits of a whole number; Python refuses to read one of more than 4,300."""


def refuse_unknown(unknown: Mapping[str, object], known: Iterable[str]) -> None:
    """Refuse argument names that the task doesn't have; Inspect itself would only warn."""
    for name in unknown:
        raise InvalidArgument(f"There is no task argument {name!r}. {nearest(name, known)}")


def argument_names(task: Callable[..., object]) -> list[str]:
    """What a task's arguments are called, without the one that takes unknown names."""
    return [name for name in task.__annotations__ if name not in ("unknown", "return")]


def choice(name: str, value: object, known: Sequence[str]) -> str:
    """One of a list of words."""
    text = str(value).strip()
    if text not in known:
        raise InvalidArgument(f"{name}={text} is not known. {nearest(text, known)}")
    return text


_TRUTH = {
    **dict.fromkeys(("true", "yes", "on", "1"), True),
    **dict.fromkeys(("false", "no", "off", "0"), False),
}


def boolean(name: str, value: object) -> bool:
    """True or False, also as `yes`, `off` or `1`."""
    word = str(value).strip().lower()
    if word not in _TRUTH:
        raise InvalidArgument(f"{name}={value} is neither true nor false.")
    return _TRUTH[word]


def parts(value: object) -> list[str]:
    """What a list holds, or text between commas: as text without blanks around it, none empty."""
    given = value if isinstance(value, list | tuple) else str(value).split(",")
    return [text for part in given if (text := str(part).strip())]


def several(name: str, value: object, known: Sequence[str]) -> list[str]:
    """One or more different words of a list, given as a list or as text with commas."""
    words = [choice(name, part, known) for part in parts(value)]
    if not words or len(set(words)) < len(words):
        raise InvalidArgument(
            f"{name}={value} is empty or names one twice; known: {', '.join(known)}."
        )
    return words


def integer(name: str, value: object, *, least: int | None = None) -> int:
    """A whole number that is not below `least`, also as `1e3` or `1,000`."""
    text = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    digits = _without_commas(text)
    if re.fullmatch(rf"\s*[-+]?\d{{1,{_DIGITS}}}\s*", digits):
        found: float = int(digits)  # exact, however large
    else:
        found = number(name, text)
    if found != int(found):
        raise InvalidArgument(f"{name}={text} is not a whole number; give one such as 100.")
    if least is not None and found < least:
        raise InvalidArgument(f"{name}={text} is below {least}; give {least} or more.")
    return int(found)


def number(name: str, value: object) -> float:
    """A finite number, also as text."""
    if not isinstance(value, bool):
        try:
            found = float(_without_commas(str(value)))
        except ValueError:
            pass
        else:
            if math.isfinite(found):
                return found
    raise InvalidArgument(f"{name}={value} is not a number; give one such as 90.")


def numbers(name: str, value: object, *, above: float, below: float) -> list[float]:
    """One or more different numbers strictly between two limits, as a list or text with commas."""
    values = [number(name, part) for part in parts(value)]
    if not values:
        raise InvalidArgument(f"{name} is empty; give numbers such as {name}=80,90.")
    for one in values:
        if not above < one < below:
            raise InvalidArgument(
                f"{name}={one:g} is not between {above:g} and {below:g}, both excluded."
            )
    if len(set(values)) < len(values):
        raise InvalidArgument(f"{name}={value} names a number twice.")
    return values


def whole_numbers(name: str, value: object, *, least: int, most: int) -> list[int]:
    """One or more different whole numbers within limits, as a list or as text like `0-10,20`."""
    given = value if isinstance(value, list | tuple) else str(value).split(",")
    found: list[int] = []
    for part in map(str, given):
        match = re.fullmatch(rf"\s*(\d{{1,{_DIGITS}}})\s*(?:-\s*(\d{{1,{_DIGITS}}})\s*)?", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last:
            raise InvalidArgument(
                f"{name}={part} is neither a whole number nor a range such as 0-100."
            )
        if first < least or last > most:
            raise InvalidArgument(f"{name}={part} is not within {least} to {most}.")
        found += range(first, last + 1)
    if not found or len(set(found)) < len(found):
        raise InvalidArgument(f"{name}={value} is empty or names a number twice.")
    return found


_INTEGER_RANGE = re.compile(rf"\s*([-+]?\d{{1,{_DIGITS}}})\s*\.\.\s*([-+]?\d{{1,{_DIGITS}}})\s*")


def integer_range(name: str, value: object) -> tuple[int, int]:
    """A range of whole numbers, the lower first, as `-50..50`."""
    match = _INTEGER_RANGE.fullmatch(str(value))
    if not match or int(match[1]) > int(match[2]):
        raise InvalidArgument(f"{name}={value} is not a range of whole numbers such as -50..50.")
    return int(match[1]), int(match[2])


def scale_ends(name: str, value: object) -> tuple[float, float]:
    """The two ends of a scale, the lower first, as `0-100` or `0-1`."""
    match = re.fullmatch(r"\s*(-?\d+(?:\.\d+)?)\s*-\s*(-?\d+(?:\.\d+)?)\s*", str(value))
    if not match or float(match[1]) >= float(match[2]):
        raise InvalidArgument(f"{name}={value} is not a scale such as 0-100, the lower end first.")
    return float(match[1]), float(match[2])


def user_path(name: str, value: object) -> Path:
    """An existing file, relative to where the user stands."""
    path = standing() / Path(str(value)).expanduser()
    if not path.is_file():
        raise InvalidArgument(
            f"{name}={value}: there is no file {path}; paths are relative to where you stand."
        )
    return path


def read_text(path: Path, *, largest: int = LARGEST_TEXT) -> str:
    """A user's UTF-8 text file, without the byte order mark that some editors write.

    Raises:
        InvalidArgument: It is no file, holds more than `largest` bytes, or is not UTF-8.
        OSError: The system refuses.
    """
    check_size(path, largest)
    try:
        return path.read_bytes().decode("utf-8-sig")  # line ends as they are
    except UnicodeDecodeError as error:
        raise InvalidArgument(f"{path} is not UTF-8 ({error.reason}); save it as UTF-8.") from None


def check_size(path: Path, largest: int = LARGEST_TEXT) -> None:
    """Refuse a file of more bytes than are read, and what has no end, as a device.

    Raises:
        InvalidArgument: As the first line says.
        OSError: The system refuses.
    """
    size = path.stat().st_size
    if not path.is_file():
        raise InvalidArgument(f"{path} is not a file; name one.")
    if size > largest:
        raise InvalidArgument(f"{path} has {size:,} bytes; at most {largest:,} are read.")


def standing() -> Path:
    """The folder the user stands in.

    While Inspect loads a task file its working directory is the file's folder; the shell's own
    is then in PWD.
    """
    here, shell = Path.cwd(), os.environ.get("PWD", "")
    task_files = Path(__file__).parent / "tasks"
    return Path(shell) if here == task_files.resolve() and Path(shell).is_dir() else here


def template(name: str, value: object, fields: frozenset[str]) -> str:
    """A prompt from a file of the user's, with `{field}` for each of the fields it must hold."""
    text = read_text(user_path(name, value), largest=LARGEST_PROMPT)
    check_fields(f"{name}={value}", text, fields)
    return text


def check_fields(where: str, text: str, fields: frozenset[str]) -> None:
    """Refuse a template whose fields aren't those it must hold."""
    try:
        there = {
            field + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "")
            for _, field, spec, conversion in Formatter().parse(text)
            if field is not None
        }
    except ValueError as error:
        raise InvalidArgument(
            f"{where}: {error}; write braces themselves as {{{{ and }}}}."
        ) from None
    if there != fields:
        wanted = " ".join(f"{{{field}}}" for field in sorted(fields)) or "none"
        found = " ".join(f"{{{field}}}" for field in sorted(there)) or "none"
        raise InvalidArgument(
            f"{where}: the fields of this prompt are {wanted}, the file has {found}; "
            "write braces themselves as {{ and }}."
        )


def fingerprint(text: str) -> str:
    """The first 12 hexadecimal digits of the text's sha256: enough to tell two versions apart."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _without_commas(text: str) -> str:
    return re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
