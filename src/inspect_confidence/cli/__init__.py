"""Command line for judgments, results, comparisons, reports and exports of logs."""

import functools
import gc
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import click

from inspect_confidence import __version__
from inspect_confidence.cli.options import (
    CSV,
    DIRECTORY,
    JSON,
    OUTPUT,
    PATHS,
    RECALIBRATED,
    REREAD,
    RESAMPLES,
    SEED,
    STRICT,
    StoreName,
    chosen_executor,
    has_failed,
    judgment_options,
    note_loss,
    record_options,
    recorded,
    settings_options,
)
from inspect_confidence.cli.terminal import (
    find_study,
    output_rows,
    print_differences,
    print_group_m_ratio,
    print_headlines,
    print_recalibrated,
    print_sample_sizes,
    print_thresholds,
    print_unread,
    print_verdicts,
    print_views,
    read_or_stream,
    read_paths,
    show_progress,
    show_status,
    summarize_with_progress,
    track_logs,
)
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.export import FORMATS, RELATIONSHIPS
from inspect_confidence.printing import counted, echo, escape_control, one_line
from inspect_confidence.versions import TASK_VERSIONS

if TYPE_CHECKING:
    import pandas as pd
    from inspect_ai.util import DisplayType

    from inspect_confidence.commands.analysis import Settings


@click.command()
@judgment_options
@REREAD
@JSON
@CSV
@click.option("--full", is_flag=True, help="Print all tables, of studies and of further metrics.")
@click.option("--study", metavar="NAME", help="Print the tables of one study.")
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    help="Compute and print only this metric, in all conditions; can be repeated.",
)
@click.option(
    "--group-m-ratio",
    is_flag=True,
    help="Print only the M-ratio of the group of models, for questions with two choices.",
)
@settings_options
def summarize(
    paths: Sequence[str],
    reread: bool,
    full: bool,
    study: str | None,
    metrics: Sequence[str],
    group_m_ratio: bool,
    as_json: bool,
    csv: Path | None,
    **settings: "Unpack[Settings]",
) -> None:
    """Print the headlines of each study with 95% intervals, or all tables."""
    from inspect_confidence.commands.analysis import check_metrics, read_settings

    read_settings(settings)  # an invalid setting ends the command before logs are read
    if group_m_ratio:
        from inspect_confidence.commands.group_m_ratio import group_m_ratio as compute

        rows = compute(read_paths(paths, reread=reread))
        output_rows(rows, as_json, csv, print_group_m_ratio)
        return
    study = study and find_study(study)
    # The function that prints the results, and the metrics that are computed (None for all).
    show: Callable[[pd.DataFrame], None] = print_headlines
    computed_metrics: Collection[str] | None = None
    if metrics:
        check_metrics(metrics)  # an unknown one ends the command before logs are read
        computed_metrics = metrics
        show = functools.partial(print_headlines, metrics=metrics)
    elif full or study:
        show = functools.partial(print_views, full=full, study=study)
    elif not (as_json or csv):
        from inspect_confidence.commands.views import headline_metrics

        computed_metrics = headline_metrics()
    judgments = read_or_stream(paths, settings, reread=reread)
    # A stream (no dict) would be read twice for this; its items, from logs, have names to compare.
    if show is print_headlines and isinstance(judgments, dict):
        from inspect_confidence.overview.ranks import tasks_without_common_items

        show = functools.partial(show, uncompared_tasks=tasks_without_common_items(judgments))
    results = summarize_with_progress(judgments, settings, computed_metrics)
    if metrics:
        from inspect_confidence.commands.views import select_metrics

        results = select_metrics(results, metrics, study)
    output_rows(results, as_json, csv, show)


