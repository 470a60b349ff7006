"""The command line: from logs to judgments, results, comparisons, reports and exports."""

import functools
import math
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from inspect_confidence import __version__
from inspect_confidence.export import FORMATS, RELATIONSHIPS

if TYPE_CHECKING:
    import pandas as pd

    from inspect_confidence.commands.analysis import Settings
    from inspect_confidence.judgments.read import Judgments
    from inspect_confidence.studies import Recorded

_LEFT = ("condition", "metric", "verdict", "reason", "text")
_LONGEST = 80
"""Characters of a reply that a table shows."""


def read(paths: Iterable[str], *, lost: str = "note", reread: bool = False) -> "Judgments":
    """Judgments with a progress bar; notices, of lost data under that name, on standard error."""
    from rich.console import Console
    from rich.progress import track

    from inspect_confidence.judgments.read import read_judgments

    console = Console(stderr=True)
    frames = read_judgments(
        list(paths),
        reread=reread,
        recorded=_recorded(),
        progress=lambda logs: track(
            logs, "Reading logs", console=console, transient=True, disable=len(logs) < 2
        ),
    )
    if maps := click.get_current_context().meta.get(_MAPS):
        from inspect_confidence.commands.recalibrate import recalibrated

        frames = recalibrated(frames, maps)
    for notice in frames.notices:
        click.echo(f"{lost if notice in frames.lost else 'note'}: {notice}", err=True)
    return frames


def print_table(table: "pd.DataFrame", title: str, caption: str) -> None:
    """A table for people; as wide as it needs to be where the output isn't a terminal."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    if not console.is_terminal:
        console = Console(width=1_000)
    shown = Table(box=SIMPLE_HEAD, pad_edge=False)
    # As texts: names may hold brackets, which are markup otherwise.
    for column in table:
        title_lines = Text(str(column).replace(" ", "\n", 1))
        shown.add_column(title_lines, justify="left" if column in _LEFT else "right")
    for row in table.itertuples(index=False):
        shown.add_row(*(Text(str(value)) for value in row))
    console.print(title, style="bold", markup=False, emoji=False, highlight=False)
    console.print(shown, highlight=False)
    if caption:
        console.print(f"{caption}\n", markup=False, emoji=False, highlight=False)


def _recorded() -> "Recorded":
    """What this command's options say about logs and files of others."""
    from inspect_confidence.studies import Recorded

    said = click.get_current_context().meta.get(_SAID, {})
    return Recorded(**{name: value for name, value in said.items() if value})


_SAID = "inspect_confidence.recorded"
_MAPS = "inspect_confidence.recalibrated"


def _said(context: click.Context, parameter: click.Parameter, value: object) -> None:
    """Keep an option for `_recorded`."""
    from inspect_confidence.arguments import scale_ends

    if parameter.name == "columns":
        value = dict(_pair(one, "--column NAME=COLUMN") for one in value)  # type: ignore[attr-defined]
    if parameter.name == "scale" and value is not None:
        value = scale_ends("--confidence-scale", value)
    context.meta.setdefault(_SAID, {})[parameter.name] = value


_recording = functools.partial(click.option, expose_value=False, callback=_said)
RECORDED = (
    _recording(
        "--confidence-from",
        "confidence",
        multiple=True,
        metavar="FIELD",
        help="Where logs of other evals hold a confidence: score.metadata.confidence, metadata.x, "
        "output.logprobs; docs/any_eval.md lists them.",
    ),
    _recording(
        "--confidence-scale", "scale", metavar="LOW-HIGH", help="The scale that it is on: 0-100."
    ),
    _recording(
        "--score", "score", metavar="SCORER[.KEY]", help="The score that says what is right."
    ),
    _recording(
        "--by",
        "by",
        multiple=True,
        metavar="FIELD",
        help="A field of samples' metadata, or a file's column, by which numbers are given too.",
    ),
    _recording(
        "--column",
        "columns",
        multiple=True,
        metavar="NAME=COLUMN",
        help="What a file calls a column that is NAME here: correct=is_correct.",
    ),
)
"""What can be said of logs and files of others: every command that reads some takes them all."""


