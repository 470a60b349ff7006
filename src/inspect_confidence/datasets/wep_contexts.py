"""Sentences with a word of estimative probability, from bundled contexts or a user's file."""

import functools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from inspect_confidence.arguments import choice, fingerprint, parts, read_text, user_path
from inspect_confidence.datasets.records import (
    OWN_FILE,
    bundled_records,
    bundled_text,
    cell_text,
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
"""The 17 words of the human survey, in its order."""

FURTHER = (
    *("very likely", "very unlikely", "certain", "impossible", "possible", "maybe", "perhaps"),
    *("toss-up", "good chance", "fair chance", "slim chance", "remote chance"),
    *("nearly impossible", "somewhat likely", "somewhat unlikely"),
)
"""Another 15 words, which are not in the human survey."""

SETTINGS = ("concise", "extended", "female", "male")
LANGUAGES = ("en", "zh")

_BUNDLED = "wep_contexts.jsonl"


@dataclass(frozen=True, kw_only=True)
class Context(Item):
    """A narrative context, with a statement for each word.

    Attributes:
        setting: Setting of the study, or of the user's file.
        language: Language code, such as `en`.
        context: Name of the event, shared by its contexts in several settings or languages.
        clause: Description of the event without a word of probability.
        statements: Sentence by word; words are in English or as in the user's file.
        translations: Word of the sentence's language by English word; empty for English.
    """

    setting: str
    language: str
    context: str
    clause: str
    statements: Mapping[str, str]
    translations: Mapping[str, str] = field(default_factory=dict)


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
    """Load, order and select contexts; return them with the words to ask about.

    Args:
        dataset: `bundled`, or a csv or jsonl file with the columns `context`, `setting`, `word`,
            `statement`, `clause` and optionally `language` (`en` by default), one row a statement.
        settings: Settings of the bundled contexts to use.
        languages: Languages of the bundled contexts to use.
        words: `survey` (17), `all` (32), or words separated by commas. With a user's file `survey`
            means all its words.
        items: Number of contexts, or a file of ids; see `choose`.
        split: `train`, `test` or `all`.
        seed: Seed of the order; see `alternate`.

    Raises:
        InvalidArgument: An argument or a row can't be used.
    """
    name = str(dataset)
    if "." in name:  # a user's file
        path = user_path("dataset", dataset)
        pool, version, name = _user_contexts(path), fingerprint(read_text(path)), path.name
        files: tuple[str | Path, ...] = (path,)
    else:
        name = choice("dataset", name, ["bundled", OWN_FILE])
        pool = []
        for context in bundled_contexts().values():
            if context.setting in settings and context.language in languages:
                pool.append(context)
        version, files = fingerprint(bundled_text(_BUNDLED)), (_BUNDLED,)
    if not pool:
        raise InvalidArgument(
            f"settings={','.join(settings)} and languages={','.join(languages)} have no context "
            "in common; Chinese ones are concise."
        )
    available = list(dict.fromkeys(chain.from_iterable(context.statements for context in pool)))
    requested = _resolve_words(words, available, bundled=name == "bundled")
    ordered = alternate(pool, seed, group=lambda context: f"{context.language} {context.setting}")
    return Selection(name, choose(ordered, split, items), version, files=files), requested


@functools.cache
def bundled_contexts() -> Mapping[str, Context]:
    """Return the contexts written for this project, by id."""
    contexts = {}
    for record in bundled_records(_BUNDLED):
        # In Chinese: the translation of each English word. `statements` are by translation there.
        translations = record.get("words", {})
        statements = record["statements"]
        if translations:
            statements = {
                word: statements[translation] for word, translation in translations.items()
            }
        number = record["id"].rsplit("-", 1)[1]
        # A gendered event has a context with a woman and one with a man.
        gendered = record["setting"] in ("female", "male")
        contexts[record["id"]] = Context(
            id=record["id"],
            setting=record["setting"],
            language=record["language"],
            context=f"{'gendered' if gendered else record['setting']}-{number}",
            clause=record["clause"],
            statements=statements,
            translations=translations,
        )
    return contexts


def _resolve_words(words: object, available: Sequence[str], *, bundled: bool) -> list[str]:
    """Return the words listed in `words`, or for `survey` or `all` those that are available.

    `survey` means the surveyed words if contexts are bundled, otherwise all. Refuse words that are
    unavailable or duplicated, and an empty list.
    """
    requested = parts(words)
    if requested == ["all"] or (requested == ["survey"] and not bundled):
        return list(available)
    if requested == ["survey"]:
        return [word for word in SURVEYED if word in available]
    for word in requested:
        if word not in available:
            raise InvalidArgument(f"words names {word!r}. {nearest(word, available)}")
    if not requested or len(set(requested)) < len(requested):
        raise InvalidArgument(f"words={','.join(requested)} is empty or names a word twice.")
    return requested


def _user_contexts(path: Path) -> list[Context]:
    """Return the contexts of a user's file, in which each row is the statement of one word.

    Raises:
        InvalidArgument: A context has several clauses, or a word twice.
    """
    rows = read_records(path, ["context", "setting", "word", "statement", "clause"])
    grouped: dict[tuple[str, str, str], list[dict[str, str]]] = {}
    for row in rows:
        key = (
            cell_text(row["context"]),
            cell_text(row["setting"]),
            cell_text(row.get("language")) or "en",
        )
        statement = {name: str(row[name]) for name in ("statement", "clause")}
        grouped.setdefault(key, []).append({"word": cell_text(row["word"]), **statement})
    contexts = []
    for (context, setting, language), statements in grouped.items():
        location = f"{path.name}: context {context!r} in {setting}, {language}"
        counts = Counter(row["word"] for row in statements)
        for word, count in counts.items():
            if count > 1:
                raise InvalidArgument(
                    f"{location} has the word {word!r} twice; give one statement per word."
                )
        if len({row["clause"] for row in statements}) > 1:
            raise InvalidArgument(f"{location} has several clauses; a context has one.")
        contexts.append(
            Context(
                id=f"{context}@{setting}@{language}",
                setting=setting,
                language=language,
                context=context,
                clause=statements[0]["clause"],
                statements={row["word"]: row["statement"] for row in statements},
            )
        )
    return contexts