@click.command()
@judgment_options
@DIRECTORY
@click.option("--published", is_flag=True, help="Show the published figures of the studies too.")
@click.option(
    "--baseline",
    metavar="MODEL",
    help="Show paired differences of every model from this one, named as in the logs.",
)
@click.option(
    "--formats", default="", metavar="png,pdf", help="File formats of figures in addition to svg."
)
@settings_options
def report(
    paths: Sequence[str],
    directory: Path,
    published: bool,
    baseline: str | None,
    formats: str,
    **settings: "Unpack[Settings]",
) -> None:
    """Write a page of all results (index.html), its figures and its tables to a folder."""
    from inspect_confidence.report import write_report

    settings["workers"] = os.cpu_count() or 1  # for many judgments, and figures
    judgments = read_paths(paths)
    findings: list[str] = []  # filled by `write_report`
    with show_progress(judgments) as progress:
        page = write_report(
            judgments,
            directory,
            logs=paths,
            published=published,
            baseline=baseline,
            formats=formats,
            progress=functools.partial(progress.track, description="Drawing figures"),
            findings=findings,
            **settings,
        )
    for finding in findings:
        echo(one_line(finding))
    echo(f"report written to {page}")


@click.command()
@click.argument("task", required=False)
@click.option("-T", "arguments", multiple=True, metavar="NAME=VALUE", help="A task argument.")
@click.option("--model", help="Model, for its price and its number of draws per call.")
@click.option(
    "--grader", metavar="MODEL", help="Model in the role grader, for the price of its judgments."
)
@click.option(
    "--extractor", metavar="MODEL", help="Model in the role extractor, for the price of its calls."
)
@click.option(
    "--epochs",
    type=click.IntRange(min=1),
    help="Number of epochs; by default the task's own, or 1.",
)
@click.option(
    "--limit", type=click.IntRange(min=1), help="Limit of samples, as `inspect eval` takes it."
)
@click.option(
    "--max-connections",
    type=click.IntRange(min=1),
    help="Number of concurrent calls, for the minutes; 10 by default.",
)
@click.option(
    "--temperature", type=float, help="Temperature, to check whether it is sent to the model."
)
@click.option(
    "--model-cost-config",
    type=click.Path(exists=True, dir_okay=False),
    envvar="INSPECT_EVAL_MODEL_COST_CONFIG",
    help="YAML or JSON file with model prices, as `inspect eval` takes it.",
)
@click.option("--detect", metavar="METRIC=SIZE", help="Size of a difference of two runs to detect.")
@click.option("--width", metavar="METRIC=SIZE", help="Width of a 95% interval to reach.")
@click.option(
    "--pilot",
    multiple=True,
    metavar="PATH",
    help="Logs or files whose items are resampled, for --detect and --width.",
)
@click.option(
    "--contender",
    "contenders",
    multiple=True,
    metavar="NAME",
    help="Model, variant or method of the pilot to use, or a part of its name; can be repeated. "
    "Default: all.",
)
@click.option(
    "--power", type=float, default=0.8, show_default=True, help="Share of runs that succeed."
)
@SEED
@record_options
@JSON
def plan(
    task: str | None,
    arguments: Sequence[str],
    model: str | None,
    grader: str | None,
    extractor: str | None,
    epochs: int | None,
    limit: int | None,
    max_connections: int | None,
    temperature: float | None,
    model_cost_config: str | None,
    detect: str | None,
    width: str | None,
    pilot: Sequence[str],
    contenders: Sequence[str],
    power: float,
    seed: int,
    as_json: bool,
) -> None:
    """Print the calls and cost of a run of TASK without calling a model.

    TASK may be a study file for `run`, whose runs are priced by model.
    With --detect or --width, print the number of items that a run needs, by resampling --pilot.
    """
    has_aim = bool(detect or width)
    if not task and not has_aim:
        raise click.UsageError(
            "Name a TASK or a study file (.yaml), or give --detect or --width with a --pilot."
        )
    is_study_file = task is not None and task.endswith((".yaml", ".yml"))
    has_model = bool(model or grader or extractor)
    has_run_options = arguments or has_model or epochs or limit or temperature is not None
    if is_study_file and has_run_options:
        raise click.UsageError(
            f"{task} is a study file: set models, arguments and settings in it, not by options."
        )
    if task:
        from inspect_confidence.commands.plan import CONNECTIONS, plan_design, plan_run

        if is_study_file:
            text = plan_design(task, model_cost_config, connections=max_connections)
        else:
            text = plan_run(
                task,
                arguments,
                model,
                epochs,
                model_cost_config,
                grader,
                extractor=extractor,
                limit=limit,
                temperature=temperature,
                connections=max_connections or CONNECTIONS,
            )
        echo(text, err=as_json)  # with --json, standard output has only the JSON of the sizes
    if not has_aim:
        return
    if not pilot:
        raise click.UsageError("--detect and --width need a --pilot: logs or a file of answers.")

    from inspect_confidence.commands.sample_size import items_needed

    judgments = read_paths(pilot)
    with show_status("Resampling the pilot"):
        sizes = items_needed(
            judgments, detect=detect, width=width, contenders=contenders, power=power, seed=seed
        )
    output_rows(sizes, as_json, csv=None, show=print_sample_sizes)


