"""Writer of the report: a page with its figures and tables."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Unpack

import numpy as np
import pandas as pd

from inspect_confidence.arguments import choice_list
from inspect_confidence.commands.analysis import Settings, settings_text
from inspect_confidence.commands.summarize import detail, summarize_with_draws
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judgments.locations import Paths
from inspect_confidence.judgments.read import Judgments, JudgmentSource, judgments_of
from inspect_confidence.overview.matrix import matrix_of
from inspect_confidence.overview.ranks import Ranks, headline_ranks, tasks_without_common_items
from inspect_confidence.overview.sentences import short_findings, study_sentences
from inspect_confidence.printing import shortened
from inspect_confidence.privacy import model_name, redact_frame, redactors
from inspect_confidence.redaction import scrub
from inspect_confidence.report import figures, tables
from inspect_confidence.report.figures import FIGURES, PAGE
from inspect_confidence.report.page import (
    Page,
    StudySection,
    arrange_figures,
    render_page,
)
from inspect_confidence.results import ResultTable, as_csv
from inspect_confidence.studies import Study, all_studies
from inspect_confidence.studies.toolbox import extra_metric_views
from inspect_confidence.studies.unread import results_of_readable_tasks, without_unread
from inspect_confidence.studies.workers import Progress
from inspect_confidence.writing import put, staged


def write_report(
    source: JudgmentSource,
    directory: str | PathLike[str],
    *,
    logs: Paths | None = None,
    published: bool = False,
    baseline: str | None = None,
    formats: Sequence[str] | str = (),
    progress: Progress = iter,
    findings: list[str] | None = None,
    **settings: Unpack[Settings],
) -> Path:
    """Write the report of all judgments: `index.html` with figures and tables.

    The page is self-contained; a small script sorts and filters, and everything can be read without
    it. The folder also gets `results.csv` (all numbers; its column `row` is the page's `data-row`
    attribute) and `figures/` with each figure as svg, in additional formats on request, and its
    rows as csv.

    Args:
        source: Judgments, as for `summarize`.
        directory: Folder of the report, created if absent. Files of the same names are replaced.
        logs: Logs of the judgments, for a paragraph on the settings of each task; none if None.
        published: Whether the studies' published figures are shown next to the results.
        baseline: Name of a model in the logs; paired differences from it are shown.
        formats: Formats of figures besides svg: `png`, `pdf`, or both.
        progress: Wrapper of the list of figures while they are drawn, to display the progress.
        findings: Receives a sentence on each of the first two models (or variants or judges of a
            model), and one on what the page has beside them, if it has more, or more data sets.
        **settings: Settings of the computation, see `Settings`. With several workers, call this
            below `if __name__ == "__main__":` in a script, since each process imports the script.

    Returns:
        The page's path.

    Raises:
        InvalidArgument: The source can't be used, has no judgment, or lacks the baseline; or
            the directory isn't writable.
    """
    chosen_formats = choice_list("formats", formats, figures.FORMATS) if formats else []
    judgments = judgments_of(source)
    frames = judgments.values()
    models = list(dict.fromkeys(chain.from_iterable(frame["model"] for frame in frames)))
    if not models:
        raise InvalidArgument("There is no judgment to report on.")
    if baseline is not None and baseline not in models:
        raise InvalidArgument(
            f"baseline={shortened(baseline, 80)}: there is no such model; the judgments are of "
            f"{', '.join(shortened(model_name(name), 80) for name in models)}."
        )
    folder = Path(directory)
    earlier_files = figures.list_figure_files(folder)
    # Files are written into the folder `new`, and moved when all are complete, the page at the end.
    with staged(folder, last=PAGE) as new:
        page = _page_content(
            judgments,
            models,
            folder=new,
            formats=chosen_formats,
            published=published,
            baseline=baseline,
            settings=settings,
            progress=progress,
        )
        if logs is not None:
            page = replace(page, settings=[*_settings_paragraphs(logs, judgments), *page.settings])
        put(new / PAGE, render_page(page))
        if findings is not None:
            results = ResultTable.from_frame(results_of_readable_tasks(page.results))
            all_findings = short_findings(results, page.models)
            findings += all_findings[:_MAX_FINDINGS]
            findings += _describe_scope(frames, len(models), len(all_findings))
        current_names = {file.name for file in (new / FIGURES).glob("*")}
    # Figures of an earlier report that this one does not have would be taken for its own.
    for file in earlier_files:
        if file.name not in current_names:
            file.unlink(missing_ok=True)
    return folder / PAGE


_MAX_FINDINGS = 2
"""Number of models, or of variants of them, on which the command prints a sentence."""


def _describe_scope(
    frames: Iterable[pd.DataFrame], model_count: int, finding_count: int
) -> list[str]:
    """Return a sentence on what the findings are about; none if that is all that the page has.

    Of the findings the first `_MAX_FINDINGS` are printed. If they are more than the models, some
    are on variants, or on judges. Their numbers are of each task's data set with most judgments.
    """
    parts = []
    if finding_count > max(model_count, _MAX_FINDINGS):
        parts.append(
            f"the first {_MAX_FINDINGS} of {finding_count} combinations of model, variant and judge"
        )
    elif model_count > _MAX_FINDINGS:
        parts.append(f"the first {_MAX_FINDINGS} of {model_count} models")
    if any(frame["dataset"].nunique() > 1 for frame in frames):
        parts.append("each task's data set with the most judgments")
    return [f"These are of {', on '.join(parts)}; the page has all."] if parts else []


def _page_content(
    judgments: Judgments,
    models: Sequence[str],
    folder: Path,
    formats: Sequence[str],
    published: bool,
    baseline: str | None,
    settings: Settings,
    progress: Progress,
) -> Page:
    """Return the content of the page; write its figures and results.csv to the folder.

    Names are freed of keys, addresses and local paths. The arguments are as in `write_report`;
    `models` are all models of the judgments, in the order of lines and colours.
    """
    # Numbers: results for tables, followed by details: rows for figures, and counts of judgments by
    # status. Ranks also need the values of headline numbers over the resamples.
    results, resampled_values = summarize_with_draws(judgments, **settings)
    details = detail(judgments, **settings)
    rows, names = _scrubbed(pd.concat([results, details], ignore_index=True), models)
    order = list(dict.fromkeys(names[model] for model in models))
    is_estimate = rows.index < len(results)
    ranks = headline_ranks(
        ResultTable.from_frame(rows[is_estimate]),
        order,
        resampled_values,
        tasks_without_common_items(judgments),
    )
    baseline_tables = tables.difference_tables(judgments, baseline, settings) if baseline else {}
    # Figures: of each study with judgments, its results and details, and figures without pictures.
    planned = []
    all_figures: list[figures.ReportFigure] = []
    for study in all_studies():
        if not judgments.keys().isdisjoint(study.tasks):
            study_rows = _sort_by_model(rows[rows["task"].isin(study.tasks)], order)
            study_figures = figures.plan_figures(
                study, study_rows, folder / FIGURES, formats, order
            )
            planned.append((study, study_rows, study_figures))
            all_figures += study_figures
    # Pictures of all studies are drawn in one call, so that processes are started once.
    drawn_figures = figures.draw_figures(all_figures, settings.get("workers", 1), progress)
    sections = []
    for study, study_rows, study_figures in planned:
        estimates = study_rows[study_rows.index < len(results)]
        comparisons = []
        if study.name in baseline_tables:  # it has judgments of the baseline and of other models
            comparisons.append(baseline_tables[study.name])
        if published and (comparison := tables.published_table(estimates)):
            comparisons.append(comparison)
        section = _study_section(
            study,
            estimates,
            comparisons,
            figures_drawn=[drawn_figures[figure.name] for figure in study_figures],
            exclusions=tables.exclusion_table(study_rows[study_rows.index >= len(results)]),
            n_judgments=_count_judgments(study, judgments, study_rows),
            models=order,
            ranks=ranks,
        )
        sections.append(section)
    put(folder / "results.csv", as_csv(rows, "row"))
    analysis = settings_text(settings)  # empty if no setting of the computation was given
    return Page(
        results=rows[is_estimate],
        models=order,
        ranks=ranks,
        sections=sections,
        total=sum(section.judgments for section in sections),
        resamples=settings.get("resamples", 10_000),
        settings=[shortened(scrub(analysis), 3_000)] if analysis else [],
        notices=[shortened(scrub(notice), 300) for notice in judgments.notices],
        loss_notices=[shortened(scrub(notice), 300) for notice in judgments.loss_notices],
        metrics=set(rows["metric"]),
    )


def _count_judgments(study: Study, judgments: Judgments, study_rows: pd.DataFrame) -> int:
    """Return the number of judgments of a study: the sum of its counts by status (`status_count`).

    A frame may have several rows for a reply, such as one for each way of reading confidence. Its
    rows are counted if the study has no counts by status among its rows.
    """
    counts = study_rows.loc[study_rows["metric"] == "status_count", "value"]
    if len(counts):
        return int(counts.sum())
    return sum(len(judgments.get(task, ())) for task in study.tasks)


def _study_section(
    study: Study,
    estimates: pd.DataFrame,
    comparisons: Sequence[tables.Table],
    *,
    figures_drawn: list[figures.ReportFigure],
    exclusions: tables.Table | None,
    n_judgments: int,
    models: Sequence[str],
    ranks: Ranks,
) -> StudySection:
    """Return the section of a study: findings, figures and tables.

    `estimates` are its results, without the rows that only figures draw. `comparisons`, tables
    against a baseline or published figures, follow the study's own tables. `exclusions` is the
    table of the judgments' statuses. `models` are in the order of lines and colours.
    """
    # Shares of unread replies have a table of their own.
    table_rows = without_unread(estimates)
    views = [*study.views(table_rows), *extra_metric_views(table_rows, study)]
    study_tables = [tables.view_table(view) for view in views if len(view.table)]
    lead, additional, missing = arrange_figures(figures_drawn)
    # Sentences are on two metrics: few columns might all be of one, on several data sets.
    results = ResultTable.from_frame(estimates)
    matrix = matrix_of(results, models, ranks, max_columns=20, studies=[study.name])
    return StudySection(
        name=study.name,
        title=study.title,
        question=study.question,
        judgments=n_judgments,
        findings=study_sentences(matrix),
        lead=lead,
        unread=tables.unread_table(estimates),
        exclusions=exclusions,
        figures=additional,
        missing=missing,
        tables=[*study_tables, *comparisons],
    )


def _sort_by_model(rows: pd.DataFrame, models: Sequence[str]) -> pd.DataFrame:
    """Sort rows by model in this order; rows of other names, such as means, come last."""
    positions = {model: k for k, model in enumerate(models)}
    order = rows["model"].map(positions).fillna(len(positions)).to_numpy()
    return rows.iloc[np.argsort(order, kind="stable")]


def _scrubbed(rows: pd.DataFrame, models: Sequence[str]) -> tuple[pd.DataFrame, Mapping[str, str]]:
    """Remove keys, addresses and local paths from rows, and map models to their scrubbed names."""
    by_column = redactors([pd.DataFrame({"model": models}), rows])
    return redact_frame(rows, by_column, scrub), {name: by_column["model"](name) for name in models}


def _settings_paragraphs(logs: Paths, judgments: Judgments) -> list[str]:
    """Return the settings of the runs in `logs`, one paragraph for each task."""
    # Reading headers of logs needs Inspect, which takes seconds to import; judgments need none.
    from inspect_confidence.commands.cite import cite  # noqa: PLC0415

    return [shortened(text, 3_000) for text in cite(logs, judgments=judgments).settings]
