"""Sentences with a word of estimative probability: the bundled contexts, or a user's file."""

import functools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from inspect_confidence.arguments import choice, fingerprint, parts, read_text, user_path
from inspect_confidence.datasets.records import (
    OWN_FILE,
    bundled_records,
    bundled_text,
    read_records,
)
from inspect_confidence.datasets.selection import Item, Selection, alternate, choose
from inspect_confidence.errors import InvalidArgument, nearest

SURVEYED = (
    *("almost certain", "highly likely", "very good chance", "probable", "likely", "we believe"),
    *("probably", "better than even", "about even", "we doubt", "improbable", "unlikely"),
    *("probably not", "little chance", "almost no chance", "highly unlikely"),
    "chances are slight",
)
"""The 17 words that the human survey asked about, in its order."""

FURTHER = (
    *("very likely", "very unlikely", "certain", "impossible", "possible", "maybe", "perhaps"),
    *("toss-up", "good chance", "fair chance", "slim chance", "remote chance"),
    *("nearly impossible", "somewhat likely", "somewhat unlikely"),
)
"""15 words more; nobody was asked about them."""

SETTINGS = ("concise", "extended", "female", "male")
LANGUAGES = ("en", "zh")

_BUNDLED = "wep_contexts.jsonl"


@dataclass(frozen=True, kw_only=True)
class Context(Item):
    """A narrative context, with a statement for each word.

    Attributes:
        setting: Of the study, or of a user's own.
        language: As `en`.
        context: What contexts of several settings or languages share: the same event.
        clause: The event, without a word.
        statements: By word, in English or as the user names it: the sentence with that word.
        shown: By word, how it reads in the sentence, where that is another language's word.
    """

    setting: str
    language: str
    context: str
    clause: str
    statements: Mapping[str, str]
    shown: Mapping[str, str] = field(default_factory=dict)


def load_contexts(
    dataset: object,
    *,
    settings: Sequence[str],
    languages: Sequence[str],
    words: object = "survey",
    items: object = None,
    split: str = "all",
    seed: int = 0,
) -> tuple[Selection[Context], list[str]]:
    """Contexts, as `choose` and `alternate` select and order them, and the words asked for.

    A data set is `bundled`, of which the contexts of these settings and languages are taken, or a
    csv or jsonl file with `context`, `setting`, `word`, `statement` and `clause`, one row a
    statement (`language` is `en` where it isn't there), of which all are. Words are `survey` (17),
    `all` (32), or words between commas; of a user's file all by default.

    Raises:
        InvalidArgument: An argument or a row can't be used.
    """
    name = str(dataset)
    if "." in name:
        path = user_path("dataset", dataset)
        pool, version, name = _own(path), fingerprint(read_text(path)), path.name
        files: tuple[str | Path, ...] = (path,)
    else:
        choice("dataset", name, ["bundled", OWN_FILE])
        pool = [
            one
            for one in bundled_contexts().values()
            if one.setting in settings and one.language in languages
        ]
        version, files = fingerprint(bundled_text(_BUNDLED)), (_BUNDLED,)
    if not pool:
        raise InvalidArgument(
            f"settings={','.join(settings)} and languages={','.join(languages)} have no context "
            "in common; Chinese ones are concise."
        )
    there = list(dict.fromkeys(word for one in pool for word in one.statements))
    asked = _words(words, there, own=name != "bundled")
    ordered = alternate(pool, seed, group=lambda one: f"{one.language} {one.setting}")
    return Selection(name, choose(ordered, split, items), version, files=files), asked


@functools.cache
def bundled_contexts() -> Mapping[str, Context]:
    """The contexts written for this project, by id."""
    found = {}
    for record in bundled_records(_BUNDLED):
        shown = record.get("words", {})
        statements = record["statements"]
        if shown:
            statements = {word: statements[own] for word, own in shown.items()}
        number = record["id"].rsplit("-", 1)[1]
        gendered = record["setting"] in ("female", "male")
        found[record["id"]] = Context(
            id=record["id"],
            setting=record["setting"],
            language=record["language"],
            context=f"{'gendered' if gendered else record['setting']}-{number}",
            clause=record["clause"],
            statements=statements,
            shown=shown,
        )
    return found


def _words(words: object, there: Sequence[str], *, own: bool) -> list[str]:
    asked = parts(words)
    if asked == ["all"] or (own and asked == ["survey"]):
        return list(there)
    if asked == ["survey"]:
        return [word for word in SURVEYED if word in there]
    for word in asked:
        if word not in there:
            raise InvalidArgument(f"words names {word!r}. {nearest(word, there)}")
    if not asked or len(set(asked)) < len(asked):
        raise InvalidArgument(f"words={','.join(asked)} is empty or names a word twice.")
    return asked


def _own(path: Path) -> list[Context]:
    rows = read_records(path, ["context", "setting", "word", "statement", "clause"])
    grouped: dict[tuple[str, str, str], list[dict[str, str]]] = {}
    for row in rows:
        key = (str(row["context"]), str(row["setting"]), str(row.get("language") or "en"))
        grouped.setdefault(key, []).append({name: str(value) for name, value in row.items()})
    contexts = []
    for (context, setting, language), some in grouped.items():
        where = f"{path.name}: context {context!r} in {setting}, {language}"
        twice = [word for word, n in Counter(row["word"] for row in some).items() if n > 1]
        if twice:
            raise InvalidArgument(f"{where} has the word {twice[0]!r} twice.")
        if len({row["clause"] for row in some}) > 1:
            raise InvalidArgument(f"{where} has several clauses; a context has one.")
        contexts.append(
            Context(
                id=f"{context}@{setting}@{language}",
                setting=setting,
                language=language,
                context=context,
                clause=some[0]["clause"],
                statements={row["word"]: row["statement"] for row in some},
            )
        )
    return contexts
