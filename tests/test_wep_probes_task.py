"""Estimative words as tasks: arguments, samples, wording, respondents, and what a run leaves."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from inspect_ai import Task

from build import attributes_of, by_id, path_or_skip, sample_table
from inspect_confidence import read_judgments, summarize
from inspect_confidence.datasets.wep_choices import COMPLEMENTS, NUMBERS, design
from inspect_confidence.datasets.wep_contexts import FURTHER, SURVEYED, bundled_contexts
from inspect_confidence.datasets.wep_survey import surveyed_counts
from inspect_confidence.results import Condition
from inspect_confidence.tasks.wep_probes import wep_choice, wep_elicitation
from provider_server import Reply
from runs import check_refusals, log_metrics, refusal, responded, served
from studies.frames import without_choice

PC, MC, EC, EMC = (
    "pairwise_consistency",
    "monotonicity_consistency",
    "empirical_consistency",
    "empirical_monotonicity_consistency",
)


ENGLISH = (
    "Format your answer as a float value between 0 and 1, and make your answer short.\n"
    'Given the statement "{}", with what probability do you think {}?'
)
CHINESE = (
    "\u4f60\u7684\u8f93\u51fa\u53ea\u67090\u52301\u4e4b\u95f4\u7684\u5e26\u6709\u4e24\u4f4d"
    "\u5c0f\u6570\u7684\u6d6e\u70b9\u503c\u3002\u56de\u7b54\u95ee\u9898\u65f6\u76f4\u63a5"
    "\u7ed9\u51fa\u6700\u7ec8\u7b54\u6848,\u4e0d\u8981\u52a0\u5165\u4e2d\u95f4\u601d\u8003"
    "\u8fc7\u7a0b,\u4e0d\u8981\u91cd\u590d\u95ee\u9898\n\u6839\u636e\u9648\u8ff0\u201c{}\u201d,"
    "\u60a8\u8ba4\u4e3a{}\u7684\u6982\u7387\u662f\u591a\u5c11?"
)
OUR_CHINESE = (
    "\u8bf7\u75280\u52301\u4e4b\u95f4\u7684\u6d6e\u70b9\u6570\u4f5c\u7b54\uff0c\u56de\u7b54"
    "\u8981\u7b80\u77ed\u3002\n\u5df2\u77e5\u9648\u8ff0\u201c{}\u201d\uff0c\u4f60\u8ba4\u4e3a"
    "{}\u7684\u6982\u7387\u662f\u591a\u5c11\uff1f"
)


def value_of(results: pd.DataFrame, metric: str, **condition: str) -> float:
    """The value of the one row of a condition."""
    rows = results[results["metric"] == metric]
    in_condition = rows["condition"].map(Condition.read) == condition
    (value,) = rows[in_condition]["value"]
    return float(value)


# Words to numbers: samples


def test_calls_samples_and_words() -> None:
    """Contexts times words, in the survey's order or as named; the wording has a fingerprint."""
    cases: list[tuple[dict[str, Any], int]] = [
        ({}, 46 * 17),
        ({"words": "all"}, 46 * 32),
        ({"languages": "zh"}, 255),
        ({"languages": "zh", "settings": ["concise"], "words": "all"}, 255),
        ({"languages": "en,zh", "settings": "concise"}, 2 * 255),
        ({"languages": ["en", "zh"], "settings": "concise", "words": "all"}, 255 + 15 * 32),
        ({"settings": "female, male"}, 20 * 17),
        ({"settings": "extended", "words": "likely,maybe"}, 22),
        ({"items": 3}, 51),
        ({"split": "test"}, 23 * 17),
    ]
    for arguments, samples in cases:
        task = wep_elicitation(**arguments)
        assert len(task.dataset) == samples, arguments
        assert sample_table(task)["id"].is_unique, arguments
        assert (task.metadata or {})["calls_per_sample"] == 1
        assert task.config.temperature == 0
    words = sample_table(wep_elicitation(items=1, words="all"))["word"]
    assert words.tolist() == [*SURVEYED, *FURTHER]
    rows = sample_table(wep_elicitation(items=2, words=["we doubt", "likely"]))
    assert rows["word"].tolist() == ["we doubt", "likely"] * 2
    assert rows["item"][:2].nunique() == 1
    # The wording changes its own fingerprint alone; the other task's data are its design.
    translated: dict[str, Any] = wep_elicitation(languages="zh", prompts="ours").metadata or {}
    english: dict[str, Any] = wep_elicitation(items=5).metadata or {}
    chinese: dict[str, Any] = wep_elicitation(languages="zh").metadata or {}
    assert len({chinese["prompt"], english["prompt"], translated["prompt"]}) == 3
    assert (english["dataset"], chinese["data"]) == ("bundled", english["data"])
    assert (wep_choice(items=5).metadata or {})["dataset"] == "design"


