"""Study files, price files and maps: each value that can't be used ends in a line with its key."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy.special import expit

from build import entries_of, numbered
from inspect_confidence import recalibrate, recalibrated
from inspect_confidence.commands.design import MAX_RUNS, read_design
from inspect_confidence.commands.prices import read_prices
from inspect_confidence.commands.recalibrate import read_maps
from inspect_confidence.datasets.wep_survey import read_survey
from inspect_confidence.metrics import Recalibration
from inspect_confidence.user_files import DEEPEST, LARGEST_YAML, read_yaml
from runs import printed, refusal

SECONDS = 5
"""What refusing a file may take."""

STUDY = "models: [respondent/candid]\ntasks: [fermi_eval]\n"
COST = {"input": 1, "output": 2.5, "input_cache_write": 1, "input_cache_read": 0}


def refused(read: Callable[[str], object], file: Path, text: str) -> str:
    """Return the line that a file of this text ends in, which names the file, in time."""
    file.write_text(text, "utf-8")
    start = time.monotonic()
    message = refusal(lambda: read(str(file)))
    assert time.monotonic() - start < SECONDS
    assert str(file) in message
    assert len(message) < 600
    return message


VARIED = ", ".join(
    f"{name}: {list(range(40))}"
    for name in ("levels", "seed", "items", "draws", "method", "exponents", "dataset")
)
STUDIES = {
    "alias bomb": ("a: &a [x, x]\nb: [*a, *a]\n" + STUDY, "anchors and aliases are not read"),
    "product": (
        f"models: [mockllm/m]\ntasks: [{{task: fermi_eval, vary: {{{VARIED}}}}}]\n",
        "names 1.6384e+11 runs",
    ),
    "deep lists": ("x: " + "[" * 40_000, f"are nested more than {DEEPEST} deep"),
    "deep blocks": ("- " * 40_000, f"are nested more than {DEEPEST} deep"),
    "10 MB of comment": ("#" * 10_000_000 + "\n" + STUDY, f"at most {LARGEST_YAML:,} are read"),
    "empty integer": ("repeats: !!int ''\n" + STUDY, "the tag tag:yaml.org,2002:int is not read"),
    "object": ("x: !!python/object/apply:os.getcwd []\n" + STUDY, "is not read (line 1"),
    "impossible date": (
        STUDY + "repeats: 2024-13-45\n",
        "repeats='2024-13-45' should be a valid int",
    ),
    "text for a number": (
        STUDY + "settings: {max_connections: x}\n",
        "settings.max_connections='x' should be a valid integer",
    ),
    "no connections": (STUDY + "settings: {max_connections: 0}\n", "should be greater than 0"),
    "endless number": (STUDY + f"repeats: {'9' * 5_000}\n", "more than 18 digits"),
    "infinite": (STUDY + "settings: {temperature: 1e999}\n", "temperature: inf is not a finite"),
    "not a number": (STUDY + "settings: {top_p: .nan}\n", "top_p: nan is not a finite"),
    "too often": (STUDY + "repeats: 100000\n", "repeats=100000 should be less than or equal"),
    "surrogate": (STUDY + 'logs: "\\ud83d"\n', "logs: '\\ud83d' is not Unicode text"),
    "key twice": (STUDY + "models: [mockllm/m]\n", "the key 'models' occurs twice (line 3"),
    "list as key": (STUDY + "? [a]\n: b\n", "a key is a list or a mapping"),
    "number as key": (STUDY + "arguments: {5: 3}\n", "arguments.5"),
    "number as task": ("models: [mockllm/m]\ntasks: [5]\n", "tasks.0"),
    "number as folder": (STUDY + "logs: 5\n", "logs=5 should be a valid string"),
    "flag as models": ("models: true\ntasks: [fermi_eval]\n", "models=True should be a valid list"),
    "nothing": ("", "is not a mapping of the form `name: value`"),
    "no tasks": ("models: [mockllm/m]\n", "tasks is missing"),
}


@pytest.mark.parametrize("case", STUDIES)
def test_a_study_file_that_cannot_be_used_ends_in_a_line_with_its_key(
    case: str, tmp_path: Path
) -> None:
    """Before anything is built: no traceback, no waiting, nothing expanded."""
    text, says = STUDIES[case]
    assert says in refused(read_design, tmp_path / "study.yaml", text)


def test_a_study_of_as_many_runs_as_there_may_be_is_read(tmp_path: Path) -> None:
    """One run more is refused; models count as runs."""
    file = tmp_path / "study.yaml"
    half = MAX_RUNS // 2
    for count, models in ((half, 2), (MAX_RUNS, 1)):
        names = numbered("mockllm/", models)
        task = {"task": "fermi_eval", "vary": {"seed": list(range(count))}}
        file.write_text(yaml.safe_dump({"models": names, "tasks": [task]}), "utf-8")
        assert len(read_design(str(file)).entries) == count
        task["vary"] = {"seed": list(range(count + 1))}
        text = yaml.safe_dump({"models": names, "tasks": [task]})
        assert f"at most {MAX_RUNS:,}" in refused(read_design, file, text)


def test_yaml_is_read_by_the_core_schema(tmp_path: Path) -> None:
    """YAML 1.2's own examples of its core schema; what version 1.1 converts stays text."""
    file = tmp_path / "core.yaml"
    file.write_text(
        "[null, ~, '', true, False, 0, 0o7, 0x3A, -19, 0., -0.0, .5, +12e03, -2E+05]", "utf-8"
    )
    expected = [None, None, "", True, False, 0, 7, 58, -19, 0.0, -0.0, 0.5, 12_000.0, -200_000.0]
    assert read_yaml(file) == expected
    file.write_text("[yes, off, 2024-01-02, 1_000, 1:30, 0b1, =, <<]", "utf-8")
    assert read_yaml(file) == ["yes", "off", "2024-01-02", "1_000", "1:30", "0b1", "=", "<<"]


