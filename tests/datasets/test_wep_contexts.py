"""The bundled contexts of estimative words, and a user's own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from build import by_id, record_table, records_with
from inspect_confidence.datasets.selection import Selection
from inspect_confidence.datasets.wep_contexts import (
    FURTHER,
    LANGUAGES,
    SETTINGS,
    SURVEYED,
    Context,
    bundled_contexts,
    load_contexts,
)
from refusals import refused

ALL = list(bundled_contexts().values())
ENGLISH = records_with(ALL, language="en")
CHINESE = records_with(ALL, language="zh")

ROWS = [
    ("rain", "office", "likely", "Rain is likely.", "it will rain"),
    ("rain", "office", "dead certain", "Rain is dead certain.", "it will rain"),
    ("rain", "garden", "likely", "It is likely to rain, dear.", "it will rain"),
    ("snow", "office", "likely", "Snow is likely.", "it will snow"),
]


def load(dataset: str = "bundled", **arguments: object) -> tuple[Selection[Context], list[str]]:
    """Contexts of all settings in English unless something else is said."""
    return load_contexts(
        dataset,
        **{"settings": SETTINGS, "languages": ["en"], **arguments},  # type: ignore[arg-type]
    )


def write(folder: Path, rows: Sequence[tuple[str, ...]], *more: str, suffix: str = "csv") -> str:
    """A file of rows with the five columns and further ones; its name."""
    columns = ["context", "setting", "word", "statement", "clause", *more]
    table = pd.DataFrame(rows, columns=columns)
    if suffix == "csv":
        table.to_csv(folder / "mine.csv", index=False)
    else:
        table.to_json(folder / "mine.jsonl", orient="records", lines=True)
    return f"mine.{suffix}"


# The bundled ones


def test_contexts_are_counted_by_setting_and_words_by_language() -> None:
    """15 concise, 11 extended, 10 female, 10 male, 15 concise Chinese ones; words by language."""
    context_counts = record_table(ALL).value_counts(["setting", "language"])
    assert context_counts.to_dict() == {
        ("concise", "en"): 15,
        ("extended", "en"): 11,
        ("female", "en"): 10,
        ("male", "en"): 10,
        ("concise", "zh"): 15,
    }
    assert bundled_contexts() == by_id(ALL)
    assert (len(set(SURVEYED)), len(set(FURTHER)), set(SURVEYED) & set(FURTHER)) == (17, 15, set())
    for context in ENGLISH:
        assert set(context.statements) == {*SURVEYED, *FURTHER}
    for context in CHINESE:
        assert set(context.statements) == set(SURVEYED)
    assert load(words="all")[1] == [*SURVEYED, *FURTHER]
    assert load(words="all", settings=["concise"], languages=["zh"])[1] == list(SURVEYED)
    both_languages, words = load(words="likely, maybe", settings=["concise"], languages=LANGUAGES)
    assert (len(both_languages.items), words) == (30, ["likely", "maybe"])


def test_statements_hold_their_word_and_clauses_do_not() -> None:
    """Each statement has its word to the letter, case aside, and is unlike the others."""
    for context in ALL:
        for word, statement in context.statements.items():
            shown_word = context.translations.get(word, word)
            assert re.search(
                rf"(?<![a-z]){re.escape(shown_word)}(?![a-z])", statement, re.IGNORECASE
            ), context
            assert shown_word.lower() not in context.clause.lower()
            assert statement[-1] in ".。", context
            assert context.clause[-1] not in ".。"
        assert len(set(context.statements.values())) == len(context.statements)


def test_statements_are_as_long_as_documented() -> None:
    """The mean number of words of a surveyed statement is the documented one."""
    for setting, words, slack in [
        ("concise", 7, 0.6),
        ("extended", 24, 1),
        ("female", 8.6, 0.1),
        ("male", 8.6, 0.1),
    ]:
        statements = record_table(ENGLISH).query("setting == @setting")["statements"]
        lengths = pd.DataFrame(statements.tolist())[[*SURVEYED]].stack().str.split().map(len)
        mean = lengths.mean()
        documented = {"concise": 7.5, "extended": 24.7, "female": 8.6, "male": 8.6}[setting]
        assert abs(mean - words) <= slack
        assert round(mean, 1) == documented, setting


def test_female_and_male_differ_by_the_pronoun_alone() -> None:
    """With she, her and hers turned into he, him or his, female texts are the male ones."""
    contexts = bundled_contexts()
    for context in ENGLISH:
        if context.setting == "female":
            twin = contexts[context.id.replace("female", "male")]
            assert context.context == twin.context
            texts = pd.DataFrame({"female": context.statements, "male": twin.statements})
            assert texts.notna().all(axis=None)
            pairs = [(context.clause, twin.clause), *texts.itertuples(index=False, name=None)]
            for female, male in pairs:
                hers, his = re.findall(r"\w+|\W", female), re.findall(r"\w+|\W", male)
                changed = {(a.lower(), b.lower()) for a, b in zip(hers, his, strict=True) if a != b}
                assert changed
                assert changed <= {("she", "he"), ("her", "him"), ("her", "his"), ("hers", "his")}


def test_chinese_contexts_share_their_words_and_english_names() -> None:
    """The 17 Chinese words differ and are the same in all contexts, which pair with English ones.

    No other context is shared: 36 names for 61 contexts.
    """
    for context in CHINESE:
        assert list(context.translations.items()) == list(CHINESE[0].translations.items())
        assert not re.search("[A-Za-z]", context.clause)
    assert len(set(CHINESE[0].translations.values())) == 17
    assert list(CHINESE[0].translations) == list(SURVEYED)
    english = record_table(ENGLISH)
    concise = set(english.loc[english["setting"] == "concise", "context"])
    assert set(record_table(CHINESE)["context"]) == concise
    assert record_table(ALL)["context"].nunique() == 15 + 11 + 10


# Which are asked


def test_settings_take_turns_and_the_seed_orders() -> None:
    """Any prefix holds all settings and both splits; another seed gives another order."""
    first, words = load()
    assert words == list(SURVEYED)
    front = record_table(first.items[:4])
    assert set(front["setting"]) == set(SETTINGS)
    assert sorted(front["split"]) == ["test", "test", "train", "train"]
    ids = list(by_id(first.items))
    assert list(by_id(load(seed=1)[0].items)) != ids
    assert list(by_id(load(items=5)[0].items)) == ids[:5]
    train, test = by_id(load(split="train")[0].items), by_id(load(split="test")[0].items)
    assert (len(train), len(test), train.keys() & test.keys()) == (23, 23, set())


def test_unknown_words_settings_and_sets_are_refused() -> None:
    """Each is one error that says what was given."""
    cases: list[tuple[dict[str, object], str]] = [
        ({"words": "likly"}, "words names 'likly'. Did you mean 'likely'?"),
        ({"words": "likely,likely"}, "words=likely,likely is empty or names a word twice."),
        ({"words": " , "}, "is empty or names a word twice"),
        ({"words": ["maybe"], "languages": ["zh"]}, "words names 'maybe'"),
        ({"settings": ["male"], "languages": ["zh"]}, "have no context in common; Chinese ones"),
        ({"items": 0}, "items=0 is below 1"),
    ]
    for arguments, says in cases:
        assert says in refused(load, **arguments)
    for name in ["bundle", "elicitation"]:
        assert f"dataset={name} is not known." in refused(load, name)


# A user's own


def test_rows_are_grouped_by_context_setting_and_language(home: Path) -> None:
    """Rows are gathered by context, setting and language; all words are asked by default."""
    for suffix in ["csv", "jsonl"]:
        rows = [(*row, "en") for row in ROWS]
        rows.append(("rain", "office", "wohl", "Es wird wohl regnen, nicht?", "es regnet", "de"))
        rows.append((" rain", "office ", "maybe ", "Maybe it rains.", "it will rain", " "))
        selection, words = load(write(home, rows, "language", suffix=suffix))
        contexts_by_id = by_id(selection.items)
        assert set(contexts_by_id) == {
            "rain@office@en",
            "rain@garden@en",
            "snow@office@en",
            "rain@office@de",
        }, suffix
        assert words == ["likely", "dead certain", "maybe", "wohl"], suffix
        assert contexts_by_id["rain@office@en"].statements == {
            "likely": "Rain is likely.",
            "dead certain": "Rain is dead certain.",
            "maybe": "Maybe it rains.",
        }, suffix
        german = contexts_by_id["rain@office@de"]
        assert (german.language, german.clause, german.context) == ("de", "es regnet", "rain"), (
            suffix
        )
        assert selection.name == f"mine.{suffix}"


def test_missing_columns_words_and_files_are_refused(home: Path) -> None:
    """A language is English; words, files and columns that lack are one error each."""
    selection, _ = load(write(home, ROWS))
    assert set(record_table(selection.items)["language"]) == {"en"}
    selection, _ = load(write(home, [(*row, "") for row in ROWS], "language"))
    assert set(record_table(selection.items)["language"]) == {"en"}
    assert load("mine.csv", words="likely")[1] == ["likely"]
    (home / "short.csv").write_text("context,setting,word,statement\na,b,c,d\n", "utf-8")
    assert "short.csv has no column 'clause'" in refused(load, "short.csv")
    (home / "none.csv").write_text("context,setting,word,statement,clause\n", "utf-8")
    assert "none.csv holds no rows" in refused(load, "none.csv")
    assert "there is no file" in refused(load, "nothing.csv")
    assert "words names 'maybe'" in refused(load, write(home, ROWS), words="maybe")


def test_bad_rows_name_file_and_context(home: Path) -> None:
    """A word given twice, a second clause and an empty cell are one error each."""
    for extra, says in [
        (ROWS[0], "mine.csv: context 'rain' in office, en has the word 'likely' twice;"),
        (
            ("rain", "office", "maybe", "Maybe rain.", "rain falls"),
            "mine.csv: context 'rain' in office, en has several clauses; a context has one.",
        ),
        (("rain", "office", "maybe", "", "it will rain"), "line 6: 'statement' is missing."),
        (("", "office", "maybe", "Maybe.", "it will rain"), "line 6: 'context' is missing."),
    ]:
        assert says in refused(load, write(home, [*ROWS, extra]))
