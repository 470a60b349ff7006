"""Options shared by commands: paths, settings, and the layout of foreign logs and files."""

import functools
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from inspect_confidence.commands.saved_maps import SavedMaps
    from inspect_confidence.studies import Recorded

_RECORDED = "inspect_confidence.recorded"
_MAPS = "inspect_confidence.recalibrated"
_EXECUTOR = "inspect_confidence.executor"
"""Names under which options are kept in `meta` of click's context, until a command uses them."""


def recorded() -> "Recorded":
    """Return this command's options on the layout of foreign logs and files."""
    from inspect_confidence.studies import Recorded

    options = click.get_current_context().meta.get(_RECORDED, {})  # stored by `_keep_recorded`
    return Recorded(**{name: value for name, value in options.items() if value})


def chosen_executor() -> str:
    """Return this command's value of `--executor`; `auto` by default."""
    return str(click.get_current_context().meta.get(_EXECUTOR, "auto"))


def _split_pair(text: str, form: str) -> tuple[str, str]:
    """Split `NAME=VALUE`; errors name `form`, the option with its form: `--column NAME=COLUMN`."""
    name, equals, value = text.partition("=")
    if not equals:
        option, form_of_value = form.split()
        raise click.UsageError(f"{option} {text} is not of the form {form_of_value}.")
    return name.strip(), value


def _keep_recorded(context: click.Context, parameter: click.Parameter, value: object) -> None:
    """Check and store an option on the layout of foreign logs, for `recorded`.

    Click calls this callback with the parsed value of each option of `RECORDED`.
    `--confidence-scale none` is stored as `order_only`: values then only rank the answers.
    """
    from inspect_confidence.arguments import parts, scale_ends

    if parameter.name == "columns":  # the option can be repeated
        value = dict(_split_pair(pair, "--column NAME=COLUMN") for pair in value)  # type: ignore[attr-defined]
    if parameter.name == "answering":  # words that stand for answering, with commas
        value = parts(value)
    if parameter.name == "scale" and value is not None:
        if str(value).strip().lower() == "none":
            context.meta.setdefault(_RECORDED, {})["order_only"] = True
            return
        value = scale_ends("--confidence-scale", value)
    context.meta.setdefault(_RECORDED, {})[parameter.name] = value


_record_option = functools.partial(click.option, expose_value=False, callback=_keep_recorded)

RECORDED = (
    _record_option(
        "--confidence-from",
        "confidence",
        multiple=True,
        metavar="FIELD",
        help="Field with the confidence in logs of other evals, such as "
        "score.metadata.confidence, metadata.x or output.logprobs; docs/any_eval.md lists them.",
    ),
    _record_option(
        "--confidence-scale",
        "scale",
        metavar="LOW-HIGH",
        help="Scale of that confidence: 0-100; none if only the order of a file's scores counts.",
    ),
    _record_option(
        "--score",
        metavar="SCORER[.KEY]",
        help="Score that decides whether an answer is right.",
    ),
    _record_option(
        "--outcome",
        multiple=True,
        metavar="LOGS",
        help="Logs with the graded answers of the same models and samples, if PATH has only their "
        "confidence, asked in advance.",
    ),
    _record_option(
        "--by",
        multiple=True,
        metavar="FIELD",
        help="Field of the samples' metadata, or column of a file, by which results are split too.",
    ),
    _record_option(
        "--cluster",
        metavar="FIELD",
        help="Field of the samples' metadata, or column of a file, that names an item's cluster, "
        "such as its passage; clusters are resampled instead of items.",
    ),
    _record_option(
        "--column",
        "columns",
        multiple=True,
        metavar="NAME=COLUMN",
        help="Name of a required column in a file: correct=is_correct, model=:gpt-4o for a "
        "constant, 'confidence={model}_conf' for columns of each model.",
    ),
    _record_option(
        "--answering",
        metavar="WORD[,WORD]",
        default="",
        help="Words that stand for answering, with --column decision=COLUMN: KEEP.",
    ),
)
"""Options on the layout of foreign logs and files, of every command that reads judgments."""