@click.command()
@click.argument("design", metavar="STUDY.yaml")
@click.option(
    "--log-dir", metavar="DIR", help="Folder for the logs; it replaces `logs` of the study file."
)
@click.option(
    "--display",
    type=click.Choice(["full", "rich", "plain", "log", "none"]),
    help="Inspect's display of a run; none prints a line at the end of each run.",
)
@click.option(
    "--retry-attempts",
    type=click.IntRange(min=0),
    metavar="N",
    help="Number of retries of failed runs; Inspect's default is 10.",
)
def run(
    design: str, log_dir: str | None, display: "DisplayType | None", retry_attempts: int | None
) -> None:
    """Run a study file: models x tasks x arguments x repeats.

    Interrupted runs are resumed, and finished runs are skipped. `plan STUDY.yaml` prints the cost.
    """
    from inspect_confidence.commands.run import run_design

    if not run_design(design, logs=log_dir, display=display, retries=retry_attempts):
        click.get_current_context().exit(_EXIT_CODE_OF_FAILURE)


@click.command()
@judgment_options
@OUTPUT
def judgments(paths: Sequence[str], output: Path) -> None:
    """Write the judgments, one row each, to a csv or parquet file."""
    from inspect_confidence.judgments.files import check_suffix, write_judgments
    from inspect_confidence.privacy import redact_frame, redactors
    from inspect_confidence.studies import all_tables

    check_suffix(output)  # an invalid name ends the command before logs are read
    frames = read_paths(paths)
    rows = sum(map(len, frames.values()))
    # A reply may have several rows, such as one for each way of reading its confidence.
    replies = sum(len(all_tables()[task].replies(frame)) for task, frame in frames.items())
    count = counted(replies, "judgment", form=",")
    if rows > replies:
        count = f"{counted(rows, 'row', form=',')} of {count}"
    redactors_by_column = redactors(frames.values())
    redacted = {task: redact_frame(frame, redactors_by_column) for task, frame in frames.items()}
    write_judgments(redacted, output)
    echo(f"{count} written to {output}")


@click.command()
@judgment_options
@click.option(
    "-o",
    "--output",
    "store",
    required=True,
    type=StoreName(),
    metavar="STORE",
    help="Folder that is new, empty, or a store.",
)
@click.option("--rebuild", is_flag=True, help="Read all logs again.")
def ingest(paths: Sequence[str], store: str, rebuild: bool) -> None:
    """Write the judgments of logs to a store, which commands read instead of the logs.

    Only new and changed logs are read.
    """
    from inspect_confidence.judgments.store import ingest as compute
    from inspect_confidence.redaction import without_keys

    done = compute(
        paths,
        store,
        executor=chosen_executor(),
        rebuild=rebuild,
        recorded=recorded(),
        progress=track_logs,
    )
    for notice in done.notices:
        echo(one_line(f"note: {without_keys(notice)}"), err=True)
    if done.logs_failed:
        note_loss()
    echo(
        f"{counted(done.logs_read, 'log')} read, {done.logs_unchanged} known, "
        f"{done.logs_removed} gone: {counted(done.judgments, 'judgment', form=',')} in {store}"
    )


