"""The report's page: whole, self-contained, true to its rows, and harmless."""

import math
import re
from pathlib import Path

import pandas as pd
import pytest

from build import attributes_of, column_of, records_with, texts_with
from inspect_confidence import InvalidArgument
from inspect_confidence.judgments.read import Judgments, judgments_of
from inspect_confidence.report import write_report
from inspect_confidence.report.tables import published_table
from inspect_confidence.results import Result, results_frame
from report.pages import (
    HOSTILE,
    SHOWN,
    Element,
    elements,
    interval_frame,
    rows_of,
    small_judgments,
    stated_frame,
    texts_of,
)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of two models' judgments, with a baseline and published figures."""
    return write_report(
        small_judgments("vendor/a", "vendor/b"),
        tmp_path_factory.mktemp("report"),
        published=True,
        baseline="vendor/b",
        formats="png,pdf",
        resamples=200,
    )


@pytest.fixture(scope="module")
def page_elements(page: Path) -> list[Element]:
    """Its elements."""
    return elements(page)


def of_tag(page_elements: list[Element], tag: str) -> list[Element]:
    """The elements of a tag."""
    return records_with(page_elements, tag=tag)


def reasons_in(page_elements: list[Element]) -> list[str]:
    """Why figures are missing."""
    return texts_of(page_elements, **{"class": "nothing"})


def test_captions_count_judgments_and_nothing_is_loaded_from_elsewhere(
    page: Path, page_elements: list[Element]
) -> None:
    """Captions count and figures name their rows; nothing is loaded from elsewhere."""
    (script,) = of_tag(page_elements, "script")
    assert not script.attributes
    assert not {"link", "img", "iframe", "object", "embed"} & set(
        attributes_of(page_elements, "tag")
    )
    for element in page_elements:
        for name in ("src", "href", "xlink:href", "srcset", "action", "data"):
            if name in element.attributes:
                assert element.attributes[name].startswith("#"), (element.tag, element.attributes)
    text = page.read_text(encoding="utf-8")
    assert "@import" not in text
    assert "as svg, png, pdf" in text
    assert set(re.findall(r"url\(['\"]?(.)[^)]*\)", text)) <= {"#"}
    figures = of_tag(page_elements, "figure")
    assert len(figures) >= 8
    for element in figures:
        assert re.fullmatch(r"\d+(-\d+)?( \d+(-\d+)?)*", element.attributes["data-rows"])
    captions = texts_of(page_elements, tag="figcaption")
    # 30 items, 2 scales, 2 epochs, 2 models; items 9, 19, 29 and 8, 18, 28 refuse on both scales
    assert texts_with(captions, "Asked: 240 judgments, 24 could not be read (refusal).")


def test_links_lead_to_unique_ids_and_figures_have_their_files(
    page: Path, page_elements: list[Element]
) -> None:
    """Small, each identifier once, every link leads somewhere, figures beside it in three forms.

    One of which there are no numbers, as M-ratio of answers that aren't choices, has its rows only,
    and why is said once.
    """
    assert page.stat().st_size < 1_500_000
    names = [element.attributes["id"] for element in page_elements if "id" in element.attributes]
    assert len(names) == len(set(names))
    links = {element.attributes["href"][1:] for element in of_tag(page_elements, "a")}
    assert links
    assert links <= set(names)
    figures = of_tag(page_elements, "figure")
    (reason,) = texts_with(reasons_in(page_elements), "Metacognitive efficiency")
    assert "Too little data: the figure needs 1 number and has none." in reason
    assert set(attributes_of((page.parent / "figures").glob("*m-ratio*"), "suffix")) == {".csv"}
    for element in figures:
        for ending in ("svg", "png", "pdf", "csv"):
            file = page.parent / "figures" / f"{element.attributes['id']}.{ending}"
            assert file.stat().st_size > 100


