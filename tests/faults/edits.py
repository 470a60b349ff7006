"""Random edits of files: of bytes, of the tokens of JSON and YAML, and of members of a zip file."""

from __future__ import annotations

import re
import zipfile
from io import BytesIO
from pathlib import Path
from random import Random

from inspect_ai.log import EvalLog  # noqa: F401 # its import lets zipfile read Inspect's members

VALUES = (
    *("null", "true", "-1", "0", "0.5", "7", "1e400", "-Infinity", "Infinity", "NaN", "1e-320"),
    *('""', '"x"', '"0.5"', "[]", "{}", '[["x"]]', '{"x": 1}', '"\\ud83d"', '"\\u0000"'),
    *("9" * 5_000, "1" + "0" * 300, "[" * 3_000, "[" * 60 + "]" * 60, '"' + "y" * 3_000 + '"'),
    *('"2024-13-45"', '"../../x"', '"<b>"'),
)
"""Texts that take the place of a token of JSON."""

YAML_VALUES = (
    *VALUES,
    *("!!int ''", "!!binary x", "!!timestamp x", "&a [x]", "*a", "2024-13-45", "~", ".inf", ".nan"),
    *("0x7fffffffffffffff", "1_000", "? [a]", "- - - -", "|", "<<", "{<<: x}", "@x", "\t"),
)
"""And of YAML."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[-+\w./@]+')
_MEMBER = re.compile(r'"[^"\\]*"\s*:\s*(?:"[^"\\]*"|[-+\w.]+)')


def flipped(content: bytes, chance: Random) -> bytes:
    """Return the content with one to three bits flipped."""
    changed = bytearray(content)
    for _ in range(chance.randint(1, 3)):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def truncated(content: bytes, chance: Random) -> bytes:
    """Return the content up to a byte."""
    return content[: chance.randrange(len(content))]


def retokened(text: str, chance: Random, values: tuple[str, ...] = VALUES) -> str:
    """Return the text with a token replaced, removed or repeated, or a member repeated."""
    tokens = [match.span() for match in _TOKEN.finditer(text)]
    start, end = chance.choice(tokens)
    members = [match.group() for match in _MEMBER.finditer(text)]
    kind = chance.choice(["replace", "replace", "replace", "remove", "repeat", "member"])
    if kind == "member" and members:
        member = chance.choice(members)
        return text.replace(member, f"{member}, {member}", 1)
    middle = {"remove": "", "repeat": text[start:end] * 2}.get(kind, chance.choice(values))
    return text[:start] + middle + text[end:]


def damaged(content: bytes, chance: Random, values: tuple[str, ...] = VALUES) -> bytes:
    """Return a text file with an edit of its bytes or of one to three tokens."""
    kind = chance.choice(["flip", "truncate", "token", "token", "token", "token"])
    if kind == "flip":
        return flipped(content, chance)
    if kind == "truncate":
        return truncated(content, chance)
    text = content.decode()
    for _ in range(chance.randint(1, 3)):
        text = retokened(text, chance, values)
    return text.encode()


def with_edited_member(content: bytes, chance: Random, values: tuple[str, ...] = VALUES) -> bytes:
    """Return a zip file with a token of one of its members changed, and its checksum right."""
    members = members_of(BytesIO(content))
    name = chance.choice(sorted(members))
    text = members[name].decode()
    if _TOKEN.search(text):
        members[name] = retokened(text, chance, values).encode()
    return zipped(members)


def members_of(file: Path | BytesIO) -> dict[str, bytes]:
    """Return the members of a zip file by their names."""
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(members: dict[str, bytes]) -> bytes:
    """Return a zip file of members."""
    sink = BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return sink.getvalue()