@click.command()
@judgment_options
@click.option(
    "--format",
    "format_name",
    required=True,
    type=click.Choice(FORMATS),
    help="Format of the export.",
)
@DIRECTORY
@settings_options
@click.option(
    "--organization",
    default="unknown",
    show_default=True,
    help="Organization that evaluated, for every-eval-ever.",
)
@click.option(
    "--relationship",
    type=click.Choice(RELATIONSHIPS),
    default="other",
    show_default=True,
    help="Its relationship to the model's developer.",
)
def export(
    paths: Sequence[str],
    format_name: str,
    directory: Path,
    organization: str,
    relationship: str,
    **settings: "Unpack[Settings]",
) -> None:
    """Write the results as tables, as a leaderboard, or for public collections of results."""
    from inspect_confidence.export import export as write

    judgments = read_paths(paths)
    with show_progress(judgments):
        files = write(
            judgments,
            format_name,
            directory,
            logs=paths,
            organization=organization,
            relationship=relationship,
            **settings,
        )
    for path in files:
        echo(path)


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@record_options
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    help="Primary metric, whose p is adjusted over all pairs; can be repeated. Default: the first "
    "main number of each task.",
)
@click.option("--study", metavar="NAME", help="Compare only in one study.")
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="NAME",
    help="Compare only pairs with this model, or if repeated only pairs of these models.",
)
@click.option("--full", is_flag=True, help="Print all metrics, methods and scales.")
@STRICT
@JSON
@CSV
@settings_options
def compare(
    paths: Sequence[str],
    metrics: Sequence[str],
    study: str | None,
    models: Sequence[str],
    full: bool,
    as_json: bool,
    csv: Path | None,
    **settings: "Unpack[Settings]",
) -> None:
    """Print paired differences between models, variants or methods.

    Judgments of two paths A and B are compared with each other, A minus B; those of one path, or of
    three and more, among themselves.

    By default a screen with the primary metric of each task for each pair of models; --full prints
    all metrics. Models, variants and methods are compared on the items that both answered.
    Differences of other than the primary metrics are exploratory: their p is not adjusted.
    """
    from inspect_confidence.commands.compare import compare as compute

    study = study and find_study(study)
    sides = [read_paths([path]) for path in paths] if len(paths) == 2 else [read_paths(paths)]
    with show_status("Comparing"):
        rows = compute(
            *sides,
            metrics=metrics,
            models=models,
            study=study,
            headlines_only=not (full or as_json or csv),
            **settings,
        )
    show = functools.partial(
        print_differences,
        full=full,
        only_primary=bool(metrics),
        sources=paths if len(paths) == 2 else (),
    )
    output_rows(rows, as_json, csv, show)


@click.command()
@judgment_options
@REREAD
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Number of replies in the table; --json and --csv give all.",
)
@JSON
@CSV
def unread(paths: Sequence[str], reread: bool, limit: int, as_json: bool, csv: Path | None) -> None:
    """Print the shares of unread replies by task and model, and the replies."""
    from inspect_confidence.commands.unread import shares
    from inspect_confidence.commands.unread import unread as find
    from inspect_confidence.privacy import redact_rows

    judgments = read_paths(paths, reread=reread)
    replies = find(paths, judgments=judgments)
    output_rows(
        replies,
        as_json,
        csv,
        lambda rows: print_unread(redact_rows(shares(judgments)), rows, limit),
    )


@click.command()
@judgment_options
@click.option(
    "--only",
    "section",
    type=click.Choice(["bibtex", "settings"]),
    help="Print only the references, or only the paragraphs on settings.",
)
def cite(paths: Sequence[str], section: str | None) -> None:
    """Print BibTeX references for judgments, and a paragraph for each task on its settings."""
    from inspect_confidence.commands.cite import cite as compute

    citation = compute(list(paths), judgments=read_paths(paths))
    for name in citation.unknown:
        echo(one_line(f"note: no reference is known for {name}; cite its source too."), err=True)
    parts: list[str] = []
    if section != "settings":
        parts += citation.bibtex
    if section != "bibtex":
        parts += map(one_line, citation.settings)
    echo("\n\n".join(parts))


