"""Export of results for spreadsheets, papers and leaderboards."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from inspect_confidence.arguments import choice
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.writing import staged

if TYPE_CHECKING:
    from inspect_confidence.commands.analysis import Settings
    from inspect_confidence.export.material import Material
    from inspect_confidence.judgments.locations import Paths
    from inspect_confidence.judgments.read import JudgmentSource

__all__ = ["FORMATS", "RELATIONSHIPS", "Format", "export"]


@dataclass(frozen=True)
class Format:
    """A format of exported results.

    Attributes:
        writer: `module:function` that takes a `Material` and a folder and returns the written
            files. It is imported when it is called, so that listing formats costs nothing.
        runs: Whether the format needs the logs' facts about the runs.
        draws: Whether the format needs the values of headline numbers over the resamples.
    """

    writer: str
    runs: bool = False
    draws: bool = False

    def write(self, material: "Material", folder: Path) -> list[Path]:
        """Write the files by `writer`, a text `module:function`, and return their paths."""
        module, _, function = self.writer.partition(":")
        files: list[Path] = getattr(import_module(module), function)(material, folder)
        return files


_TABLES, _PACKAGE = "inspect_confidence.export.tables", "inspect_confidence.export"
FORMATS = {
    "csv": Format(f"{_TABLES}:write_csv"),
    "json": Format(f"{_TABLES}:write_json"),
    "markdown": Format(f"{_TABLES}:write_markdown"),
    "latex": Format(f"{_TABLES}:write_latex"),
    "every-eval-ever": Format(f"{_PACKAGE}.every_eval_ever:write_every_eval_ever", runs=True),
    "hf-eval-results": Format(f"{_PACKAGE}.hugging_face:write_hf_eval_results", runs=True),
    "leaderboard": Format(f"{_PACKAGE}.leaderboard:write_leaderboard", draws=True),
}
"""Formats by name. Another format is added here, or before the command line is imported."""

RELATIONSHIPS = ("first_party", "third_party", "collaborative", "other")
"""Relationships of the evaluator to the makers of the models."""


def export(
    source: "JudgmentSource",
    format: str,
    directory: str | PathLike[str],
    *,
    logs: "Paths | None" = None,
    organization: str = "unknown",
    relationship: str = "other",
    **settings: Unpack["Settings"],
) -> list[Path]:
    """Write results in a format for other tools.

    Keys, addresses, local paths, questions and replies stay in the logs.

    Args:
        source: Judgments, or paths of logs, folders and files, as for `summarize`.
        format: One of `FORMATS`; docs/export.md describes each.
        directory: Folder of the files, created if absent.
        logs: Logs of the runs, for `every-eval-ever` and `hf-eval-results`; by default those in
            `source` if it is paths.
        organization: Publisher of the results, for `every-eval-ever`.
        relationship: Relationship of the publisher to the models' makers, one of `RELATIONSHIPS`.
        **settings: Settings of the computation, see `commands.analysis.Settings`; ranks use the
            resamples of the values.

    Returns:
        Paths of the written files.

    Raises:
        InvalidArgument: An argument is unknown, the source can't be used, or the directory is a
            file.
    """
    # Heavy modules are imported here, so that listing formats costs nothing.
    from inspect_confidence import redaction  # noqa: PLC0415
    from inspect_confidence.commands.analysis import add_choices_to_all_variants  # noqa: PLC0415
    from inspect_confidence.commands.summarize import (  # noqa: PLC0415
        summarize,
        summarize_with_draws,
    )
    from inspect_confidence.export import material  # noqa: PLC0415
    from inspect_confidence.judgments.read import judgments_of  # noqa: PLC0415

    choice("format", format, tuple(FORMATS))
    choice("relationship", relationship, RELATIONSHIPS)
    folder = Path(directory)
    if folder.exists() and not folder.is_dir():
        raise InvalidArgument(f"{folder} is a file; name a folder for the export.")
    chosen_format = FORMATS[format]
    judgments = judgments_of(source)
    draws: Mapping[int, Any] = {}  # values over the resamples, by row of the results
    if chosen_format.draws:
        results, draws = summarize_with_draws(judgments, **settings)
    else:
        results = summarize(judgments, **settings)
    # The variant of a result also names choices of the analysis, such as a threshold. Judgments get
    # the same variants, by which formats find the judgments of a result.
    judgments_by_task = add_choices_to_all_variants(judgments, settings)
    frames, rows = material.clean(judgments_by_task, results)
    log_source = source if logs is None else logs
    runs: Mapping[str, material.LogRun] = {}
    # Judgments in place of paths do not tell where their logs are.
    if chosen_format.runs and isinstance(log_source, str | PathLike | list | tuple):
        runs = material.read_runs(log_source)
    content = material.Material(
        frames,
        rows,
        runs=runs,
        draws=draws,
        resamples=settings.get("resamples", 10_000),
        organization=redaction.scrub(organization),
        relationship=relationship,
    )
    # Files are written into a new folder, and moved when all of them are complete.
    with staged(folder) as new:
        files = [file.relative_to(new) for file in chosen_format.write(content, new)]
    return list(map(folder.joinpath, files))
