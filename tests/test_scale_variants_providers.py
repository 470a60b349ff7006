"""The scale study through the providers' own packages, against a local server.

The server decides what each reply means before it writes it, so that the expected numbers need no
reader: they are computed here, in exact fractions, loops and scikit-learn.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from random import Random
from statistics import mean

import pytest
from inspect_ai import eval
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log
from sklearn.metrics import brier_score_loss, roc_auc_score

from conftest import Command
from inspect_confidence import summarize
from inspect_confidence.tasks.scale_variants import scale_variants
from provider_server import ProviderServer, Reply, Request

Values = dict[tuple[str, str, str], float | None]


@dataclass(frozen=True)
class Meant:
    """What a reply says; None where it doesn't say it."""

    right: bool | None = None
    raw: int | None = None
    replied: bool = True


def known_answers(data: Path) -> dict[str, set[str]]:
    """Right answers by question, from the published files."""
    answers: dict[str, set[str]] = defaultdict(set)
    for line in (data / "qa" / "gsm8k_test.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        answers[row["question"]] = {row["answer"].split("#### ")[1].replace(",", "")}
    for row in json.loads((data / "qa" / "truthfulqa_mc_task.json").read_text(encoding="utf-8")):
        answers[row["question"]] |= {t for t, truth in row["mc1_targets"].items() if truth}
    return answers


class Examinee:
    """Answers a prompt in one of many ways that all depend on the prompt alone."""

    def __init__(self, answers: dict[str, set[str]]) -> None:
        self.meant: dict[str, list[Meant]] = defaultdict(list)
        self._answers = answers

    def __call__(self, request: Request) -> Reply:
        """A reply, after what it means has been noted under its scale."""
        rng = Random(request.prompt)
        bounds = re.search(r"an integer between (\d+) and (\d+), where", request.prompt)
        assert bounds
        low, high = map(int, bounds.groups())
        asked = request.prompt.split("\n\n", 1)[1].split("\n\nAfter providing", 1)[0]
        question, *listed = asked.split("\nChoices:\n")
        right = rng.random() < 0.65
        truth = self._answers[question]
        if listed:
            choices = [line[3:] for line in listed[0].split("\n")]
            places = [place for place, text in enumerate(choices) if (text in truth) == right]
            answer = chosen(rng, rng.choice(places), choices)
        else:
            answer = solved(rng, int(*truth) + (0 if right else rng.choice([-7, 1, 1000])))
        reply, meant = self._reply(rng, answer, right, (low, high))
        self.meant[f"{low}-{high}"].append(meant)
        return reply

    def _reply(  # noqa: PLR0911 # each kind of reply
        self, rng: Random, answer: str, right: bool, scale: tuple[int, int]
    ) -> tuple[Reply, Meant]:
        low, high = scale
        inside, slack = rng.randint(low, high), (high - low) // 20
        inside = rng.choice([inside, low + round(0.9 * (high - low)), high])
        kind = rng.choices(
            ["ok", "above", "below", "far", "none", "several", "vague", "no", "withheld", "cut"],
            weights=[30, 3, 1, 3, 2, 2, 2, 2, 1, 2],
        )[0]
        raw = {
            "above": high + rng.randint(1, slack + 1),
            "below": low - rng.randint(1, slack + 1),
            "far": high + slack + rng.randint(1, 400),
        }.get(kind, inside)
        if kind == "none":
            return Reply(answer + rng.choice(["", "\nConfidence: high"])), Meant(right)
        if kind == "several":
            return Reply(f"{answer}\nConfidence: {low} or {high}"), Meant(right)
        if kind == "vague":
            return Reply(f"Answer: it depends\nConfidence: {inside}"), Meant(None, inside)
        if kind == "no":
            return Reply("I'm sorry, but I can't answer that."), Meant()
        if kind == "withheld":
            return Reply("", finish="content_filter"), Meant(replied=False)
        if kind == "cut":
            text = rng.choice(["Solution: First, we", f"{answer}\nConfid"])
            return Reply(text, finish="length"), Meant(None if "First" in text else right)
        return Reply(f"{answer}\n{stated(rng, raw, scale)}"), Meant(right, raw)


def chosen(rng: Random, place: int, choices: list[str]) -> str:
    """A line that answers with a choice."""
    letter, text = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[place], choices[place]
    other = "AB"[letter == "A"]
    folded = Counter(" ".join(re.findall(r"\w+", one.casefold())) for one in choices)
    ways = [
        f"Answer: {letter}",
        f"**Answer:** {letter}",
        f"answer = {letter.lower()}",
        f"Answer: ({letter})",
        f"- Answer: {letter}. {text}",
        f"Answer: {letter}) {text}",
        f"The answer is {letter}.",
        f"<think>Answer: {other}? No.</think>\nAnswer: {letter}",
        f"It isn't {other}, I think.\n\n### Final Answer\n{letter}\n",
    ]
    return rng.choice(ways if max(folded.values()) > 1 else [*ways, f"Answer: {text}"])


def solved(rng: Random, value: int) -> str:
    """Lines that answer with a number."""
    ways = [
        f"Solution: 2 * 3 = 6, and so on.\nFinal Answer: {value}",
        f"**Solution:** 10 - 4 = 6.\n\n**Final Answer:** ${value:,}",
        f"Final Answer: {value}.00",
        f"Solution: first 5, then 12.\nFinal Answer: {value} pieces",
        f"So it is \\boxed{{{value}}}.",
        f"Step 1: 3 + 4 = 7\n#### {value}",
        f"<think>Final Answer: 3</think>\nFinal Answer: {value}",
        f"Solution: see above\nFinal Answer: \\({value}\\)",
    ]
    return rng.choice(ways)


def stated(rng: Random, raw: int, scale: tuple[int, int]) -> str:
    """A line that states a confidence."""
    ways = [f"Confidence: {raw}", f"**Confidence:** {raw}", f"\nconfidence = {raw}."]
    ways += [f"Confidence: {raw} (fairly sure)", f"- Confidence level: {raw}.0"]
    ways += [f"Confidence: {raw}/{scale[1]}", f"Confidence: {raw} out of {scale[1]}"]
    return rng.choice([*ways, f"Confidence: {raw}%"] if scale == (0, 100) else ways)


def expected(meant: list[Meant], scale: str) -> dict[tuple[str, str], float]:
    """Condition and metric -> value on one scale, from what the replies mean."""
    low, high = map(int, scale.split("-"))
    excess = [max(low - one.raw, one.raw - high) for one in meant if one.raw is not None]
    far = [20 * one > high - low for one in excess]
    judged = []
    for one in meant:
        if one.right is not None and one.raw is not None:
            share = Fraction(min(max(one.raw, low), high) - low, high - low)
            if 20 * max(low - one.raw, one.raw - high) <= high - low:
                judged.append((share, one.right))
    right, sure = [one for _, one in judged], [float(share) for share, _ in judged]
    counts = Counter(share for share, _ in judged)

    def ece(bins: dict[Fraction, int]) -> float:
        """The weighted mean distance of confidence from accuracy over bins of values."""
        gaps: dict[int, Fraction] = defaultdict(Fraction)
        for share, one in judged:
            gaps[bins[share]] += share - one
        return float(sum(map(abs, gaps.values())) / len(judged))

    def even(number: int) -> dict[Fraction, int]:
        return {share: min(int(share * number), number - 1) for share in counts}

    rank, mass = 0, {}
    for share in sorted(counts):
        mass[share] = int(Fraction(2 * rank + counts[share], 2 * len(judged)) * 10)
        rank += counts[share]
    unread = [one.right is None or one.raw is None for one in meant if one.replied]
    return {
        ("", "accuracy"): mean(one.right for one in meant if one.right is not None),
        ("", "mean_confidence"): mean(sure),
        ("", "overconfidence"): mean(sure) - mean(right),
        ("", "ece"): ece(even(10)),
        ("bins=15;", "ece"): ece(even(15)),
        ("bins=20;", "ece"): ece(even(20)),
        ("bins=11;", "ece"): ece({share: int(share * 10) for share in counts}),
        ("binning=equal_mass;", "ece"): ece(mass),
        ("", "brier"): brier_score_loss(right, sure),
        ("", "auroc"): roc_auc_score(right, sure),
        ("", "violation_rate"): mean(far),
        ("", "clip_rate"): mean(e > 0 and not f for e, f in zip(excess, far, strict=True)),
        ("", "format_failure_rate"): mean(unread),
        ("", "n"): len(meant),
    }


def check_log(log: EvalLog, wanted: dict[str, dict[tuple[str, str], float]]) -> None:
    """Every metric of the log itself, by scale or as the mean over scales."""
    assert log.results
    inside = {name: one.value for name, one in log.results.scores[0].metrics.items()}
    numbers = {
        name: mean(values["", name] for values in wanted.values())
        for name in ("overconfidence", "accuracy", "violation_rate", "format_failure_rate")
    }
    for name in ("ece", "auroc"):
        numbers |= {f"{name}_{scale}": values["", name] for scale, values in wanted.items()}
    assert inside == pytest.approx(numbers, abs=1e-9)


def check_table(
    found: Values, dataset: str, wanted: dict[str, dict[tuple[str, str], float]]
) -> None:
    """Every expected number stands in the results."""
    for scale, values in wanted.items():
        for (where, metric), value in values.items():
            number = found[dataset, f"{where}scale={scale}", metric]
            assert number == pytest.approx(value, abs=1e-9), (dataset, scale, where, metric)


def check_runs(command: Command, logs: Path, data: Path, runs: Mapping[str, Sequence[str]]) -> None:
    """Run data sets with the file form, and compare log and table with what was meant."""
    answers = known_answers(data)
    wanted = {}
    for dataset, arguments in runs.items():
        examinee = Examinee(answers)
        with ProviderServer(examinee) as server:
            command(
                *("inspect", "eval", "tasks/scale_variants.py", "--model", "openai/gpt-4o-mini"),
                *("--model-base-url", server.url + "/v1", "-T", f"dataset={dataset}"),
                *(*arguments, "--log-dir", logs, "--display", "none", "--max-connections", 50),
                INSPECT_CONFIDENCE_DATA=str(data),
                OPENAI_API_KEY="test",
            )
        assert not server.errors
        wanted[dataset] = {k: expected(meant, k) for k, meant in examinee.meant.items()}
    for place in list_eval_logs(str(logs)):
        log = read_eval_log(place, header_only=True)
        check_log(log, wanted[str((log.eval.metadata or {})["dataset"])])
    done = command("inspect-confidence", "summarize", logs, "--json", "--resamples", 50)
    rows = json.loads(done.stdout)
    found = {(row["dataset"], row["condition"], row["metric"]): row["value"] for row in rows}
    for dataset, values in wanted.items():
        check_table(found, dataset, values)
    first, second = wanted.values()
    for scale in first.keys() & second.keys():
        for where, metric in first[scale].keys() - {("", "n")}:
            value = (first[scale][where, metric] + second[scale][where, metric]) / 2
            assert found["mean", f"{where}scale={scale}", metric] == pytest.approx(value, abs=1e-9)


@pytest.mark.slow
def test_log_and_table_equal_what_the_replies_mean(
    command: Command, tmp_path: Path, shared_data: Path
) -> None:
    """Accuracy, ECE in five forms, Brier, AUROC and all rates, on real items and messy replies."""
    runs = {
        "gsm8k": ("-T", "items=60", "-T", "scales=0-100,0-5"),
        "truthfulqa": ("-T", "items=60", "-T", "scales=0-100,60-100"),
    }
    check_runs(command, tmp_path, shared_data, runs)


@pytest.mark.slow
def test_all_of_gsm8k_and_truthfulqa(command: Command, tmp_path: Path, shared_data: Path) -> None:
    """The same on all 1,319 and 817 items on two scales: 4,272 calls."""
    runs = dict.fromkeys(("gsm8k", "truthfulqa"), ("-T", "scales=0-100,0-5"))
    check_runs(command, tmp_path, shared_data, runs)


@pytest.mark.parametrize(
    ("model", "key"),
    [
        ("anthropic/claude-haiku-4-5", "ANTHROPIC_API_KEY"),
        ("google/gemini-2.0-flash", "GOOGLE_API_KEY"),
    ],
)
def test_other_providers(
    tmp_path: Path, shared_data: Path, monkeypatch: pytest.MonkeyPatch, model: str, key: str
) -> None:
    """Ten items each through Anthropic's and Google's packages."""
    monkeypatch.setenv(key, "test")
    monkeypatch.setenv("INSPECT_CONFIDENCE_DATA", str(shared_data))
    examinee = Examinee(known_answers(shared_data))
    with ProviderServer(examinee) as server:
        (log,) = eval(
            scale_variants(dataset="truthfulqa", items=10, seed=2, scales="0-100,20-100"),
            model=model,
            model_base_url=server.url,
            log_dir=str(tmp_path),
            display="none",
        )
    assert log.status == "success"
    assert not server.errors
    wanted = {scale: expected(meant, scale) for scale, meant in examinee.meant.items()}
    check_log(log, wanted)
    rows = summarize(tmp_path, resamples=50).to_dict("records")
    found = {(row["dataset"], row["condition"], row["metric"]): row["value"] for row in rows}
    check_table(found, "truthfulqa", wanted)
