"""Results for spreadsheets, papers and leaderboards."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from inspect_confidence.arguments import choice
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.writing import staged

if TYPE_CHECKING:
    from inspect_confidence.commands.analysis import Settings
    from inspect_confidence.export.material import Material
    from inspect_confidence.judgments.read import Paths, Source

__all__ = ["FORMATS", "RELATIONSHIPS", "Format", "export"]


@dataclass(frozen=True)
class Format:
    """What results can be written as.

    Attributes:
        writer: `module:function`, which takes a `Material` and a folder and gives the files
            written; imported when it is called, so that the names of formats cost nothing.
        runs: Whether it needs what the logs say of how the runs were made.
        draws: Whether it needs the values of headline numbers over the resamples.
    """

    writer: str
    runs: bool = False
    draws: bool = False

    def write(self, material: "Material", folder: Path) -> list[Path]:
        """The files written to the folder."""
        module, _, function = self.writer.partition(":")
        written: list[Path] = getattr(import_module(module), function)(material, folder)
        return written


_TABLES, _HERE = "inspect_confidence.export.tables", "inspect_confidence.export"
FORMATS = {
    "csv": Format(f"{_TABLES}:write_csv"),
    "json": Format(f"{_TABLES}:write_json"),
    "markdown": Format(f"{_TABLES}:write_markdown"),
    "latex": Format(f"{_TABLES}:write_latex"),
    "every-eval-ever": Format(f"{_HERE}.every_eval_ever:write_every_eval_ever", runs=True),
    "hf-eval-results": Format(f"{_HERE}.hugging_face:write_hf_eval_results", runs=True),
    "leaderboard": Format(f"{_HERE}.leaderboard:write_leaderboard", draws=True),
}
"""By name; another one is a line here, or put in before the command line is imported."""

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
    from inspect_confidence import redaction  # noqa: PLC0415
    from inspect_confidence.commands.summarize import summarize  # noqa: PLC0415
    from inspect_confidence.export import material  # noqa: PLC0415
    from inspect_confidence.judgments.read import judgments_of  # noqa: PLC0415

    choice("format", format, tuple(FORMATS))
    choice("relationship", relationship, RELATIONSHIPS)
    folder = Path(directory)
    if folder.exists() and not folder.is_dir():
        raise InvalidArgument(f"{folder} is a file; name a folder for the export.")
    form = FORMATS[format]
    judgments = judgments_of(source)
    draws: Sequence[Any] = ()
    if form.draws:
        results, draws = material.observed(judgments, **settings)
    else:
        results = summarize(judgments, **settings)
    frames, rows = material.clean(judgments, results)
    places = _places(source if logs is None else logs) if form.runs else []
    given = material.Material(
        frames,
        rows,
        material.read_runs(places),
        draws,
        settings.get("resamples", 10_000),
        redaction.scrub(organization),
        relationship,
    )
    with staged(folder) as new:
        written = [file.relative_to(new) for file in form.write(given, new)]
    return [folder / file for file in written]


def _places(source: object) -> Sequence[str]:
    """Logs and folders among paths; nothing where the source is judgments."""
    if isinstance(source, str | PathLike):
        source = [source]
    if not isinstance(source, list | tuple):
        return []
    places = [fspath(one) for one in source]
    return [place for place in places if not place.endswith((".csv", ".parquet"))]