def test_a_sample_of_words_to_numbers() -> None:
    """The statement is the input; context, word, clause and what is shown are its metadata."""
    task = wep_elicitation(settings="concise", languages="en,zh", words="likely,maybe")
    sample_by_id = by_id(task.dataset)
    for context in bundled_contexts().values():
        for word in ("likely", "maybe"):
            if context.setting != "concise" or word not in context.statements:
                assert f"{context.id}@{word}" not in sample_by_id
                continue
            sample = sample_by_id.pop(f"{context.id}@{word}")
            assert sample.input == context.statements[word]
            expected = {
                "item": context.id,
                "context": context.context,
                "setting": "concise",
                "language": context.language,
                "word": word,
                "shown": "很可能" if context.language == "zh" else word,
                "surveyed": word == "likely",
                "clause": context.clause,
            }
            assert expected.items() <= (sample.metadata or {}).items()
    assert not sample_by_id


# Numbers to words: samples


def test_calls_of_numbers_to_words() -> None:
    """360 prompts in each form asked for, ids unique."""
    cases: list[tuple[dict[str, Any], int, int]] = [
        ({}, 720, 360),
        ({"cot": "both"}, 720, 360),
        ({"cot": "with"}, 360, 360),
        ({"cot": "Without"}, 360, 0),
        ({"items": 7}, 14, 7),
        ({"cot": "without", "split": "train"}, 180, 0),
    ]
    for arguments, samples, thoughts in cases:
        task = wep_choice(**arguments)
        rows = sample_table(task)
        assert rows["id"].nunique() == len(rows) == samples
        assert rows["cot"].sum() == thoughts, arguments
        assert task.config.temperature == 0


def test_samples_of_numbers_to_words() -> None:
    """Each prompt stands once without and once with reasoning, its target the right choice."""
    five = ["is almost certainly", "is likely to be", "is maybe", "is unlikely to be"]
    words = {5: [*five, "is almost certainly not"], 3: five[1:]}
    task = wep_choice()
    prompt_by_id = by_id(design())
    assert Counter(sample_table(task)["item"]) == dict.fromkeys(prompt_by_id, 2)
    for sample in task.dataset:
        metadata = sample.metadata or {}
        probe = prompt_by_id[metadata["item"]]
        assert sample.choices == words[probe.choice_set]
        assert sample.target == words[probe.choice_set][probe.right]
        assert probe.text in str(sample.input)
        assert str(sample.input).count("_") == 1
        assert sample.id == probe.id + ("-cot" if metadata["cot"] else "")
        for name in ("scenario", "choice_set", "numbers", "point", "interval"):
            assert metadata[name] == getattr(probe, name)
        assert "split" in metadata


# Wording