def test_a_device_is_not_read_as_a_study() -> None:
    """It has no end."""
    assert "is not a file" in refusal(lambda: read_design("/dev/zero"))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"input": -1}, "openai/m.input=-1 should be greater than or equal to 0"),
        ({"output": float("inf")}, "output: inf is not a finite number"),
        ({"output": float("nan")}, "output: nan is not a finite number"),
        ({"input": "1"}, "openai/m.input='1' should be a valid number"),
        ({"input": True}, "openai/m.input=True should be a valid number"),
        ({"input": 1e300}, "should be less than or equal to 1000000000"),
        ({"input": None}, "openai/m.input=None should be a valid number"),
        ({"price": 1}, "openai/m.price=1"),
    ],
)
@pytest.mark.parametrize("suffix", [".yaml", ".json"])
def test_a_price_that_is_none_ends_in_a_line_with_its_key(
    change: Mapping[str, Any], says: str, suffix: str, tmp_path: Path
) -> None:
    """Of YAML and of JSON; the line says what a price looks like."""
    prices = {"openai/m": {**COST, **change}}
    text = json.dumps(prices) if suffix == ".json" else yaml.safe_dump(prices)
    message = refused(read_prices, tmp_path / f"prices{suffix}", text)
    assert says in message
    assert "Write for each model" in message


def test_prices_within_bounds_are_read(tmp_path: Path) -> None:
    """As the file says them, whole numbers and fractions."""
    file = tmp_path / "prices.json"
    file.write_text(json.dumps({"openai/m": COST}), "utf-8")
    assert read_prices(str(file))["openai/m"].model_dump() == COST
    for text in ("", "[1]", "[" * 100_000, '{"a": {"input": ' + "9" * 5_000 + "}}", '{"a": NaN}'):
        refused(read_prices, file, text)
    assert "occurs twice" in refused(read_prices, file, '{"a": 1, "a": 2}')


