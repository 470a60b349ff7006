"""Settings: every command takes the same ones, and a study's own options by its name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from importlib.metadata import EntryPoint
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import inspect_confidence.studies as rooms
from build import condition_values
from conftest import CHECKOUT
from inspect_confidence import InvalidArgument, compare, detail, summarize, write_report
from inspect_confidence.cli import main
from inspect_confidence.commands.analysis import Settings, read_settings, settings_text
from inspect_confidence.export import export
from inspect_confidence.results import Condition
from inspect_confidence.studies import Resampling, Study, all_studies, all_tables, option

FORMS = {"it is likely that": "likely", "likely": "likely"}


def frame() -> pd.DataFrame:
    """Two sentences with forms of one marker, of two data sets with three items each."""
    names = pd.DataFrame(product(("a", "b"), [*FORMS, "likely"]), columns=["dataset", "marker"])
    number = names.groupby("dataset").cumcount().astype(str)
    constants = {
        **{"task": "hedge_markers", "model": "m", "split": "test", "sentence": 1, "n_markers": 1},
        **{"decisiveness": 0.7, "confidence": 0.5, "correct": 1.0, "punt": 0.0},
        **{"consistent": 1, "undecided": 0, "inconsistent": 1, "status": "ok"},
    }
    return pd.DataFrame({**names, "item": names["dataset"] + "-" + number, **constants})


def markers(results: pd.DataFrame) -> set[str]:
    """Markers that have a MIC by the results' conditions."""
    conditions = results.loc[results["metric"] == "mic", "condition"]
    return set(conditions.str.extract(r"(?:^|;)marker=([^;=]*)", expand=False).dropna())


def test_text_and_values_are_read_alike(tmp_path: Path) -> None:
    """What a command line gives as text and Python as values, or files, is the same."""
    path = tmp_path / "forms.json"
    path.write_text(json.dumps(FORMS), "utf-8")
    setting_sets: list[Mapping[str, object]] = [
        {"hedge_markers.marker_thresholds": "2,5", "hedge_markers.ddof": "0"},
        {"hedge_markers.marker_thresholds": (2.0, 5), "hedge_markers.ddof": 0},
    ]
    first, second = (
        read_settings({"options": options})["hedge_markers"] for options in setting_sets
    )
    assert first == second
    threshold_options = read_settings({"options": {"hedge_markers.marker_thresholds": 2}})[
        "hedge_markers"
    ].study_options
    assert getattr(threshold_options, "marker_thresholds", None) == (2.0,)
    file_options = read_settings({"options": {"hedge_markers.markers": str(path)}})[
        "hedge_markers"
    ].study_options
    assert getattr(file_options, "markers", None) == FORMS
    single: Any = 0.5
    for resampling in read_settings({"thresholds": single}).values():
        assert resampling.thresholds == (0.5,)


def test_costs_are_read_alike_and_add_utility(tmp_path: Path) -> None:
    """From text or a mapping; by hand of 40 items, through the command and the curve of detail."""
    costs = {"right": 1, "wrong": -2, "abstain": 0}
    costs_text = "right=1, wrong=-2,abstain=0"
    assert read_settings({"costs": costs_text}) == read_settings({"costs": costs})
    rows = {
        "item": range(40),
        "confidence": [0.9, 0.6, 0.6, 0.2] * 10,
        "correct": [1, 1, 0, 0] * 10,
    }
    path = tmp_path / "judged.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    done = CliRunner().invoke(
        main, ["summarize", str(path), "--json", "--resamples", "50", "--costs", costs_text]
    )
    results_by_costs = {
        (row["metric"], Condition.read(row["condition"]).get("answered_from", "")): row["value"]
        for row in json.loads(done.output)
        if "costs" in row["condition"]
    }
    # Always: (2 - 2 * 2) / 4; from 2/3 and from 0.9 on one of four, right.
    assert results_by_costs == {
        ("expected_utility", "0"): -0.5,
        ("expected_utility", "0.667"): 0.25,
    }
    curve = detail(path, resamples=50, costs=costs)
    curve = curve[curve["metric"] == "expected_utility"]
    places = condition_values(curve, "answered_from")
    worth = dict(zip(places, curve["value"], strict=True))
    # From 0.6 on: (2 - 2) / 4.
    assert worth == pytest.approx({"0.2": -0.5, "0.6": 0.0, "0.9": 0.25})
    assert (curve["ci_low"] < curve["ci_high"]).all()
    costless = summarize(path, resamples=50)
    assert "expected_utility" not in set(costless["metric"])


