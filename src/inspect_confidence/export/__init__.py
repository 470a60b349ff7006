"""Results for spreadsheets, papers and leaderboards."""

from collections.abc import Callable, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from inspect_confidence.arguments import choice
from inspect_confidence.errors import InvalidArgument

if TYPE_CHECKING:
    from inspect_confidence.commands.analysis import Settings
    from inspect_confidence.export.material import Material, Run
    from inspect_confidence.judgments.read import Judgments, Paths, Source

__all__ = ["FORMATS", "RELATIONSHIPS", "export"]

_WRITERS = {
    "csv": ("tables", "write_csv"),
    "json": ("tables", "write_json"),
    "markdown": ("tables", "write_markdown"),
    "latex": ("tables", "write_latex"),
    "every-eval-ever": ("every_eval_ever", "write_every_eval_ever"),
    "hf-eval-results": ("hugging_face", "write_hf_eval_results"),
}
FORMATS = (*_WRITERS, "leaderboard")
"""What results can be written as."""

RELATIONSHIPS = ("first_party", "third_party", "collaborative", "other")
"""Of who evaluates to who made the models."""


def export(
    source: "Source",
    format: str,
    directory: str | PathLike[str],
    *,
    logs: "Paths | None" = None,
    organization: str = "unknown",
    relationship: str = "other",
    **settings: Unpack["Settings"],
) -> list[Path]:
    """Write results in a format that others read.

    Keys, addresses and local paths stay in the logs; so do questions and replies.

    Args:
        source: As `summarize` takes it: judgments, or paths of logs, folders and files.
        format: One of `FORMATS`; docs/export.md says what each holds.
        directory: Where the files go; made where it isn't there.
        logs: Logs that say how the runs were made, for `every-eval-ever` and `hf-eval-results`;
            by default those in `source` where it is paths.
        organization: Who publishes the results, for `every-eval-ever`.
        relationship: Of the publisher to the models' makers, one of `RELATIONSHIPS`.
        **settings: How numbers are computed, as `commands.analysis.Settings` says; ranks are
            resampled as values are.

    Returns:
        The files written.

    Raises:
        InvalidArgument: An argument is not known, the source can't be used, or the directory is a
            file.
    """
    # Everything heavy is imported here, so that the names of the formats cost nothing.
    from inspect_confidence.commands.summarize import summarize  # noqa: PLC0415
    from inspect_confidence.export.material import Material, clean  # noqa: PLC0415
    from inspect_confidence.judgments.read import judgments_of  # noqa: PLC0415
    from inspect_confidence.privacy import scrub  # noqa: PLC0415

    choice("format", format, FORMATS)
    choice("relationship", relationship, RELATIONSHIPS)
    folder = Path(directory)
    if folder.exists() and not folder.is_dir():
        raise InvalidArgument(f"{folder} is a file; name a folder for the export.")
    judgments = judgments_of(source)
    resamples = settings.get("resamples", 10_000)
    if format == "leaderboard":
        return _ranked(judgments, folder, settings)
    results = summarize(judgments, **settings)
    frames, rows = clean(judgments, results)
    runs: dict[str, Run] = {}
    if format in ("every-eval-ever", "hf-eval-results"):
        from inspect_confidence.export.material import read_runs  # noqa: PLC0415

        runs = read_runs(_places(source if logs is None else logs))
    material = Material(frames, rows, runs, resamples, scrub(organization), relationship)
    return _writer(format)(material, folder)


def _ranked(judgments: "Judgments", folder: Path, settings: "Settings") -> list[Path]:
    from inspect_confidence.export.leaderboard import (  # noqa: PLC0415
        boards,
        observed,
        write_leaderboard,
    )
    from inspect_confidence.privacy import model, scrubbed_names  # noqa: PLC0415

    results, draws = observed(judgments, **settings)
    models = {str(name) for frame in judgments.values() for name in frame["model"].unique()}
    found = boards(results, draws, models, scrubbed_names(sorted(models), model))
    return write_leaderboard(found, settings.get("resamples", 10_000), folder)


def _writer(format: str) -> "Callable[[Material, Path], list[Path]]":
    from importlib import import_module  # noqa: PLC0415

    module, function = _WRITERS[format]
    writer: Callable[[Material, Path], list[Path]] = getattr(
        import_module(f"inspect_confidence.export.{module}"), function
    )
    return writer


def _places(source: object) -> Sequence[str]:
    """Logs and folders among paths; nothing where the source is judgments."""
    if isinstance(source, str | PathLike):
        source = [source]
    if not isinstance(source, list | tuple):
        return []
    places = [fspath(one) for one in source]
    return [place for place in places if not place.endswith((".csv", ".parquet"))]