def _keep_executor(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    """Check and store the value of `--executor`, for `chosen_executor`; click calls this."""
    if value is not None:
        from inspect_confidence.judgments.executors import check_executor

        context.meta[_EXECUTOR] = check_executor(value)


EXECUTOR = click.option(
    "--executor",
    expose_value=False,
    callback=_keep_executor,
    metavar="EXECUTOR",
    help="Executor that reads logs, or counts the judgments of a store: processes[:N], none or "
    "dask://HOST:PORT. By default, processes read logs if there are many large ones.",
)

_STRICT, _LOST = "inspect_confidence.strict", "inspect_confidence.lost"


def note_loss() -> None:
    """Record that this command lost data."""
    click.get_current_context().meta[_LOST] = True


def has_failed(context: click.Context) -> bool:
    """Return whether data were lost and the option --strict is set."""
    return bool(context.meta.get(_STRICT) and context.meta.get(_LOST))


def _keep_strict(context: click.Context, parameter: click.Parameter, value: object) -> None:
    context.meta[_STRICT] = value


STRICT = click.option(
    "--strict",
    is_flag=True,
    expose_value=False,
    callback=_keep_strict,
    help="Exit with 1 if data were lost: unreadable logs, or runs that no retry completed.",
)

PATHS = click.argument("paths", nargs=-1, required=True, metavar="PATH...")


def record_options(command: Callable[..., None]) -> Callable[..., None]:
    """Decorate a command with the options on the layout of foreign logs and on reading logs."""
    for option in (EXECUTOR, *reversed(RECORDED)):  # the last one is shown first in the help
        command = option(command)
    return command


def judgment_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the paths, the options of `RECORDED` and `STRICT` to a command."""
    return PATHS(record_options(STRICT(command)))


_OUTPUTS = {
    "canonicalize": "markers.json",
    "export": "exported",
    "ingest": "store",
    "judgments": "judgments.csv",
    "recalibrate": "map.json",
    "report": "report",
}
"""Examples of outputs by command."""


class _Output:
    """Base of the types of outputs, before a type of click's: a missing one has an example."""

    def get_missing_message(
        self, param: click.Parameter, ctx: click.Context | None = None
    ) -> str | None:
        """Return an example of the option."""
        command = ctx.info_name if ctx else None
        return f"Name one such as -o {_OUTPUTS[command]}." if command in _OUTPUTS else None


class StoreName(_Output, click.types.StringParamType):
    """Name of the folder of a store."""


class _NewFile(_Output, click.Path):
    """Output file in an existing folder, which is checked before logs are read."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the path of a file; refuse a file in a folder that does not exist."""
        folder = Path(value).parent
        if not folder.is_dir():
            self.fail(f"{value}: there is no folder {folder}; create it first.", param, ctx)
        return super().convert(value, param, ctx)


_FILE_SUFFIXES = {".csv", ".html", ".json", ".jsonl", ".md", ".parquet", ".tex", ".zip"}


class _Folder(_Output, click.Path):
    """Output folder, whose permissions are checked before logs are read."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the path of a folder; refuse a file, or a folder that can't be written to.

        A new folder with the name of a file, such as `results.csv`, is taken for a mistake.
        """
        folder = Path(value)
        if folder.suffix.lower() in _FILE_SUFFIXES and not folder.exists():
            self.fail(f"{value}: files are written into a folder; name a folder.", param, ctx)
        # Of a new folder, the nearest one above is checked; the file system's root exists.
        existing = next(filter(Path.exists, (folder, *folder.absolute().parents)))
        if not existing.is_dir():
            self.fail(f"{value}: {existing} is a file; name another folder.", param, ctx)
        if not os.access(existing, os.W_OK):
            remedy = f"there is no permission for {existing}; name another folder"
            self.fail(f"{value} can't be written: {remedy}.", param, ctx)
        return super().convert(value, param, ctx)


_FILE = _NewFile(path_type=Path, dir_okay=False, writable=True)

OUTPUT = click.option(
    "-o", "--output", required=True, type=_FILE, metavar="FILE", help="Output file."
)

DIRECTORY = click.option(
    "-o",
    "--output",
    "directory",
    required=True,
    type=_Folder(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Output folder; created if necessary.",
)

RESAMPLES = click.option(
    "--resamples",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    help="Number of bootstrap resamples of the items.",
)

SEED = click.option("--seed", default=0, show_default=True, help="Seed of the resampling.")


def _keep_maps(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    """Read and store the maps for `selected_maps`; click calls this, so that errors come early."""
    if value is not None:
        from inspect_confidence.commands.recalibrate import read_maps

        context.meta[_MAPS] = read_maps(value)


RECALIBRATED = click.option(
    "--recalibrated",
    expose_value=False,
    callback=_keep_maps,
    metavar="FILE",
    help="Apply the maps of a file of `recalibrate` to stated confidence and intervals. Items of "
    "the fit get the map of the other folds; for intervals, train items are left out.",
)


def _study_options(
    context: click.Context, parameter: click.Parameter, texts: Sequence[str]
) -> dict[str, str]:
    """Return the values of `--option STUDY.NAME=VALUE` by `STUDY.NAME`; click calls this."""
    return dict(_split_pair(text, "--option STUDY.NAME=VALUE") for text in texts)


SETTINGS = (
    RESAMPLES,
    SEED,
    click.option(
        "--thresholds",
        default="0.5,0.75",
        show_default=True,
        help="Thresholds from which on confidence counts as high, for type-2 sensitivity.",
    ),
    click.option(
        "--costs",
        metavar="right=1,wrong=-2,abstain=0",
        help="Utilities of answers: adds the utility of answering from a confidence on.",
    ),
    click.option(
        "--judge-labels",
        metavar="PATH",
        help="Labelled judgments (a judge_check log or a file): adds results corrected for the "
        "judge's errors.",
    ),
    click.option(
        "--convention",
        type=click.Choice(["text", "authors"]),
        help="Convention if a study's text and its authors' code differ; each study has a default.",
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
        callback=_study_options,
        metavar="STUDY.NAME=VALUE",
        help="Option of a single study: fermi_eval.penalty=5; docs/judgments.md lists them.",
    ),
    RECALIBRATED,
)
"""Settings of computation, of every command that computes results."""


def settings_options(command: Callable[..., None]) -> Callable[..., None]:
    """Decorate a command with the options of `SETTINGS`, which it receives as `settings`."""
    for option in reversed(SETTINGS):  # the last one is shown first in the help
        command = option(command)
    return command


JSON = click.option("--json", "as_json", is_flag=True, help="Print the rows as a JSON array.")

REREAD = click.option(
    "--reread",
    is_flag=True,
    help="Parse the replies in the logs again with the installed version; logs are not changed.",
)

CSV = click.option("--csv", type=_FILE, metavar="FILE", help="Write the rows to a csv file.")


def selected_maps() -> "SavedMaps | None":
    """Return the maps to apply to judgments, or None."""
    saved: SavedMaps | None = click.get_current_context().meta.get(_MAPS)
    return saved