def test_utility_of_many_confidences_is_exact_at_101_of_them(tmp_path: Path) -> None:
    """By hand at each confidence from which answers are given: right 1, wrong -1, none 0."""
    confidence = np.arange(1, 401) / 400
    correct = np.arange(400) % 3 > 0
    path = tmp_path / "judged.csv"
    rows = {"item": range(400), "confidence": confidence, "correct": correct.astype(int)}
    pd.DataFrame(rows).to_csv(path, index=False)
    curve = detail(path, resamples=100, costs={"right": 1, "wrong": -1, "abstain": 0})
    curve = curve[curve["metric"] == "expected_utility"]
    thresholds = [float(text) for text in condition_values(curve, "answered_from")]
    assert len(thresholds) == 101
    assert (min(thresholds), max(thresholds)) == (0.0025, 1.0)
    gain = np.where(correct, 1, -1)
    expected = [gain[confidence >= threshold].sum() / 400 for threshold in thresholds]
    assert curve["value"].tolist() == pytest.approx(expected)
    assert (curve["ci_low"] < curve["value"]).all()
    assert (curve["value"] < curve["ci_high"]).all()


def test_every_option() -> None:
    """Has a reader of its own that takes its default, and stands in docs/judgments.md."""
    count = 0
    for study in all_studies():
        assert is_dataclass(study.options)
        for option_field in fields(study.options):
            count += 1
            assert option_field.name not in Settings.__annotations__, option_field.name
            assert not hasattr(Resampling(), option_field.name), option_field.name
            if option_field.default is not None:
                name = f"{study.name}.{option_field.name}"
                assert (
                    option_field.metadata["read"](name, option_field.default)
                    == option_field.default
                ), name
    assert count == 8
    page = (CHECKOUT / "docs" / "judgments.md").read_text("utf-8")
    for study in all_studies():
        for option_field in fields(study.options):
            assert f"`{study.name}.{option_field.name}`" in page
    read = option(1, lambda name, value: (name, value)).metadata["read"]
    assert read("study.name", "2") == ("study.name", "2")


def test_impossible_settings_are_refused_before_anything_is_read() -> None:
    """One error with the value and the remedy; the source isn't looked at."""
    cases: list[tuple[dict[str, Any], str]] = [
        ({"options": {"hedge_markers.dof": 1}}, "There is no option 'hedge_markers.dof'. .*ddof"),
        ({"options": {"penalty": 1}}, "There is no option 'penalty'"),
        ({"options": {"fermi_eval.penalty": "much"}}, "fermi_eval.penalty=much is not a number"),
        ({"options": {"hedge_markers.ddof": 2}}, "hedge_markers.ddof=2 is not known"),
        ({"options": {"hedge_markers.correlation_clamp": 0}}, r"is not in \(0, 1\]"),
        ({"options": {"hedge_markers.marker_thresholds": [0]}}, "=0 is not between"),
        ({"options": {"wep_probes.survey": "none.csv"}}, "there is no file"),
        ({"thresholds": [0.5, 1.5]}, "thresholds=1.5 is not between 0 and 1"),
        ({"thresholds": []}, "thresholds is empty"),
        ({"thresholds": None}, "thresholds=None is not a number"),
        ({"costs": "right=1,wrong=-2"}, "lacks abstain; give right=1,wrong=-2,abstain=0"),
        ({"costs": {"right": 1, "wrng": -2, "abstain": 0}}, "costs=wrng is not known.*wrong"),
        ({"costs": "right=1,wrong=x,abstain=0"}, "costs wrong=x is not a number"),
        ({"costs": "right=1,wrong=2,abstain=0"}, "with wrong < abstain < right"),
        ({"convention": "ours"}, "convention=ours is not known"),
        ({"resamples": 0}, "resamples=0 is below 1"),
        ({"workers": 0}, "workers=0 is below 1"),
    ]
    for settings, message in cases:
        for function in (summarize, detail, compare):
            with pytest.raises(InvalidArgument, match=message):
                function("nowhere", **settings)
    with pytest.raises(TypeError, match=r"unexpected keyword 'resample'"):
        summarize("nowhere", resample=1)  # type: ignore[call-arg]