def test_every_number_of_the_page_is_that_of_its_row(
    page: Path, page_elements: list[Element]
) -> None:
    """A cell with `data-row` shows that row's value and interval, to the digits that it has."""
    rows = rows_of(page).to_dict("index")
    cells = [cell for cell in page_elements if "data-row" in cell.attributes]
    assert len(cells) > 200
    for cell in cells:
        row = rows[int(cell.attributes["data-row"])]
        if cell.text == "-":
            assert math.isnan(row["value"])
            continue
        match = SHOWN.match(cell.text)
        assert match, cell.text
        for text, name in zip(match.groups(), ("value", "ci_low", "ci_high"), strict=True):
            if text is not None:
                _agree(text, float(row[name]))


def _agree(text: str, value: float) -> None:
    """The text is the value, rounded, plainly or as a percentage."""
    plain = text.replace(",", "")
    if "∞" in plain:
        assert math.isinf(value)
        return
    unit = 0.5 * 10.0 ** -len(plain.partition(".")[2]) * 1.001
    assert min(abs(float(plain) - value), abs(float(plain) - 100 * value)) <= max(
        unit, 1e-3 * abs(value)
    )


def test_the_page_shows_exclusions_differences_and_published_figures(
    page_elements: list[Element], page: Path
) -> None:
    """Exclusions, differences from the baseline, published figures, and no study not run."""
    tables = texts_of(page_elements, tag="table")
    counts, *_ = texts_with(tables, "refusal")
    assert "vendor/amine10812" in counts
    # Of 120 replies of each model 12 are refused, of each item on one scale as on the other.
    (scales,) = texts_with(texts_with(tables, "parse failures (%)"), "scale_variants")
    assert "by condition" not in scales
    differences = texts_with(tables, "differencep")
    assert len(differences) == 2
    assert texts_with(differences, "vendor/a") == differences
    published = texts_with(texts_with(tables, "published"), "gpt-4o-mini")
    assert texts_with(published, "Epstein")
    titles = texts_of(page_elements, tag="h2")
    assert [title.split(":")[0] for title in titles] == [
        "Which model knows what it knows?",
        "FermiEval",
        "Scale variants",
        "How to read this",
        "Definitions",
    ]


def test_the_page_explains_the_numbers_of_tables(page: Path) -> None:
    """A title such as "Table 2" numbers the paper's tables, not the page's."""
    text = page.read_text(encoding="utf-8")
    reading = text.split('<h2 id="reading">')[1].split("</section>")[0]
    assert "Table numbers in titles are those of the study&#8217;s paper." in reading


def test_hostile_names_are_short_text_and_no_markup(tmp_path: Path) -> None:
    """A name with markup, quotes, direction marks and 10,000 letters is text, and short."""
    frames = {
        "scale_variants": stated_frame(HOSTILE, items=12),
        "fermi_eval": interval_frame(HOSTILE, items=12).assign(dataset="<b>\u202eset</b>"),
    }
    page = write_report(frames, tmp_path / "out", resamples=50)
    text = page.read_text(encoding="utf-8")
    assert text.count("<script") == 1  # ours
    assert "&lt;script&gt;" in text
    assert "<b>\u202e" not in text
    assert "<b>set" not in text
    assert "\u202e" not in text
    assert "a" * 200 not in text
    assert set(attributes_of((tmp_path / "out").iterdir(), "name")) == {
        "index.html",
        "results.csv",
        "figures",
    }
    assert HOSTILE in set(rows_of(page)["model"])


def test_a_study_with_nearly_all_replies_unread_says_so_in_one_sentence_first(
    tmp_path: Path,
) -> None:
    """In place of a reason for each figure and table."""
    frame = stated_frame("m", items=4).assign(
        raw=float("nan"), correct=float("nan"), status="refusal"
    )
    page = write_report(frame, tmp_path, resamples=20)
    text = page.read_text(encoding="utf-8")
    sentence = "16 of 16 replies could not be read, so that next to no number is defined"
    assert text.count(sentence) == 1
    assert text.index(sentence) < text.index("<nav")
    assert "Undefined: " not in text
    assert not reasons_in(elements(page))