@click.command()
@click.argument("log", metavar="LOG")
def reproduce(log: str) -> None:
    """Print the command that repeats a log's run, and on standard error the changes since."""
    from inspect_confidence.commands.reproduce import reproduce as compute

    reproduction = compute(log)
    echo(reproduction.command)
    for line in reproduction.changes:
        echo(f"changed: {line}", err=True)
    if not reproduction.changes:
        echo("unchanged: recorded versions and hashes that can be compared", err=True)
    for line in reproduction.not_compared:
        echo(f"not compared: {line}", err=True)
    for line in reproduction.notices:
        echo(f"note: {line}", err=True)


@click.command()
@judgment_options
@OUTPUT
@click.option(
    "--method",
    default="best",
    show_default=True,
    help="Method for confidence: best (by cross-validation), isotonic, platt, beta, temperature, "
    "histogram, venn_abers.",
)
@JSON
@RESAMPLES
@SEED
def recalibrate(
    paths: Sequence[str], output: Path, method: str, as_json: bool, resamples: int, seed: int
) -> None:
    """Fit maps of stated confidence and intervals; compare them on items outside the fit.

    The exit code is 1 if no map can be fitted.
    """
    from inspect_confidence.commands.groups import describe_pooling
    from inspect_confidence.commands.recalibrate import recalibrate as compute
    from inspect_confidence.privacy import redact_rows

    judgments = read_paths(paths)
    result = compute(judgments, method=method, resamples=resamples, seed=seed)
    result.write(output)
    tasks = dict.fromkeys(entry["task"] for entry in result.maps["maps"])
    show = functools.partial(
        print_recalibrated,
        redact_rows(result.scores),
        redact_rows(result.offsets),
        pooling=describe_pooling(judgments, tasks),
    )
    output_rows(result.changes, as_json, csv=None, show=show)
    fitted = sum("refused" not in entry for entry in result.maps["maps"])
    echo(f"{fitted} of {len(result.maps['maps'])} maps written to {output}", err=as_json)
    if not fitted:
        click.get_current_context().exit(_EXIT_CODE_OF_FAILURE)


@click.command()
@judgment_options
@click.option(
    "--risk",
    type=float,
    default=0.05,
    show_default=True,
    help="Largest share of wrong answers among those given.",
)
@RECALIBRATED
@JSON
@CSV
def threshold(paths: Sequence[str], risk: float, as_json: bool, csv: Path | None) -> None:
    """Print the confidence from which on answers may be given, and the share of these answers."""
    from inspect_confidence.commands.groups import describe_pooling
    from inspect_confidence.commands.threshold import threshold as compute

    judgments = read_paths(paths)
    rows = compute(judgments, risk=risk)
    pooling = describe_pooling(judgments, rows["task"].unique())
    show = functools.partial(print_thresholds, pooling=pooling)
    output_rows(rows, as_json, csv, show)


class _RequirementText(click.types.StringParamType):
    """Text of a requirement; the error of a missing one has an example."""

    def get_missing_message(
        self, param: click.Parameter, ctx: click.Context | None = None
    ) -> str | None:
        """Return an example of the option."""
        return f"Write one such as {param.opts[0]} 'ece<=0.10'."


_EXIT_CODE_OF_FAILURE = 1
"""Exit code of a failed check; click exits with 2 for errors of usage."""


@click.command()
@PATHS
@record_options
@click.option(
    "--require",
    "requirements",
    multiple=True,
    required=True,
    type=_RequirementText(),
    metavar="REQUIREMENT",
    help="Requirement such as 'ece<=0.10' or 'coverage>=0.85;level=90'; can be repeated.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="Check the end of the 95% interval, not the value; fail if data were lost.",
)
@JSON
@settings_options
def check(
    paths: Sequence[str],
    requirements: Sequence[str],
    strict: bool,
    as_json: bool,
    **settings: "Unpack[Settings]",
) -> None:
    """Exit with 1 unless every matching result meets the requirements.

    A requirement is METRIC OP NUMBER[;key=value...], where METRIC.low and METRIC.high are the ends
    of its 95% interval. A key is task, model, dataset, or a part of a result's condition (the
    settings that it was computed under, such as level=90); `key=` means that the part is absent.
    """
    from inspect_confidence.commands.check import check as compute
    from inspect_confidence.commands.check import read_requirement

    # An invalid requirement ends the command before logs are read.
    metrics = {read_requirement(requirement).metric for requirement in requirements}
    judgments = read_or_stream(paths, settings, loss_label="not judged")
    results = summarize_with_progress(judgments, settings, metrics)
    if metrics - set(results["metric"]):  # the error for a metric without result names all others
        results = summarize_with_progress(judgments, settings)
    verdicts = compute(results, requirements, strict=strict)
    lost_logs = len(judgments.loss_notices) if strict else 0
    show = functools.partial(print_verdicts, strict=strict, lost_logs=lost_logs)
    output_rows(verdicts, as_json, csv=None, show=show)
    if not verdicts["passed"].all() or lost_logs:
        click.get_current_context().exit(_EXIT_CODE_OF_FAILURE)