def recording(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `RECORDED`."""
    return functools.reduce(lambda made, option: option(made), reversed(RECORDED), command)


def reading(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the paths that it reads, and the options of `RECORDED`."""
    return PATHS(recording(command))


PATHS = click.argument("paths", nargs=-1, required=True, metavar="PATH...")
OUTPUT = click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path), metavar="FILE"
)
DIRECTORY = click.option(
    "-o",
    "--output",
    "directory",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Where to; made if it isn't there.",
)
RESAMPLES = click.option(
    "--resamples",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    help="Bootstrap resamples of the items.",
)
SEED = click.option("--seed", default=0, show_default=True, help="Seed of the resampling.")


def _keep_maps(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    """Keep the maps for `read`; what is no file of maps shall not cost the reading of the logs."""
    if value is not None:
        from inspect_confidence.commands.recalibrate import read_maps

        context.meta[_MAPS] = read_maps(value)


RECALIBRATED = click.option(
    "--recalibrated",
    expose_value=False,
    callback=_keep_maps,
    metavar="FILE",
    help="Put stated confidence through the maps that `recalibrate` wrote; train items are left "
    "out.",
)
SETTINGS = (
    RESAMPLES,
    SEED,
    click.option(
        "--thresholds",
        default="0.5,0.75",
        show_default=True,
        help="From which on stated confidence counts as high, for type-2 sensitivity.",
    ),
    click.option(
        "--costs",
        metavar="right=1,wrong=-2,abstain=0",
        help="What answers are worth to you: adds the utility of answering from a confidence on.",
    ),
    click.option(
        "--convention",
        type=click.Choice(["text", "authors"]),
        help="Where a study's text and its authors' code differ; each study has its own default.",
    ),
    click.option(
        "--common-items",
        is_flag=True,
        help="Count only items that every model of a data set answered readably.",
    ),
    click.option(
        "--option",
        "options",
        multiple=True,
        callback=lambda context, parameter, given: dict(
            _pair(one, "--option STUDY.NAME=VALUE") for one in given
        ),
        metavar="STUDY.NAME=VALUE",
        help="What one study alone asks for: fermi_eval.penalty=5; docs/judgments.md lists them.",
    ),
    RECALIBRATED,
)
"""How numbers are computed: every command that computes some takes them all."""


def computing(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `SETTINGS`, as its keywords `settings`."""
    return functools.reduce(lambda made, option: option(made), reversed(SETTINGS), command)


def _pair(text: str, form: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        option = form.split(maxsplit=1)[0]
        raise click.UsageError(f"{option} {text} is not of the form {form.split()[1]}.")
    return name.strip(), value


JSON = click.option("--json", "as_json", is_flag=True, help="Print the rows as a JSON array.")
REREAD = click.option(
    "--reread",
    is_flag=True,
    help="Read the logs' replies again first, with the present readers; no log is written.",
)
CSV = click.option("--csv", type=click.Path(path_type=Path), help="Write the rows to a csv file.")


def give(
    rows: "pd.DataFrame", as_json: bool, csv: Path | None, show: Callable[["pd.DataFrame"], None]
) -> None:
    """Rows in a csv file if one is named, and on the terminal: as JSON, or as `show` does it."""
    from inspect_confidence.results import as_json as in_json
    from inspect_confidence.results import quoting

    if csv:
        rows.to_csv(csv, index=False, lineterminator="\n", quoting=quoting(rows))
    if as_json:
        click.echo(in_json(rows))
    else:
        show(rows)


@click.command()
@reading
@REREAD
@JSON
@CSV
@click.option("--full", is_flag=True, help="Print all tables of the toolbox too.")
@computing
def summarize(
    paths: Sequence[str],
    reread: bool,
    full: bool,
    as_json: bool,
    csv: Path | None,
    **settings: "Unpack[Settings]",
) -> None:
    """Print the results: every number with its 95% interval."""
    from inspect_confidence.commands.analysis import resamplings
    from inspect_confidence.commands.summarize import summarize as compute

    resamplings(settings)  # a mistake shall not cost the reading of the logs
    show = functools.partial(_print_views, full=full)
    give(compute(read(paths, reread=reread), **settings), as_json, csv, show)


def _print_views(results: "pd.DataFrame", *, full: bool = False) -> None:
    from inspect_confidence.commands.views import views_of
    from inspect_confidence.studies.unread import told

    for study, views in views_of(results):
        of_study = results["task"].isin([table.task for table in study.tables])
        said, note = told(results[of_study])
        lines = [one for one in said if one.record["value"] != 0]
        for one in lines:
            click.echo(f"{' '.join(filter(None, one.of))}: {one.said}")
        if lines:
            click.echo(f"{note}\n")
        for view in views:
            if full or not view.fold:
                print_table(view.table, view.title, view.caption)


@click.command()
@reading
@DIRECTORY
@click.option("--published", is_flag=True, help="Show the studies' published figures beside.")
@click.option(
    "--baseline",
    metavar="MODEL",
    help="Show every model's paired differences from this one, named as in the logs.",
)
@computing
def report(
    paths: Sequence[str],
    directory: Path,
    published: bool,
    baseline: str | None,
    **settings: "Unpack[Settings]",
) -> None:
    """Write a page of all results, index.html, its figures and its tables to a folder."""
    from inspect_confidence.report import write_report

    settings["workers"] = os.cpu_count() or 1
    page = write_report(
        read(paths), directory, logs=paths, published=published, baseline=baseline, **settings
    )
    click.echo(f"report written to {page}")


@click.command()
@click.argument("task", required=False)
@click.option("-T", "arguments", multiple=True, metavar="NAME=VALUE", help="A task argument.")
@click.option("--model", help="For the price, where Inspect's model cost data has the model.")
@click.option("--epochs", type=click.IntRange(min=1), help="The task's own by default, or 1.")
@click.option(
    "--model-cost-config",
    type=click.Path(exists=True, dir_okay=False),
    envvar="INSPECT_EVAL_MODEL_COST_CONFIG",
    help="YAML or JSON file with model prices, as `inspect eval` takes it.",
)
@click.option(
    "--detect", metavar="METRIC=SIZE", help="How many items a difference of two runs needs."
)
@click.option(
    "--width", metavar="METRIC=SIZE", help="How many items a 95% interval of that width needs."
)
@click.option(
    "--pilot",
    multiple=True,
    metavar="PATH",
    help="Logs or files whose items stand for those to come, for --detect and --width.",
)
@click.option(
    "--power", type=float, default=0.8, show_default=True, help="Share of runs that succeed."
)
@SEED
@recording
@JSON
def plan(
    task: str | None,
    arguments: Sequence[str],
    model: str | None,
    epochs: int | None,
    model_cost_config: str | None,
    detect: str | None,
    width: str | None,
    pilot: Sequence[str],
    power: float,
    seed: int,
    as_json: bool,
) -> None:
    """Print what a run of TASK would ask and cost, without calling a model.

    With --detect or --width, print how many items it needs, by resampling the items of --pilot.
    """
    if task:
        from inspect_confidence.commands.plan import plan_run

        click.echo(plan_run(task, arguments, model, epochs, model_cost_config), err=as_json)
    if not (detect or width):
        if not task:
            raise click.UsageError("Name a TASK, or say --detect or --width with a --pilot.")
        return
    if not pilot:
        raise click.UsageError("--detect and --width need a --pilot: logs or a file of answers.")
    from inspect_confidence.commands.items import items_needed

    found = items_needed(read(pilot), detect=detect, width=width, power=power, seed=seed)
    give(found, as_json, None, _print_needed)


def _print_needed(rows: "pd.DataFrame") -> None:
    aims = {"detect": "difference of {:.4g}", "width": "interval of width {:.4g}"}
    table = rows[["a", "b"]].copy()
    table["metric"] = rows["metric"]
    table["aim"] = [aims[a].format(size) for a, size in zip(rows["aim"], rows["size"], strict=True)]
    for name in ("items", "to_ask", "pilot_items"):
        table[name.replace("_", " ")] = rows[name].map("{:,}".format)
    table["correlation"] = rows["correlation"].map(lambda r: "" if math.isnan(r) else f"{r:.2f}")
    table["text"] = rows["note"]
    print_table(
        _filled(table).rename(columns={"text": "note"}),
        f"Items needed, for {rows['power'].iloc[0]:.0%} of runs",
        "Runs drawn from the pilot's items, each with the interval that it would be given. To ask: "
        "with the pilot's share of replies that can't be read.",
    )


@click.command()
@reading
@OUTPUT
def judgments(paths: Sequence[str], output: Path) -> None:
    """Write the judgments, one row each, to a csv or parquet file."""
    from inspect_confidence.judgments.files import write_file

    frames = read(paths)
    write_file(frames, output)
    click.echo(f"{sum(map(len, frames.values()))} judgments written to {output}")


@click.command()
@reading
@click.option("--format", "form", required=True, type=click.Choice(FORMATS), help="What to write.")
@DIRECTORY
@computing
@click.option(
    "--organization",
    default="unknown",
    show_default=True,
    help="Who evaluated, as every-eval-ever records it.",
)
@click.option(
    "--relationship",
    type=click.Choice(RELATIONSHIPS),
    default="other",
    show_default=True,
    help="What they are to the model's developer.",
)
def export(
    paths: Sequence[str],
    form: str,
    directory: Path,
    organization: str,
    relationship: str,
    **settings: "Unpack[Settings]",
) -> None:
    """Write the results as tables, as a leaderboard, or for public collections of results."""
    from inspect_confidence.export import export as write

    for written in write(
        read(paths),
        form,
        directory,
        logs=paths,
        organization=organization,
        relationship=relationship,
        **settings,
    ):
        click.echo(written)


@click.command()
@click.argument("a", metavar="A")
@click.argument("b", metavar="[B]", required=False)
@recording
@JSON
@CSV
@computing
def compare(
    a: str, b: str | None, as_json: bool, csv: Path | None, **settings: "Unpack[Settings]"
) -> None:
    """Print paired differences between what is in A and what is in B, or within A alone.

    Models, variants and methods that answered the same items are compared on those items.
    """
    from inspect_confidence.commands.compare import compare as compute

    sides = [read([side]) for side in (a, b) if side]
    give(compute(*sides, **settings), as_json, csv, _print_differences)


@click.command()
@reading
@REREAD
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Replies in the table; --json and --csv give all.",
)
@JSON
@CSV
def unread(paths: Sequence[str], reread: bool, limit: int, as_json: bool, csv: Path | None) -> None:
    """Print the replies that could not be read, after their share by task and model."""
    from inspect_confidence.commands.unread import shares
    from inspect_confidence.commands.unread import unread as find

    judgments = read(paths, reread=reread)
    found = find(paths, judgments=judgments)
    give(found, as_json, csv, lambda rows: _print_unread(shares(judgments), rows, limit))


def _print_unread(shares: "pd.DataFrame", rows: "pd.DataFrame", limit: int) -> None:
    ends = [f"[{low:.3g}, {high:.3g}]" for low, high in _intervals(shares)]
    table = shares.drop(columns=["ci_low", "ci_high"])
    table["share"] = table["share"].map("{:.3g}".format)
    table.insert(6, "95% interval", ends)
    said = (
        "Wilson's intervals over items. Failures of the run and of the instrument are no replies."
    )
    print_table(_filled(table), "Unread replies", said)
    whose = ["task", "model", "variant", "dataset"]
    for key, some in rows[:limit].groupby(whose, sort=False):
        shown = some.drop(columns=whose).map(_in_a_cell)
        print_table(_filled(shown), " ".join(str(one) for one in key if one), "")
    if rows.empty:
        click.echo("Every reply could be read.")
    elif len(rows) > limit:
        click.echo(f"{limit} of {len(rows)} replies; --limit shows more, --json and --csv all.")


def _filled(table: "pd.DataFrame") -> "pd.DataFrame":
    """The table without columns that say nothing in any line."""
    return table[[name for name in table if (table[name].astype(str) != "").any()]]


def _in_a_cell(value: object) -> str:
    """A text on one line, cut where it is long; whole numbers without a point."""
    line = " ".join((f"{value:g}" if isinstance(value, float) else str(value)).split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."


def _intervals(rows: "pd.DataFrame") -> Iterable[tuple[float, float]]:
    return zip(rows["ci_low"], rows["ci_high"], strict=True)


def _print_differences(differences: "pd.DataFrame") -> None:
    for (a, b, dataset), rows in differences.groupby(["a", "b", "dataset"], sort=False):
        table = rows[["condition", "metric"]].copy()
        for name in ("value_a", "value_b", "difference"):
            table[name] = rows[name].map("{:.3g}".format)
        table["95% interval"] = [
            "-" if math.isnan(low) else f"[{low:.3g}, {high:.3g}]" for low, high in _intervals(rows)
        ]
        table["items"] = rows["items"].astype(str)
        table["verdict"] = rows["verdict"]
        print_table(
            table,
            f"a: {a}\nb: {b}\non {dataset}",
            "p is below .05 just where the interval leaves out 0; then it after Holm's adjustment "
            "over all rows that have one.",
        )


@click.command()
@reading
@click.option(
    "--only",
    type=click.Choice(["bibtex", "settings"]),
    help="Only the references, or only the paragraphs on how judgments came about.",
)
def cite(paths: Sequence[str], only: str | None) -> None:
    """Print BibTeX of what the judgments rest on, and a paragraph a task on its settings."""
    from inspect_confidence.commands.cite import cite as compute

    found = compute(list(paths), judgments=read(paths))
    for name in found.unknown:
        click.echo(f"note: no reference is known for {name}; cite its source too.", err=True)
    shown = {"bibtex": found.bibtex, "settings": found.settings}
    parts = [one for name, some in shown.items() if only in (None, name) for one in some]
    click.echo("\n\n".join(parts))


@click.command()
@reading
@OUTPUT
@click.option(
    "--method",
    default="best",
    show_default=True,
    help="best by cross-validation, isotonic, platt, beta, temperature, histogram, venn_abers.",
)
@JSON
@RESAMPLES
@SEED
def recalibrate(
    paths: Sequence[str], output: Path, method: str, as_json: bool, resamples: int, seed: int
) -> None:
    """Fit maps from stated confidence to accuracy on train items; judge them on test items."""
    from inspect_confidence.commands.recalibrate import recalibrate as compute

    found = compute(read(paths), method=method, resamples=resamples, seed=seed)
    found.write(output)
    give(found.judged, as_json, None, lambda rows: _print_recalibrated(found.scores, rows))
    fitted = sum("refused" not in one for one in found.maps["maps"])
    click.echo(f"{fitted} of {len(found.maps['maps'])} maps written to {output}", err=as_json)


def _print_recalibrated(scores: "pd.DataFrame", judged: "pd.DataFrame") -> None:
    whose = ["model", "variant", "way"]
    counts = ["train_items", "test_items"]
    told = [*whose, *counts, "chosen", "note"]
    methods = [name for name in scores if name not in ("task", *told)]
    table = scores[[*whose, *counts]].join(scores[methods].map("{:.4f}".format))
    print_table(
        _filled(table.assign(chosen=scores["chosen"], text=scores["note"])),
        "Methods of recalibration",
        "Brier score by ten-fold cross-validation within train items; the least is chosen.",
    )
    if judged.empty:
        return
    table = judged[[*whose, "recalibration", "metric"]].copy()
    for name in ("stated", "recalibrated", "difference"):
        columns = [judged[one] for one in (name, f"{name}_low", f"{name}_high")]
        table[name] = [_with_interval(*three) for three in zip(*columns, strict=True)]
    table["test items"] = judged["test_items"]
    print_table(
        _filled(table),
        "Before and after, on test items",
        "95% intervals over test items; differences are paired: recalibrated less stated.",
    )


def _with_interval(value: float, low: float, high: float) -> str:
    if math.isnan(value):
        return "-"
    return f"{value:.3f}" + ("" if math.isnan(low) else f" [{low:.3f}, {high:.3f}]")


@click.command()
@reading
@click.option(
    "--risk",
    type=float,
    default=0.05,
    show_default=True,
    help="The greatest share of wrong answers among those given.",
)
@RECALIBRATED
@JSON
@CSV
def threshold(paths: Sequence[str], risk: float, as_json: bool, csv: Path | None) -> None:
    """Print from which confidence on answers may be given, and which share of them that is."""
    from inspect_confidence.commands.threshold import threshold as compute

    give(compute(read(paths), risk=risk), as_json, csv, _print_thresholds)


def _print_thresholds(rows: "pd.DataFrame") -> None:
    table = rows[["model", "variant", "way"]].copy()
    table["confidence from"] = rows["threshold"].map(lambda t: "-" if math.isnan(t) else f"{t:.4g}")
    ends = [rows[name] for name in ("coverage", "ci_low", "ci_high")]
    table["coverage"] = [_with_interval(*three) for three in zip(*ends, strict=True)]
    table["wrong among given"] = rows["risk"].map(lambda r: "-" if math.isnan(r) else f"{r:.3f}")
    table["items given"] = [
        f"{a} of {n}" for a, n in zip(rows["answered"], rows["items"], strict=True)
    ]
    table["text"] = rows["note"].where(rows["note"] != "", "every answer may be given")
    print_table(
        _filled(table).rename(columns={"text": "reason"}),
        f"Confidence from which at most {rows['target'].iloc[0]:.4g} of answers are wrong",
        "With 95% confidence, of items like these (learn-then-test). The reason says where the "
        "tests ended.",
    )


_FAILED = 1
"""Exit code; errors of usage are 2, as click has them."""


@click.command()
@reading
@click.option(
    "--require",
    "requirements",
    multiple=True,
    required=True,
    metavar="REQUIREMENT",
    help="As 'ece<=0.10' or 'coverage>=0.85;level=90'; may be given several times.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="Judge by the end of the 95% interval, not the value; fail where data were lost.",
)
@JSON
@computing
def check(
    paths: Sequence[str],
    requirements: Sequence[str],
    strict: bool,
    as_json: bool,
    **settings: "Unpack[Settings]",
) -> None:
    """Exit with 1 unless every matching result meets the requirements.

    A requirement is METRIC OP NUMBER[;key=value...]. Keys are parts of the condition, task, model
    and dataset; `key=` means that the part is absent.
    """
    from inspect_confidence.commands.check import check as compute
    from inspect_confidence.commands.check import read_requirement
    from inspect_confidence.commands.summarize import summarize

    for requirement in requirements:  # a misspelt one shall not cost the reading of the logs
        read_requirement(requirement)
    judgments = read(paths, lost="not judged")
    results = summarize(judgments, **settings)
    found = compute(results, requirements, strict=strict)
    give(found, as_json, None, _print_found)
    if not found["passed"].all() or (strict and judgments.lost):
        click.get_current_context().exit(_FAILED)


def _print_found(found: "pd.DataFrame") -> None:
    """A table of all rows for each requirement, and how many requirements are met."""
    for requirement, rows in found.groupby("requirement", sort=False):
        table = rows[["task", "model", "dataset", "condition"]].copy()
        table["value"] = rows["value"].map("{:.4g}".format)
        table["95% interval"] = [
            "" if math.isnan(low) or math.isnan(high) else f"[{low:.4g}, {high:.4g}]"
            for low, high in _intervals(rows)
        ]
        table["n"] = rows["n"].astype(str)
        table["verdict"] = [
            "holds" if passed else f"fails: {reason}"
            for passed, reason in zip(rows["passed"], rows["reason"], strict=True)
        ]
        print_table(table, str(requirement), f"{rows['passed'].sum()} of {len(rows)} hold.")
    wanted = found["requirement"].nunique()
    met = wanted - found.loc[~found["passed"], "requirement"].nunique()
    click.echo(f"{met} of {wanted} requirements met.")


@click.command()
@reading
@OUTPUT
@click.option(
    "--model", help="A model that groups the markers, as Inspect names it; else rules do."
)
@click.option("--prompts", default="ours", help="Whose wording the model reads: ours or study.")
def canonicalize(paths: Sequence[str], output: Path, model: str | None, prompts: str) -> None:
    """Write which form stands for each hedge marker, for the option `hedge_markers.markers`."""
    from inspect_confidence.commands.canonicalize import canonical_forms
    from inspect_confidence.studies.hedge_markers.forms import write_forms

    forms = canonical_forms(read(paths), model=model, prompts=prompts)
    write_forms(forms, output)
    click.echo(f"{len(forms)} markers, {len(set(forms.values()))} forms written to {output}")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def main() -> None:
    """Confidence of language models: judgments, results and reports from Inspect's logs.

    PATH is a log, a folder of logs (anywhere Inspect reads), or a csv or parquet file of judgments.
    """


COMMANDS = (
    *(canonicalize, check, cite, compare, export, judgments, plan, recalibrate, report),
    *(summarize, threshold, unread),
)
for command in COMMANDS:
    main.add_command(command)
