"""What commands take: paths, settings, and what is said of logs and files of others."""

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from inspect_confidence.commands.saved_maps import SavedMaps
    from inspect_confidence.studies import Recorded

_SAID = "inspect_confidence.recorded"


_MAPS = "inspect_confidence.recalibrated"


_HOW = "inspect_confidence.reading"


def recorded() -> "Recorded":
    """What this command's options say about logs and files of others."""
    from inspect_confidence.studies import Recorded

    said = click.get_current_context().meta.get(_SAID, {})
    return Recorded(**{name: value for name, value in said.items() if value})


def how_to_read() -> dict[str, Any]:
    """What this command's options say about how logs are read: keywords of `read_judgments`."""
    said = click.get_current_context().meta.get(_HOW, {})
    return {"executor": said.get("executor") or "auto"}


def _pair(text: str, form: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        option = form.split(maxsplit=1)[0]
        raise click.UsageError(f"{option} {text} is not of the form {form.split()[1]}.")
    return name.strip(), value


def _said(context: click.Context, parameter: click.Parameter, value: object) -> None:
    """Keep an option for `recorded`."""
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


def _keep_how(context: click.Context, parameter: click.Parameter, value: object) -> None:
    """Keep an option for `how_to_read`."""
    if parameter.name == "executor" and value is not None:
        from inspect_confidence.judgments.executors import check_executor

        check_executor(str(value))
    context.meta.setdefault(_HOW, {})[parameter.name] = value


EXECUTOR = click.option(
    "--executor",
    expose_value=False,
    callback=_keep_how,
    metavar="EXECUTOR",
    help="What reads the logs: processes[:N], none or dask://HOST:PORT. By default processes read "
    "them if there are many large logs.",
)


_STRICT, _LOST = "inspect_confidence.strict", "inspect_confidence.lost"


def note_loss() -> None:
    """Keep that this command's data lack what should be there."""
    click.get_current_context().meta[_LOST] = True


def fails(context: click.Context) -> bool:
    """Whether data were lost, and the user asked to be told by the exit code."""
    return bool(context.meta.get(_STRICT) and context.meta.get(_LOST))


def _keep_strict(context: click.Context, parameter: click.Parameter, value: object) -> None:
    context.meta[_STRICT] = value


STRICT = click.option(
    "--strict",
    is_flag=True,
    expose_value=False,
    callback=_keep_strict,
    help="End with 1 where data were lost: logs that can't be read, runs that no retry completed.",
)


PATHS = click.argument("paths", nargs=-1, required=True, metavar="PATH...")


def recording(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `RECORDED`, and those that say how logs are read."""
    options = (*RECORDED, EXECUTOR)
    return functools.reduce(lambda made, option: option(made), reversed(options), command)


def reading(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the paths that it reads, the options of `RECORDED`, and `STRICT`."""
    return PATHS(recording(STRICT(command)))


class _NewFile(click.Path):
    """A file to write, whose folder is there: known before the logs are read."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        folder = Path(value).parent
        if not folder.is_dir():
            self.fail(f"{value}: there is no folder {folder}; make it first.", param, ctx)
        return super().convert(value, param, ctx)


class _Folder(click.Path):
    """A folder to write to, known to be one's own before the logs are read."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        folder = Path(value)
        there = next(one for one in (folder, *folder.absolute().parents) if one.exists())
        if not there.is_dir():
            self.fail(f"{value}: {there} is a file; name another folder.", param, ctx)
        if not os.access(there, os.W_OK):
            self.fail(f"{value} can't be written: {there} is not yours to write.", param, ctx)
        return super().convert(value, param, ctx)


_FILE = _NewFile(path_type=Path, dir_okay=False, writable=True)


OUTPUT = click.option("-o", "--output", required=True, type=_FILE, metavar="FILE")


DIRECTORY = click.option(
    "-o",
    "--output",
    "directory",
    required=True,
    type=_Folder(path_type=Path, file_okay=False),
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
    help="Put stated confidence and intervals through the maps that `recalibrate` wrote; train "
    "items are left out.",
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
        "--judge-labels",
        metavar="PATH",
        help="Labelled judgments, a judge_check log or a file: adds numbers corrected for the "
        "errors of the judge.",
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


JSON = click.option("--json", "as_json", is_flag=True, help="Print the rows as a JSON array.")


REREAD = click.option(
    "--reread",
    is_flag=True,
    help="Read the logs' replies again first, with the present readers; no log is written.",
)


CSV = click.option("--csv", type=_FILE, metavar="FILE", help="Write the rows to a csv file.")


def maps() -> "SavedMaps | None":
    """The maps that stated confidence is put through, if this command has some."""
    saved: SavedMaps | None = click.get_current_context().meta.get(_MAPS)
    return saved