def judgments(seed: int = 0) -> pd.DataFrame:
    """Judgments with stated confidence that is too high, on 400 items."""
    chance = np.random.default_rng(seed)
    confidence = chance.choice([0.5, 0.7, 0.9, 0.99], 400)
    return pd.DataFrame(
        {
            "item": numbered("", 400),
            "model": "m",
            "confidence": confidence,
            "correct": (chance.random(400) < confidence**2).astype(float),
        }
    ).assign(task="any_eval", status="ok", way="recorded", source="stated")


MAPS: list[tuple[str, dict[str, Any], str]] = [
    ("isotonic", {"y": [0.5]}, "`x` has"),
    (
        "isotonic",
        {"x": [0.5, 0.9], "y": [0.9, 0.5]},
        "`y` decreases, which no map of the method isotonic",
    ),
    ("isotonic", {"x": [0.9, 0.5], "y": [0.5, 0.9]}, "`x` does not ascend"),
    ("isotonic", {"x": [], "y": []}, "x=[] should have at least 1 item"),
    ("isotonic", {"x": [0.5], "y": [1.5]}, "y.0=1.5 should be less than or equal to 1"),
    ("isotonic", {"x": [0.5], "y": [float("nan")]}, "nan is not a finite number"),
    ("isotonic", {"x": [0.5], "y": ["0.5"]}, "y.0='0.5' should be a valid number"),
    ("isotonic", {"x": "ab", "y": "ab"}, "x='ab' should be a valid list"),
    ("isotonic", {"clip": 0.3}, "clip=0.3 should be less than or equal to 0"),
    ("isotonic", {"kind": "spline"}, "kind='spline' should be 'knots'"),
    ("isotonic", {"method": "magic"}, "the method 'magic' is not known"),
    ("isotonic", {"train": {}}, "one of `split`, `halves` and `folds`"),
    ("isotonic", {"train": {"halves": 10**400}}, "more than 18 digits"),
    ("isotonic", {"fold_maps": []}, "`fold_maps` has 0 maps and not 10"),
    ("isotonic", {"datasets": "one"}, "datasets='one' should be a valid list"),
    ("isotonic", {"condition": {"low": "x", "high": 1}}, "`low` and `high` of its `condition`"),
    ("isotonic", {"condition": [1]}, "condition=[1] should be a valid mapping"),
    ("isotonic", {"task": 5}, "task=5 should be a valid string"),
    ("isotonic", {"test_items": -3}, "test_items=-3 should be greater"),
    ("isotonic", {"author": "x"}, "there is no 'author'"),
    ("beta", {"a": float("inf")}, "inf is not a finite number"),
    ("beta", {"b": -1.0}, "b=-1.0 should be greater than or equal to 0"),
    ("beta", {"c": 1e300}, "c=1e+300 should be less"),
    ("beta", {"clip": 0.7}, "clip=0.7 should be less than or equal to 0.005"),
    ("beta", {"a": None}, "a=None should be a valid number"),
]


@pytest.fixture(scope="module")
def fitted() -> dict[str, dict[str, Any]]:
    """The maps that are fitted to judgments, by method."""
    isotonic = recalibrate(judgments(), method="isotonic", resamples=5).maps
    return {"isotonic": isotonic, "beta": recalibrate(judgments(), method="beta", resamples=5).maps}


@pytest.mark.parametrize(("method", "change", "says"), MAPS)
def test_a_map_that_cannot_be_applied_ends_in_a_line_with_its_key(
    method: str,
    change: dict[str, Any],
    says: str,
    fitted: dict[str, dict[str, Any]],
    tmp_path: Path,
) -> None:
    """Of a file and of what Python hands over."""
    maps = deepcopy(fitted[method])
    maps["maps"][0].update(change)
    file = tmp_path / "map.json"
    assert says in refused(read_maps, file, json.dumps(maps))
    message = refusal(lambda: recalibrated(judgments(), maps))
    assert says in message


