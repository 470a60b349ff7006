"""Results for spreadsheets, papers and leaderboards."""

from collections.abc import Callable, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from inspect_confidence.arguments import choice, integer
from inspect_confidence.errors import InvalidArgument

if TYPE_CHECKING:
    from inspect_confidence.commands.summarize import Source
    from inspect_confidence.export.material import Material, Run
    from inspect_confidence.judgments.read import Judgments, Paths

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
    resamples: int = 10_000,
    seed: int = 0,
    convention: str | None = None,
    organization: str = "unknown",
    relationship: str = "other",
) -> list[Path]:
    """Write results in a format that others read.

    Keys, addresses and local paths stay in the logs; so do questions and replies.

    Args:
        source: As `summarize` takes it: judgments, or paths of logs, folders and files.
        format: One of `FORMATS`; docs/export.md says what each holds.
        directory: Where the files go; made where it isn't there.
        logs: Logs that say how the runs were made, for `every-eval-ever` and `hf-eval-results`;
            by default those in `source` where it is paths.
        resamples: Bootstrap resamples of the items for 95% intervals of values and ranks.
        seed: Of the resampling.
        convention: As in `summarize`.
        organization: Who publishes the results, for `every-eval-ever`.
        relationship: Of the publisher to the models' makers, one of `RELATIONSHIPS`.

    Returns:
        The files written.

    Raises:
        InvalidArgument: An argument is not known, the source can't be used, or the directory is a
            file.
    """
    # Everything heavy is imported here, so that the names of the formats cost nothing.
    from inspect_confidence.commands.summarize import judgments_of, summarize  # noqa: PLC0415
    from inspect_confidence.export.material import Material, clean  # noqa: PLC0415
    from inspect_confidence.privacy import scrub  # noqa: PLC0415

    choice("format", format, FORMATS)
    choice("relationship", relationship, RELATIONSHIPS)
    integer("resamples", resamples, least=1)
    if convention is not None:
        choice("convention", convention, ("text", "authors"))
    folder = Path(directory)
    if folder.exists() and not folder.is_dir():
        raise InvalidArgument(f"{folder} is a file; name a folder for the export.")
    judgments = judgments_of(source)
    if format == "leaderboard":
        return _ranked(judgments, folder, resamples, seed, convention)
    results = summarize(judgments, resamples=resamples, seed=seed, convention=convention)
    frames, rows = clean(judgments, results)
    runs: dict[str, Run] = {}
    if format in ("every-eval-ever", "hf-eval-results"):
        from inspect_confidence.export.material import read_runs  # noqa: PLC0415

        runs = read_runs(_places(source if logs is None else logs))
    material = Material(frames, rows, runs, resamples, scrub(organization), relationship)
    return _writer(format)(material, folder)


def _ranked(
    judgments: "Judgments", folder: Path, resamples: int, seed: int, convention: str | None
) -> list[Path]:
    from inspect_confidence.export.leaderboard import (  # noqa: PLC0415
        boards,
        observed,
        write_leaderboard,
    )
    from inspect_confidence.privacy import model, scrubbed_names  # noqa: PLC0415

    results, draws = observed(judgments, resamples=resamples, seed=seed, convention=convention)
    models = {str(name) for frame in judgments.values() for name in frame["model"].unique()}
    found = boards(results, draws, models, scrubbed_names(sorted(models), model))
    return write_leaderboard(found, resamples, folder)


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