@pytest.mark.parametrize("count", [1, 2, 3])
def test_missing_samples_are_told_before_the_numbers(tmp_path: Path, count: int) -> None:
    """The first notice is quoted, and the others are counted."""
    notices = [f"log{k}.eval: the run is incomplete" for k in range(count)]
    frames = judgments_of({"fermi_eval": interval_frame("a")})
    judgments = Judgments(frames, notices, notices)
    page = write_report(judgments, tmp_path, resamples=20).read_text(encoding="utf-8")
    text = re.sub("<[^>]+>", "", page)
    others = {1: "", 2: ", and 1 more notice", 3: ", and 2 more notices"}[count]
    assert f"Samples are missing: {notices[0]}{others}." in text
    assert text.index("Samples are missing") < text.index("Choose studies and models")


def test_figures_without_enough_judgments_give_a_reason(tmp_path: Path) -> None:
    """Where little could be read the study stays, and its figures say why they are missing."""
    frame = stated_frame("m", items=4)
    is_refused = frame["item"] != "q0"
    frame.loc[is_refused, "raw"] = float("nan")
    frame.loc[is_refused, "correct"] = float("nan")
    frame.loc[is_refused, "status"] = "refusal"
    page = write_report(frame, tmp_path, resamples=20)
    assert "next to no number is defined" not in page.read_text(encoding="utf-8")
    reasons = reasons_in(elements(page))
    assert reasons
    for reason in reasons:
        assert re.search("Too little data|nothing to draw", reason)


def test_bad_baselines_empty_judgments_and_files_as_folders_are_refused(tmp_path: Path) -> None:
    """A baseline that isn't there, no judgments, and a file for a folder: one clear error each."""
    frame = stated_frame("m", items=4)
    with pytest.raises(InvalidArgument, match="baseline=other"):
        write_report(frame, tmp_path, baseline="other")
    with pytest.raises(InvalidArgument, match="no judgment"):
        write_report({"scale_variants": frame.iloc[:0]}, tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidArgument, match="can't be written: not a directory"):
        write_report(frame, tmp_path / "file", resamples=10)


def test_results_csv_begins_with_the_rows_of_summarize(page: Path) -> None:
    """results.csv begins with the rows of `summarize`."""
    from inspect_confidence import summarize  # noqa: PLC0415

    expected = summarize(small_judgments("vendor/a", "vendor/b"), resamples=200)
    got = rows_of(page).iloc[: len(expected)].reset_index(drop=True)
    pd.testing.assert_frame_equal(
        got[["metric", "value", "ci_low", "ci_high", "n"]],
        expected[["metric", "value", "ci_low", "ci_high", "n"]],
        check_dtype=False,
    )


# Own figures beside published ones: same metric and condition, whatever the variant


def published_row(
    task: str, metric: str, condition: str, value: float, dataset: str = "anything"
) -> Result:
    """A result of mine."""
    return Result(task, "mine", dataset, condition, metric, value, math.nan, math.nan, 5, 5, "")


def test_published_figures_follow_results_of_another_variant() -> None:
    """LifeEval's slopes were published with the authors' prompts; ours are shown above them."""
    results = results_frame(
        [published_row("life_eval", "hard_easy_slope", "variant=prompts%3Dours", 0.5)]
    )
    table = published_table(results)
    assert table is not None
    texts = [attributes_of(line, "text") for line in table.lines]
    own_line = ["hard_easy_slope", "-", "anything", "mine", "prompts=ours", "own", "0.500"]
    assert texts[0][:7] == own_line
    assert table.lines[0][6].row == 0
    models = dict(zip(column_of(texts[1:], 3), column_of(texts[1:], 6), strict=True))
    # The study prints .996 for Claude Haiku 3.
    assert models["Claude Haiku 3"] == "0.996"
    assert set(column_of(texts[1:], 5)) == {"published"}
    assert "-" not in column_of(texts[1:], 7)