@click.command()
@judgment_options
@OUTPUT
@click.option(
    "--model", help="Model that groups the markers, by its name in Inspect; by default rules do."
)
@click.option("--prompts", default="ours", help="Wording of the prompt: ours or study.")
def canonicalize(paths: Sequence[str], output: Path, model: str | None, prompts: str) -> None:
    """Write the canonical form of each hedge marker, for the option `hedge_markers.markers`."""
    from inspect_confidence.commands.canonicalize import canonical_forms
    from inspect_confidence.studies.hedge_markers.forms import write_forms

    forms = canonical_forms(read_paths(paths), model=model, prompts=prompts)
    write_forms(forms, output)
    distinct_forms = counted(len(set(forms.values())), "form")
    echo(f"{counted(len(forms), 'marker')}, {distinct_forms} written to {output}")


class _Commands(click.Group):
    """Group of commands that reports errors of the system, such as a full disk, on one line."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with _escape_errors():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; print file errors as messages; exit 1 for lost data under --strict."""
        with _escape_errors():
            try:
                result = super().invoke(ctx)
                if has_failed(ctx):
                    ctx.exit(_EXIT_CODE_OF_FAILURE)
                return result
            except BrokenPipeError:  # the reader of the output, such as `head`, has ended
                raise
            except OSError as error:
                raise click.ClickException(one_line(error)) from error


@contextmanager
def _escape_errors() -> Iterator[None]:
    """Raise errors in at most two lines, without the control characters of input and logs.

    Click prints them. The second line of an error of usage names the command's help.
    """
    try:
        yield
    except InvalidArgument as error:
        error.ctx = None  # without a context click prints no usage; the message names the remedy
        vars(error)["message"] = escape_control(error.message)  # click declares it final
        raise
    except click.UsageError as error:
        if error.ctx is None or error.message == error.ctx.get_help():  # no command was named
            raise
        message = escape_control(one_line(error.format_message()))
        raise click.UsageError(f"{message}\nTry '{error.ctx.command_path} --help'.") from error
    except click.ClickException as error:
        vars(error)["message"] = escape_control(error.message)  # click declares it final
        raise


_VERSIONS = f"""%(prog)s, version %(version)s
tasks: {", ".join(f"{task} {version}" for task, version in TASK_VERSIONS.items())}"""


_COLLECTED_OBJECTS = 100_000
"""Number of new objects after which the garbage collector looks for cycles."""


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message=_VERSIONS)
def main() -> None:
    """Confidence of language models: judgments, results and reports from Inspect's logs.

    PATH is a log, a folder of logs (anywhere Inspect reads), a store that ingest wrote, or a csv,
    jsonl or parquet file of judgments.
    """
    if click.get_current_context().invoked_subcommand == "run":
        return  # the tools of a run may want threads, and last long enough to need the collector
    # More threads of OpenBLAS burn more than they save; a number that the user sets stays.
    if "OMP_NUM_THREADS" not in os.environ:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # At the default of 700 the collector goes through all imported modules time and again.
    gc.set_threshold(_COLLECTED_OBJECTS)


COMMANDS = (
    *(canonicalize, check, cite, compare, export, ingest, judgments, plan, recalibrate),
    *(report, reproduce, run, summarize, threshold, unread),
)

for command in COMMANDS:
    main.add_command(command)