def test_a_file_of_maps_is_one_map_of_the_same_judgments(
    fitted: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    """Twice the same is refused; so are 21 MB, deep lists and what has another format."""
    maps = deepcopy(fitted["beta"])
    maps["maps"] *= 2
    file = tmp_path / "map.json"
    assert "the map 1 has the same judgments" in refused(read_maps, file, json.dumps(maps))
    assert "at most 20,000,000 are read" in refused(read_maps, file, " " * 21_000_000)
    assert "are nested more than 20 deep" in refused(read_maps, file, "[" * 100_000)
    foreign: list[Any] = [{**fitted["beta"], "format": "x"}, {}, [], {"maps": 5, "format": None}]
    for value in foreign:
        assert "recalibrate PATH" in refused(read_maps, file, json.dumps(value))


def test_a_map_of_a_file_gives_what_the_map_itself_gives(
    fitted: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    """To the last bit, through JSON."""
    for method, maps in fitted.items():
        file = tmp_path / f"{method}.json"
        file.write_text(json.dumps(maps), "utf-8")
        entry = maps["maps"][0]
        names = [name for name in ("kind", "clip", "x", "y", "a", "b", "c") if name in entry]
        curve = Recalibration(method, **entries_of(entry, names))
        other_dataset = judgments().assign(dataset="other")  # on which no map of a fold was fitted
        frame = recalibrated(other_dataset, file)["any_eval"].set_index("item")
        confidences = judgments().set_index("item").loc[frame.index, "confidence"]
        np.testing.assert_array_equal(frame["confidence"], curve(confidences))


def test_a_steep_logistic_map_is_a_step() -> None:
    """Where its formula overflows, the limit: 0 below the middle, 1 above, and NaN of NaN."""
    steep = Recalibration("platt", "logistic", 1e-15, a=1e12, b=1e12)
    np.testing.assert_array_equal(
        steep([0.0, 0.4, 0.5, 0.6, 1.0, np.nan]), [0, 0, 0.5, 1, 1, np.nan]
    )
    plain = Recalibration("beta", "logistic", 0.005, a=0.7, b=1.3, c=0.2)
    p = np.array([0.1, 0.5, 0.9])
    expected = 1 / (1 + np.exp(-0.2) * (1 - p) ** 1.3 / p**0.7)
    np.testing.assert_allclose(plain(p), expected, rtol=1e-14)
    np.testing.assert_allclose(plain(0.5), expit(0.2 + 0.6 * np.log(2)), rtol=1e-14)


def test_other_files_of_users_have_limits(home: Path) -> None:
    """A prompt of 2 MB, numbers of 5,000 digits, a cell above csv's limit, deep JSON."""
    (home / "prompt.txt").write_text("{question}" + "x" * 2_000_000, "utf-8")
    assert "at most 1,000,000 are read" in refusal_of_task(prompt="prompt.txt")
    assert "at most 1,000,000 are read" in refusal_of_task(system="prompt.txt")
    for name in ("seed", "items", "exponents"):
        value = "1.." + "9" * 5_000 if name == "exponents" else "9" * 5_000
        assert len(refusal_of_task(**{name: value})) < 700
    (home / "survey.csv").write_text("likely\n" + "1" * 200_000 + "\n", "utf-8")
    assert "survey.csv" in refusal(lambda: read_survey(home / "survey.csv"))
    (home / "forms.json").write_text("[" * 100_000, "utf-8")
    words = ("plan", "hedge_markers", "-T", "dataset=bundled", "-T", "judge_prompts=forms.json")
    output = printed(*words, "--grader", "mockllm/model", code=2).output
    assert "are nested more than 20 deep" in output


def refusal_of_task(**arguments: str) -> str:
    """Return the line that an argument of FermiEval ends in."""
    from inspect_confidence.tasks.fermi_eval import fermi_eval  # noqa: PLC0415

    return refusal(lambda: fermi_eval(dataset="bundled", **arguments))  # type: ignore[arg-type]
