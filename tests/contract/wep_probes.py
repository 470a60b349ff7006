"""The far ends of estimative words: probabilities in two scripts, and words chosen by letter."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import partial
from random import Random
from statistics import mean, median
from typing import Any

import pandas as pd
from inspect_ai import Task

from build import column_of, frame_rows, rows_with, sample_table
from contract.far_end import Case, failure_rate
from inspect_confidence.datasets.wep_choices import design
from inspect_confidence.tasks.wep_probes import wep_choice, wep_elicitation
from provider_server import Finish, Reply, Request
from runs import Values

# Every reply with what it means.
PROBABILITIES: list[tuple[str, Finish, float | None, str]] = [
    ("0.7", "stop", 0.7, "ok"),
    (".85", "stop", 0.85, "ok"),
    ("70%", "stop", 0.7, "ok"),
    ("0.70 (likely)", "stop", 0.7, "ok"),
    ("7/10", "stop", 0.7, "ok"),
    ("\uff10.\uff17", "stop", 0.7, "ok"),  # full-width digits
    ("\uff10\uff0e\uff18\uff15", "stop", 0.85, "ok"),  # and a full-width point
    ("\u767e\u5206\u4e4b\u4e03\u5341", "stop", 0.7, "ok"),  # seventy of a hundred
    ("\u6982\u7387\u662f0.35\u3002", "stop", 0.35, "ok"),  # the probability is
    ("70", "stop", 0.7, "ok"),
    ("1", "stop", 1.0, "ok"),
    ("0", "stop", 0.0, "ok"),
    ("I'd say 0.25.", "stop", 0.25, "ok"),
    ("7", "stop", None, "invalid_response_format"),
    ("0.6-0.8", "stop", None, "ambiguous"),
    ("between 0.6 and 0.8", "stop", None, "ambiguous"),
    ("I can't answer that.", "stop", None, "refusal"),
    ("", "stop", None, "no_response"),
    ("0.", "length", None, "truncated"),
    ("0.7", "content_filter", None, "content_filter"),
]


def is_asked(prompt: str, facts: Mapping[str, Any]) -> bool:
    """Whether a prompt quotes a statement and has its clause."""
    quoted = f'["\u201c]{re.escape(facts["input"])}["\u201d]'
    return bool(re.search(quoted, prompt)) and facts["clause"] in prompt


class Surveyed:
    """States probabilities by turns in every form."""

    def __init__(self, task: Task) -> None:
        self.meant: list[tuple[dict[str, Any], float | None, str]] = []
        self.withholds = True
        self._facts = frame_rows(sample_table(task))

    def __call__(self, request: Request) -> Reply:
        """The next reply, of the statement that stands in the prompt."""
        (asked_facts,) = filter(partial(is_asked, request.prompt), self._facts)
        forms = PROBABILITIES if self.withholds else PROBABILITIES[:-1]
        text, finish, value, status = forms[len(self.meant) % len(forms)]
        self.meant.append((asked_facts, value, status))
        return Reply(text, finish)

    def judgments(self) -> list[dict[str, Any]]:
        """Context, word, probability and status."""
        rows = []
        for facts, value, status in self.meant:
            row = {"item": facts["item"], "word": facts["word"], "setting": facts["setting"]}
            row |= {"language": facts["language"], "probability": value, "status": status}
            rows.append(row)
        return rows

    def log(self) -> dict[str, float]:
        """Over all words."""
        read = [value for _, value, _ in self.meant if value is not None]
        rate = failure_rate(column_of(self.meant, 2))
        return {"mean_probability": mean(read), "format_failure_rate": rate}

    def table(self) -> Values:
        """By word: means over contexts of the means over epochs."""
        values: Values = {}
        for word in set(column_of(column_of(self.meant, 0), "word")):
            contexts: dict[str, list[float]] = defaultdict(list)
            for facts, value, _ in self.meant:
                if facts["word"] == word and value is not None:
                    contexts[facts["item"]].append(value)
            condition = f"language=zh;setting=concise;word={word}"
            means = list(map(mean, contexts.values()))
            values[condition, "mean_probability"] = mean(means)
            values[condition, "median_probability"] = median(means)
            values[condition, "n"] = len(rows_with(column_of(self.meant, 0), word=word))
        return values


# Of letter @L and text @T.
WAYS: list[tuple[str, Finish, str]] = [
    ("@L.@T", "stop", "ok"),
    ("@L", "stop", "ok"),
    ("@T", "stop", "ok"),
    ("I choose: @L.@T", "stop", "ok"),
    ("**@L**", "stop", "ok"),
    ("(@L)", "stop", "ok"),
    ("So, as I see it: no, not this one.\n\nI choose: @L", "stop", "ok"),
    ("@L.@T (\u4e03)", "stop", "ok"),
    ("I'm sorry, but I can't answer that.", "stop", "refusal"),
    ("", "stop", "no_response"),
    ("I choose:", "length", "truncated"),
    ("None of these will do, or all.", "stop", "invalid_response_format"),
    ("A", "content_filter", "content_filter"),
]


class Chooser:
    """Chooses words by turns in every form, right or not."""

    def __init__(self, task: Task) -> None:
        self.meant: list[tuple[str, bool, str, bool | None, str]] = []
        self.withholds = True
        self._asked = [(str(sample.input), sample.metadata or {}) for sample in task.dataset]
        self._rights = {prompt.id: prompt.right for prompt in design()}

    def __call__(self, request: Request) -> Reply:
        """The next reply, to the prompt of the design that is shown."""
        lines = re.findall(r"([A-E])\.(is .*?)(?= [B-E]\.|\. )", request.prompt)
        (item,) = {
            facts["item"]
            for text, facts in self._asked
            if request.prompt.endswith(f"{facts['situation']} {text}")
            and facts["choice_set"] == len(lines)
        }
        place = Random(len(self.meant)).randrange(len(lines))
        (letter, text), right = lines[place], place == self._rights[item]
        ways = WAYS if self.withholds else WAYS[:-1]
        way, finish, status = ways[len(self.meant) % len(ways)]
        cot = request.prompt.startswith("First compute")
        read = status == "ok"
        if cot and read and "I choose" not in way:
            way = f"So, as I see it, it depends.\n\nI choose: {way}"
        self.meant.append((item, cot, text if read else "", right if read else None, status))
        return Reply(way.replace("@L", letter).replace("@T", text), finish)

    def judgments(self) -> list[dict[str, Any]]:
        """Prompt, mode, choice and status."""
        names = ["item", "cot", "choice", "right", "status"]
        return frame_rows(pd.DataFrame(self.meant, columns=names).drop(columns="right"))

    def log(self) -> dict[str, float]:
        """Shares of right choices and of unreadable replies."""
        rights = [right for right in column_of(self.meant, 3) if right is not None]
        rate = failure_rate(column_of(self.meant, 4))
        return {"empirical_consistency": mean(rights), "format_failure_rate": rate}

    def table(self) -> Values:
        """By mode; a prompt's epochs count as one, by their mean."""
        values: Values = {}
        for mode, cot in (("with", True), ("without", False)):
            rights: dict[str, list[float]] = defaultdict(list)
            for item, has_cot, _, right, _ in self.meant:
                if has_cot == cot and right is not None:
                    rights[item].append(right)
            shares = list(map(mean, rights.values()))
            values[f"cot={mode}", "empirical_consistency"] = mean(shares)
        return values


def clause(text: str, facts: Mapping[str, Any]) -> tuple[str, ...]:
    """A statement and what is asked of it."""
    return text, facts["clause"]


def situation(text: str, facts: Mapping[str, Any]) -> tuple[str, ...]:
    """Numbers and the sentence that they are to complete."""
    return facts["situation"], text


CASES = [
    Case(
        "wep_elicitation",
        wep_elicitation,
        lambda home: (
            {"settings": "concise", "languages": "zh", "words": "likely,we doubt", "items": 15},
            Surveyed,
        ),
        minimal={"words": "likely", "settings": "concise"},
        ok="0.7",
        cut="0.",
        fields=("statement", "clause"),
        field_texts=clause,
        headline="mean_probability",
        condition=None,
    ),
    Case(
        "wep_choice",
        wep_choice,
        lambda home: ({"items": 20}, Chooser),
        minimal={"cot": "without"},
        ok="B",
        cut="I choose:",
        unreadable="None of these will do, or all.",
        fields=("situation", "sentence", "choices"),
        field_texts=situation,
        headline="empirical_consistency",
        condition=None,
    ),
]