BESIDE = """
fermi_eval scioly level=99;method=conformal;split=test interval_score Claude-3.5-Haiku 122.240
scale_variants mean scale=0-5 accuracy GPT-5.2 0.812
scale_variants mean scale=3-38 round_rate GPT-5.2 0.583
scale_variants gsm8k scale=0-100 top1_value GPT-5.2 95.000
life_eval ssa-2022 radius=1;variant=prompts%3Dours mean_confidence mean.of.all.models 0.342
hedge_markers all judge=grader;no_hedge=without cd_mae Gemini-2.5-Flash 0.220
hedge_markers all judge=grader;variant=system%3Dmetacognitive id_mae Gemini-2.5-Flash 0.120
hedge_markers mmlu judge=grader;marker=probably;split=train mic Qwen3-32B 0.940
judge_check judge_check judge=model verdict_accuracy Gemini-2.0-Flash 0.990
"""
"""Task, data set, condition and metric of a row of ours; a model and number that are printed."""


@pytest.mark.parametrize("figure", BESIDE.strip().splitlines())
def test_published_figures_follow_results_of_the_same_condition(figure: str) -> None:
    """Each study's, whichever judge was ours, and of no data set but that of the own row."""
    task, dataset, condition, metric, model, printed = figure.split()
    table = published_table(results_frame([published_row(task, metric, condition, 0.25, dataset)]))
    assert table is not None
    place = {column: k for k, column in enumerate(table.columns)}
    lines = [attributes_of(line, "text") for line in table.lines]
    assert set(column_of(lines, place["metric"])) == {metric}
    assert set(column_of(lines, place["data set"])) == {dataset}
    result_line, *published_lines = lines
    assert (result_line[place["from"]], result_line[place["value"]]) == ("own", "0.250")
    if "judge=" in condition:
        assert result_line[place["judge"]] in condition
    name = model.replace(".of.all.", " of all ")
    values = [texts[place["value"]] for texts in published_lines if texts[place["model"]] == name]
    assert printed in values


def test_a_condition_without_published_figures_has_no_table() -> None:
    """A level that the study has no figure of has nothing beside it."""
    results = results_frame(
        [published_row("fermi_eval", "coverage", "level=50;method=direct", 0.5)]
    )
    assert published_table(results) is None


LARGEST = "each task's data set with the most judgments"


@pytest.mark.parametrize(
    ("models", "datasets", "scope"),
    [
        ("ab", "x", ""),
        pytest.param("abc", "x", "the first 2 of 3 models", marks=pytest.mark.slow),
        pytest.param("ab", "xy", LARGEST, marks=pytest.mark.slow),
        ("abc", "xy", f"the first 2 of 3 models, on {LARGEST}"),
    ],
)
def test_the_terminal_says_what_the_page_has_beside_the_printed_findings(
    tmp_path: Path, models: str, datasets: str, scope: str
) -> None:
    """Findings are on two models, each on one data set."""
    items = pd.DataFrame({"confidence": [0.6, 0.9] * 10, "correct": [0, 1] * 10})
    items = items.assign(task="any_eval", item=items.index.astype(str))
    parts = [items.assign(model=model, dataset=dataset) for model in models for dataset in datasets]
    findings: list[str] = []
    frame = pd.concat(parts, ignore_index=True)
    write_report(frame, tmp_path, findings=findings, resamples=20)
    assert [finding.partition(":")[0] for finding in findings[:2]] == ["a", "b"]
    expected = [f"These are of {scope}; the page has all."] if scope else []
    assert findings[2:] == expected


@pytest.mark.parametrize(
    ("models", "variants", "names", "scope"),
    [
        ("a", "pq", ["a, p", "a, q"], ""),
        ("ab", "pq", ["a, p", "a, q"], "the first 2 of 4 combinations of model, variant and judge"),
    ],
)
def test_the_terminal_says_that_findings_leave_out_variants(
    tmp_path: Path, models: str, variants: str, names: list[str], scope: str
) -> None:
    """Two models of two variants each: both findings are on the first model."""
    items = pd.DataFrame({"confidence": [0.6, 0.9] * 10, "correct": [0, 1] * 10})
    items = items.assign(task="any_eval", dataset="x", item=items.index.astype(str))
    parts = [items.assign(model=model, variant=name) for model in models for name in variants]
    findings: list[str] = []
    write_report(pd.concat(parts, ignore_index=True), tmp_path, findings=findings, resamples=20)
    assert [finding.partition(":")[0] for finding in findings[:2]] == names
    assert findings[2:] == ([f"These are of {scope}; the page has all."] if scope else [])