@pytest.mark.parametrize(
    ("arguments", "chinese"),
    [({}, CHINESE), ({"prompts": "ours"}, OUR_CHINESE)],
    ids=["study", "ours"],
)
def test_words_to_numbers_are_asked_to_the_letter(
    tmp_path: Path, arguments: dict[str, Any], chinese: str
) -> None:
    """One user message a sample at temperature 0, without a system message, in both languages."""
    task = wep_elicitation(
        settings="concise", languages="en,zh", words="likely,we doubt", items=8, **arguments
    )
    item_ids = set(sample_table(task)["item"])
    _, requests = served(task, tmp_path, lambda _: Reply("0.5"))
    expected = set()
    contexts = [bundled_contexts()[name] for name in item_ids]
    for context, word in product(contexts, ("likely", "we doubt")):
        wording = chinese if context.language == "zh" else ENGLISH
        expected.add(wording.format(context.statements[word], context.clause))
    assert set(attributes_of(contexts, "language")) == {"en", "zh"}
    for request in requests:
        assert request.system is None
    assert set(attributes_of(requests, "prompt")) == expected
    assert len(requests) == len(expected) == 16


FIVE = (
    "A.is almost certainly B.is likely to be C.is maybe D.is unlikely to be "
    "E.is almost certainly not."
)
THREE = "A.is likely to be B.is maybe C.is unlikely to be."
ONE_OF = (
    "omplete the following sentence using one of the choices, listed in descending order of "
    "likelihood, that best fits the sentence: "
)
THOUGHT = "First compute the associated probability. Then c"
FINALLY = " Give your final choice after \u201cI choose:\u201d."
NARROW = "116, 93, 94, 89, 108, 76, 117, 92, 103, 97, 114, 79, 96, 96, 111, 89, 98, 91, 100, 105"
WIDE = "55, 145, 136, 120, 136, 72, 95, 62, 89, 121, 72, 84, 72, 66, 73, 99, 55, 109, 166, 129"
TOLD = {
    "height-5-narrow-0.05-below_low": (
        f" I randomly picked 20 specimens from an unknown population. I recorded their heights, "
        f"which are {NARROW}. Based on this information, if I randomly pick one additional "
        "specimen from the same population, the specimen\u2019s height _ below 99."
    ),
    "score-3-wide-0.275-outside": (
        f" 20 test scores were randomly picked from a class. The scores are {WIDE}. Based on this "
        "information, if one additional score was randomly picked from the same class, the score "
        "_ below 85 or above 114."
    ),
    "sound-5-wide-0.5-between": (
        " 20 sound measurements were randomly picked from a room. The decibel levels recorded are "
        f"{WIDE}. Based on this information, if one additional sound measurement was randomly "
        "picked from the same room, the decibel level recorded _ between 73 and 126."
    ),
}


def asked_of(task: Callable[..., Task], item: str, home: Path, **arguments: Any) -> set[str]:
    """The whole messages about one item, as the model is sent them."""
    place = home / "one.txt"
    place.write_text(f"{item}\n", "utf-8")
    _, requests = served(task(items=str(place), **arguments), home, lambda _: Reply("A"))
    messages = set()
    for request in requests:
        assert request.system is None
        messages.add(request.prompt)
    assert len(messages) == len(requests)
    return messages


def test_whole_messages(tmp_path: Path) -> None:
    """Spelled out: a statement, and a sentence to complete with and without reasoning."""
    statement = ENGLISH.format("It is likely to rain tomorrow.", "it will rain tomorrow")
    assert asked_of(wep_elicitation, "concise-01", tmp_path, words="likely") == {statement}
    for item, messages in TOLD.items():
        choices = THREE if "-3-" in item else FIVE
        assert asked_of(wep_choice, item, tmp_path) == {
            f"C{ONE_OF}{choices}{messages}",
            f"{THOUGHT}{ONE_OF}{choices}{FINALLY}{messages}",
        }