@pytest.mark.slow
def test_reports_exports_and_checks_take_a_studys_options(tmp_path: Path) -> None:
    """At a threshold of 3 only the marker that both forms stand for is left."""
    judgments, path = frame(), tmp_path / "judged.csv"
    judgments.to_csv(path, index=False)
    options = {"hedge_markers.marker_thresholds": 3}
    assert markers(summarize(judgments, resamples=20, options=options)) == {"likely"}
    assert markers(summarize(judgments, resamples=20)) == set()
    write_report(judgments, tmp_path / "report", resamples=20, options=options)
    assert markers(pd.read_csv(tmp_path / "report" / "results.csv")) == {"likely"}
    export(judgments, "csv", tmp_path / "out", resamples=20, options=options)
    assert markers(pd.read_csv(tmp_path / "out" / "results.csv")) == {"likely"}
    words = ["--resamples", "20", "--option", "hedge_markers.marker_thresholds=3"]
    run = CliRunner().invoke
    require = ["--require", "mic<=1;marker=likely;outcome=;faithful="]
    assert run(main, ["check", str(path), *require, *words]).exit_code == 0
    refused = run(main, ["check", str(path), *require, "--resamples", "20"])
    assert refused.exit_code == 2
    assert "no result of mic" in refused.output
    unnamed = run(main, ["summarize", str(path), "--option", "hedge_markers.ddof"])
    assert unnamed.exit_code == 2
    assert "is not of the form STUDY.NAME=VALUE" in unnamed.output


def test_studies_of_other_packages_that_cannot_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that isn't there, what is no study, and a name that is taken."""
    cases = {
        "no_such_module:STUDY": "can't be loaded",
        "inspect_confidence:__version__": "names a str, but must name a Study",
        "inspect_confidence.studies.fermi_eval.study:FERMI_EVAL": "'fermi_eval' of a study or task",
    }
    for value, message in cases.items():
        entry_points = [EntryPoint("theirs", value, rooms.ENTRY_POINTS)]
        monkeypatch.setattr(
            rooms, "entry_points", lambda group, entry_points=entry_points: entry_points
        )
        all_studies.cache_clear()
        with pytest.raises(InvalidArgument, match=message):
            all_studies()
    monkeypatch.undo()
    all_studies.cache_clear()
    all_tables.cache_clear()
    for study in all_studies():
        assert isinstance(study, Study)


def test_the_report_says_which_settings_are_not_the_default() -> None:
    """Each as it was given, of files the name alone; without any there is nothing to say."""
    assert settings_text({}) == settings_text({"resamples": 5, "seed": 3}) == ""
    settings: Settings = {
        "convention": "authors",
        "thresholds": [0.5, 0.9],
        "costs": {"right": 1, "wrong": -2.0, "abstain": 0},
        "common_items": True,
        "options": {
            "hedge_markers.ddof": 0,
            "hedge_markers.marker_thresholds": "10,20",
            "wep_probes.survey": Path("home") / "secret" / "people.csv",
        },
    }
    assert settings_text(settings) == (
        "Analysis: thresholds=0.5,0.9; costs=right=1,wrong=-2,abstain=0; convention=authors; "
        "common_items=true; hedge_markers.ddof=0; hedge_markers.marker_thresholds=10,20; "
        "wep_probes.survey=people.csv."
    )