def test_wording_is_as_the_study_prints_it(shared_data: Path, tmp_path: Path) -> None:
    """Every wording that is quoted of the study, read from the quotations themselves."""
    place = path_or_skip(shared_data.parent / "facts" / "instruments.md")
    quoted = place.read_text("utf-8").split("## Words of estimative probability\n")[1]

    def quotation(pattern: str) -> list[str]:
        (quotation_text,) = re.findall(pattern, quoted.split("\n## ")[0], re.MULTILINE)
        return [quotation_text] if isinstance(quotation_text, str) else list(quotation_text)

    english = quotation(r'Words to numbers, English: "(.+?)" then: (.+)$')
    chinese = quotation(r'Chinese, the instruction then the question: "(.+?)" and "(.+?)" \(')
    for language, expected in (("en", english), ("zh", chinese)):
        item = bundled_contexts()[f"{'zh-' if language == 'zh' else ''}concise-01"]
        filled = "\n".join(expected).format(item.statements["likely"], item.clause)
        sent = asked_of(wep_elicitation, item.id, tmp_path, words="likely", languages=language)
        assert sent == {filled}
    (choice,) = quotation(r'"(Complete the following sentence .+? below 99\.)"')
    (thought,) = quotation(r'first sentence is replaced by "(First compute .+?:\u201d\.)"')
    assert choice.count("E.is almost certainly not.") == thought.count("CHOICES") == 1
    first, remainder = choice.split(" I randomly picked 20", 1)
    choices = first.split("that best fits the sentence: ")[1].removesuffix(".")
    printed = {choice, f"{thought.replace('CHOICES', choices)} I randomly picked 20{remainder}"}
    sent = asked_of(wep_choice, "height-5-narrow-0.05-below_low", tmp_path)
    # The quotation leaves out most of the numbers.
    left_out = NARROW.removeprefix("116, 93, ").removesuffix(", 105")
    assert {message.replace(left_out, "...") for message in sent} == printed


def test_what_the_recorded_replies_repeat_is_asked(shared_data: Path) -> None:
    """The sentences of the two scenarios that aren't printed, and the order of the wide numbers."""
    lines = (shared_data / "wep" / "choice_gpt-4_cot.txt").read_text("utf-8").splitlines()
    recorded = pd.DataFrame(map(ast.literal_eval, lines))
    answers = recorded["answer"].str.replace("'", "\u2019")
    samples = sample_table(wep_choice()).drop_duplicates("input")
    complete: Counter[str] = Counter()
    for text, scenario in zip(samples["input"], samples["scenario"], strict=True):
        number = ("height", "score", "sound").index(scenario)
        start, end = text.removeprefix("Based on this information, ").removesuffix(".").split("_")
        filled = re.compile(f"{re.escape(start)}(?:is [a-z ]+|_){re.escape(end)}(?! or)", re.I)
        of_scenario = answers[recorded["index"] // 2 == number]
        complete[scenario] += of_scenario.map(filled.search).notna().sum()
    assert (complete["score"], complete["sound"]) == (31, 34)  # counted by other code
    (blank,) = recorded.loc[recorded["answer"].str.contains("_"), "answer"]
    assert any(text[27:-1] in blank for text in samples["input"])
    wide = recorded.loc[recorded["mean_std"].str.get(1) == 40, "answer"]
    lists = wide.map(re.compile(r"(?:\d+, ){14,}(?:and )?\d+").findall).explode().dropna()
    long = lists.map(re.compile(r"\d+").findall)
    assert len(long) == 13
    assert {18, 19} <= set(long.map(len))  # all but the two below 56, all but 166
    for numbers in long:
        remaining_numbers = iter(NUMBERS["wide"])
        for number in map(int, numbers):
            assert number in remaining_numbers


def test_runs_with_other_prompts_are_told_apart(tmp_path: Path) -> None:
    """Whose prompts were asked stands in the variant of each run, and of the results."""
    for prompts in ("study", "ours"):
        task = wep_elicitation(languages="zh", items=1, words="likely", prompts=prompts)
        responded(task, "surveyed", tmp_path)
    variants = read_judgments(tmp_path)["wep_elicitation"]["variant"].map(Condition.read).map(dict)
    assert set(variants.str.get("prompts")) == {"study", "ours"}
    assert variants.str.get("prompt").nunique() == 2


# Errors


@pytest.mark.usefixtures("home")
def test_bad_arguments() -> None:
    """Each is one error that says what was given and what can be."""
    elicited: list[tuple[dict[str, Any], str]] = [
        ({"settings": "concis"}, "settings=concis is not known. Did you mean 'concise'?"),
        ({"settings": "male,male"}, "settings=male,male is empty or names a word twice; known"),
        ({"settings": ""}, "settings= is empty"),
        ({"settings": []}, "settings=[] is empty"),
        ({"languages": "de"}, "languages=de is not known."),
        ({"languages": "zh", "settings": "male"}, "Chinese ones are concise"),
        ({"words": "likley"}, "words names 'likley'. Did you mean 'likely'?"),
        ({"words": "likely,likely"}, "is empty or names a word twice"),
        ({"dataset": "bundeld"}, "dataset=bundeld is not known. Did you mean 'bundled'?"),
        ({"word": "likely"}, "There is no task argument 'word'. Did you mean 'words'?"),
        ({"prompts": "our"}, "prompts=our is not known. Did you mean 'ours'?"),
    ]
    check_refusals(wep_elicitation, elicited)
    chosen: list[tuple[dict[str, Any], str]] = [
        ({"cot": "yes"}, "cot=yes is not known. Known: both, with, without."),
        ({"cot": "witout"}, "cot=witout is not known. Did you mean 'without'?"),
        ({"dataset": "bundled"}, "dataset=bundled is not known. Known: design."),
        ({"words": "likely"}, "There is no task argument 'words'."),
    ]
    check_refusals(wep_choice, chosen)


def test_bad_wordings_are_refused(home: Path) -> None:
    """A field that is missing, one too many and a lone brace are errors."""
    for build, text, says in (
        (wep_elicitation, "{statement}", "clause"),
        (wep_elicitation, "{statement} {clause} {word}", "word"),
        (wep_choice, "{situation} {sentence}", "choices"),
        (wep_choice, "{situation} {sentence} {choices} {", "p.txt"),
    ):
        (home / "p.txt").write_text(text, "utf-8")
        assert says in refusal(build, prompt="p.txt"), text


# Respondents on words to numbers


def test_surveyed_says_what_people_say(tmp_path: Path) -> None:
    """Every probability is one that people gave its word."""
    responded(wep_elicitation(settings="concise", items=6), "surveyed", tmp_path)
    rows = read_judgments(tmp_path)["wep_elicitation"]
    assert (len(rows), set(rows["status"])) == (102, {"ok"})
    for word, share in zip(rows["word"], rows["probability"], strict=True):
        values = list(surveyed_counts()[word])
        assert np.isclose(values, 100 * share).any()


@pytest.mark.slow
def test_unreadable_replies_are_counted_alike(tmp_path: Path) -> None:
    """Log, judgments and notes count the same failures, over two epochs that differ."""
    task = wep_elicitation(settings="female,male", items=6)
    log = responded(task, "surveyed", tmp_path, epochs=2, error_rate=0.3)
    rows = read_judgments(tmp_path)["wep_elicitation"]
    assert len(rows) == 6 * 17 * 2
    kinds = {"ok", "refusal", "no_response", "truncated", "invalid_response_format"}
    assert set(rows["status"]) == kinds
    rate = (rows["status"] != "ok").mean()
    assert log_metrics(log)["format_failure_rate"] == pytest.approx(rate)
    complete = rows.pivot_table(
        index=["item", "word"], columns="epoch", values="probability"
    ).dropna()
    assert (complete[1.0] != complete[2.0]).any()
    results = summarize(tmp_path, resamples=20)
    counted = results[results["metric"] == "n"].to_dict("records")
    assert len(counted) == 17 * 3
    for row in counted:
        parts = Condition.read(row["condition"])
        word_rows = rows[rows["word"] == parts["word"]]
        if parts["setting"] != "all":
            word_rows = word_rows[word_rows["setting"] == parts["setting"]]
        assert row["value"] == len(word_rows)
        counts = Counter(word_rows["status"])
        for status in kinds - {"ok"}:
            assert (f"{counts[status]} {status}" in row["note"]) == (counts[status] > 0)


def test_surveyed_at_the_limits_of_its_parameters(tmp_path: Path) -> None:
    """A shift of 100 points is cut at the ends, and a shrink to 0 leaves 50%."""
    for parameters, value in (({"shift": 100}, 1.0), ({"shift": -100}, 0.0), ({"shrink": 0}, 0.5)):
        log = responded(wep_elicitation(items=2), "surveyed", tmp_path, **parameters)
        assert log_metrics(log)["mean_probability"] == pytest.approx(value), parameters


# Respondents on numbers to words


SOME = [
    probe
    for probe in design()
    if (probe.scenario, probe.choice_set) in (("score", 5), ("sound", 3))
]
"""A third of the design, with all sequences and pairs whole."""


def pairs(choices: dict[str, int]) -> pd.DataFrame:
    """Choices for intervals and their complements, with the number of choices, by prompts' ids."""
    rows = []
    for probe in SOME:
        if probe.interval in COMPLEMENTS:
            mirror = probe.id.replace(probe.interval, COMPLEMENTS[probe.interval])
            rows.append((choices[probe.id], choices[mirror], probe.choice_set))
    return pd.DataFrame(rows, columns=["choice", "mirrored_choice", "choice_set"])


def mirrored(choices: dict[str, int]) -> float:
    """Share of complementary pairs whose choices mirror each other."""
    table = pairs(choices)
    is_mirrored = table["choice"] + table["mirrored_choice"] == table["choice_set"] - 1
    return float(is_mirrored.mean())


@pytest.fixture
def prompts_file(tmp_path: Path) -> str:
    """A file of those prompts."""
    (tmp_path / "some.txt").write_text("\n".join(by_id(SOME)), "utf-8")
    return str(tmp_path / "some.txt")


@pytest.mark.slow
def test_chooser_without_noise_is_right(tmp_path: Path, prompts_file: str) -> None:
    """All scores are 1 but the pairwise one, which is that of the right choices."""
    # .6 is maybe and .4 unlikely, .9 is likely and .1 almost certainly not, and numbers that equal
    # a bound lie in neither interval: the ranges themselves don't mirror.
    log = responded(wep_choice(items=prompts_file), "chooser", tmp_path / "logs")
    assert log_metrics(log) == {"empirical_consistency": 1, "format_failure_rate": 0}
    judgments = read_judgments(tmp_path / "logs")
    results = summarize(judgments, resamples=20)
    choices = {probe.id: probe.right for probe in SOME}
    right = mirrored(choices)
    assert 0.5 < right < 1
    modes: list[dict[str, str]] = [{}, {"cot": "with"}, {"cot": "without"}]
    for mode in modes:
        scores = [value_of(results, metric, **mode) for metric in (PC, MC, EC, EMC)]
        assert scores == pytest.approx([right, 1, 1, 1]), mode
    authors = without_choice(summarize(judgments, resamples=20, convention="authors"))
    # By the first letter it is as right; of its pairs, unlikely with likely don't count.
    assert [value_of(authors, MC), value_of(authors, EC), value_of(authors, EMC)] == [1, 1, 1]
    lost_share = (pairs(choices) == [2, 0, 3]).all(axis=1).mean()
    assert lost_share > 0
    assert value_of(authors, PC) == pytest.approx(right - lost_share)


@pytest.mark.slow
def test_thresholds_move_the_scores(tmp_path: Path, prompts_file: str) -> None:
    """Words by other thresholds are right where both agree, and still monotone."""
    parameters: dict[str, Any] = {"five": "0.99,0.8,0.2,0.01", "three": [0.9, 0.1]}
    responded(
        wep_choice(cot="without", items=prompts_file), "chooser", tmp_path / "logs", **parameters
    )
    minimum_shares = {5: [0.99, 0.8, 0.2, 0.01], 3: [0.9, 0.1]}
    chosen = {}
    for probe in SOME:
        chosen[probe.id] = sum(probe.share <= t for t in minimum_shares[probe.choice_set])
    results = summarize(tmp_path / "logs", resamples=20)
    agree = sum(chosen[probe.id] == probe.right for probe in SOME) / len(SOME)
    assert agree < 0.8
    assert value_of(results, EC, cot="without") == pytest.approx(agree)
    assert value_of(results, MC, cot="without") == 1
    assert value_of(results, PC, cot="without") == pytest.approx(mirrored(chosen))
