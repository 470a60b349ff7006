"""What commands read with a progress bar, and the tables that they print."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from inspect_confidence.cli.options import how_to_read, maps, note_loss, recorded
from inspect_confidence.printing import echo, inert, one_line

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console
    from rich.progress import Progress

    from inspect_confidence.commands.analysis import Settings
    from inspect_confidence.judgments.read import Judgments
    from inspect_confidence.judgments.streams import Stream
    from inspect_confidence.studies import View


_LONGEST = 80
"""Characters of a reply that a table shows."""


def read(paths: Iterable[str], *, lost: str = "note", reread: bool = False) -> "Judgments":
    """Judgments with a progress bar; notices, of lost data under that name, on standard error."""
    from inspect_confidence.judgments.read import read_judgments

    frames = read_judgments(
        list(paths), reread=reread, recorded=recorded(), progress=bar, **how_to_read()
    )
    if (fitted := maps()) is not None:
        from inspect_confidence.commands.recalibrate import recalibrated

        frames = recalibrated(frames, fitted)
    _note(frames, lost)
    return frames


def read_or_stream(
    paths: Sequence[str], settings: "Settings", *, lost: str = "note", reread: bool = False
) -> "Judgments | Stream":
    """As `read`; a store that nothing asks to be read whole is gone through later."""
    from inspect_confidence.commands.analysis import streamed
    from inspect_confidence.judgments.streams import Stream
    from inspect_confidence.studies import NOTHING_SAID

    if len(paths) == 1 and not reread and maps() is None and recorded() == NOTHING_SAID:
        found = streamed(paths[0], settings)
        if isinstance(found, Stream):
            _note(found, lost)
            return found
    return read(paths, lost=lost, reread=reread)


def _note(judgments: "Judgments | Stream", lost: str) -> None:
    from inspect_confidence.redaction import without_keys

    for notice in judgments.notices:
        kind = lost if notice in judgments.lost else "note"
        echo(one_line(f"{kind}: {without_keys(notice)}"), err=True)
    if judgments.lost:
        note_loss()


def bar(logs: Sequence[str]) -> Iterable[str]:
    """The logs, with a progress bar on standard error while they are read."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    return track(logs, "Reading logs", console=console, transient=True, disable=len(logs) < 2)


def _console() -> "Console":
    """Where results are printed: the terminal's width, or a fixed one without colours."""
    from rich.console import Console

    from inspect_confidence.cli.layout import PIPED

    made = Console()
    return made if made.is_terminal else Console(width=PIPED, no_color=True)


def print_table(
    table: "pd.DataFrame", title: str, caption: str, *, either_way: bool = False
) -> None:
    """A table for people, in as many parts below each other as the width asks for.

    Where it may be read either way, its lines are columns if that is shorter.
    """
    from inspect_confidence.cli.layout import Grid

    console = _console()
    _say(console, title, "bold")
    grid = Grid.of(table)
    ways: list[list[Grid]] = (
        [[]] if table.empty else [grid.fitted(console.width, whole=not console.is_terminal)]
    )
    if either_way and not table.empty:
        ways.append(grid.turned().fitted(console.width))
    for part in min(ways, key=lambda parts: sum(one.height for one in parts)):
        part.print(console)
    if caption:
        _say(console, f"{caption}\n")


def _say(console: "Console", text: str, style: str | None = None) -> None:
    """Text as it is, broken at the console's width."""
    console.print(inert(text), style=style, markup=False, emoji=False, highlight=False)


def give(
    rows: "pd.DataFrame", as_json: bool, csv: Path | None, show: Callable[["pd.DataFrame"], None]
) -> None:
    """Rows in a csv file if one is named, and on the terminal: as JSON, or as `show` does it."""
    from inspect_confidence.privacy import shareable
    from inspect_confidence.results import as_csv
    from inspect_confidence.results import as_json as in_json
    from inspect_confidence.writing import write_file

    shown = shareable(rows)
    if csv:
        write_file(csv, as_csv(shown))
    if as_json:
        echo(in_json(shown))
    else:
        show(shown)


@contextmanager
def followed(judgments: "Judgments | Stream") -> Iterator["Progress"]:
    """A progress bar and the time left on standard error, while judgments are summarized."""
    from rich.console import Console
    from rich.progress import Progress

    from inspect_confidence.studies.estimate import PROGRESS

    with Progress(console=Console(stderr=True), transient=True) as bar:
        # Studies go through their judgments once, and once more for the replies not read.
        rows = sum(map(len, judgments.values())) if isinstance(judgments, dict) else judgments.rows
        task = bar.add_task(f"Summarising {rows:,} judgments", total=2 * rows)
        before = PROGRESS.set(lambda done: bar.advance(task, done))
        try:
            yield bar
        finally:
            PROGRESS.reset(before)


def summarized(judgments: "Judgments | Stream", settings: "Settings") -> "pd.DataFrame":
    """The results of judgments, with a progress bar."""
    from inspect_confidence.commands.summarize import summarize

    with followed(judgments):
        return summarize(judgments, **settings)


def study_named(name: str) -> str:
    """The study of that name, or of the task of that name.

    Raises:
        InvalidArgument: There is none.
    """
    from inspect_confidence.errors import InvalidArgument, nearest
    from inspect_confidence.studies import all_studies

    known = {table.task: one.name for one in all_studies() for table in one.tables}
    known |= {study: study for study in known.values()}
    if name not in known:
        raise InvalidArgument(f"--study {name}: there is no such study. {nearest(name, known)}")
    return known[name]


def print_headlines(results: "pd.DataFrame") -> None:
    """A screen: each study's headlines. Lines that can be searched where nobody looks on."""
    from inspect_confidence.commands.views import headline_views

    console = _console()
    for _, views in headline_views(results):
        for view in views:
            if console.is_terminal:
                print_table(view.table, one_line(view.title), view.caption, either_way=True)
            else:
                _print_lines(view)
    if console.is_terminal:
        _say(console, "--full gives all tables, --study NAME one study's, --csv FILE all numbers.")


def _print_lines(view: "View") -> None:
    """A line a number, which says whose it is."""
    from inspect_confidence.cli.layout import Grid

    grid = Grid.of(view.table)
    for line in grid.lines:
        whose = ", ".join([view.title, *(one for one in line[: grid.names] if one != "-")])
        for heading, text in zip(grid.headings[grid.names :], line[grid.names :], strict=True):
            echo(one_line(f"{whose}: {heading}: {text}"))
    for note in view.caption.splitlines():
        echo(one_line(f"{view.title}: {note}"))


def print_views(results: "pd.DataFrame", *, full: bool = False, study: str | None = None) -> None:
    """The studies' tables, or one study's, after what could not be read; the folded ones in full.

    Raises:
        InvalidArgument: There is nothing of that study.
    """
    from inspect_confidence.commands.views import views_of
    from inspect_confidence.errors import InvalidArgument
    from inspect_confidence.studies.unread import summarize_failures

    console, there = _console(), list(views_of(results))
    if study and study not in (names := [one.name for one, _ in there]):
        raise InvalidArgument(f"--study {study}: there are results of {', '.join(names)} only.")
    for one, views in there:
        if study not in (None, one.name):
            continue
        said, note = summarize_failures(
            results[results["task"].isin([table.task for table in one.tables])]
        )
        lines = [line for line in said if line.record["value"] != 0]
        for line in lines:
            _say(console, one_line(f"{' '.join(filter(None, line.group))}: {line.sentence}"))
        if lines:
            _say(console, f"{note}\n")
        for view in views:
            if full or not view.fold:
                print_table(view.table, one_line(view.title), view.caption)


def print_needed(rows: "pd.DataFrame") -> None:
    """How many items runs need."""
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


def print_unread(shares: "pd.DataFrame", rows: "pd.DataFrame", limit: int) -> None:
    """Unread replies: their share, then up to so many of them."""
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
        print_table(_filled(shown), one_line(" ".join(str(one) for one in key if one)), "")
    if rows.empty:
        echo("Every reply could be read.")
    elif len(rows) > limit:
        echo(f"{limit} of {len(rows)} replies; --limit shows more, --json and --csv all.")


def _filled(table: "pd.DataFrame") -> "pd.DataFrame":
    """The table without columns that say nothing in any line."""
    return table[[name for name in table if (table[name].astype(str) != "").any()]]


def _in_a_cell(value: object) -> str:
    """A text on one line, cut where it is long; whole numbers without a point."""
    line = " ".join((f"{value:g}" if isinstance(value, float) else str(value)).split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."


def _intervals(rows: "pd.DataFrame") -> Iterable[tuple[float, float]]:
    return zip(rows["ci_low"], rows["ci_high"], strict=True)


def print_differences(differences: "pd.DataFrame") -> None:
    """A table of paired differences for each two contenders and data set."""
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
            "\n".join([one_line(f"a: {a}"), one_line(f"b: {b}"), one_line(f"on {dataset}")]),
            "p is below .05 just where the interval leaves out 0; then it after Holm's adjustment "
            "over all rows that have one.",
        )


def print_recalibrated(
    scores: "pd.DataFrame", offsets: "pd.DataFrame", judged: "pd.DataFrame"
) -> None:
    """Methods by their cross-validated score and offsets, then test items before and after."""
    whose = ["model", "variant", "way"]
    counts = ["train_items", "test_items"]
    if len(scores):
        told = [*whose, *counts, "chosen", "note"]
        methods = [name for name in scores if name not in ("task", *told)]
        table = scores[[*whose, *counts]].join(scores[methods].map("{:.4f}".format))
        print_table(
            _filled(table.assign(chosen=scores["chosen"], text=scores["note"])),
            "Methods of recalibration",
            "Brier score by ten-fold cross-validation within train items; the least is chosen.",
        )
    if len(offsets):
        ends = zip(
            offsets["offset"], *(offsets[name] for name in ("ci_low", "ci_high")), strict=True
        )
        table = offsets[[*whose, *counts]].assign(offset=[_with_interval(*three) for three in ends])
        print_table(
            _filled(table.assign(text=offsets["note"])),
            "Conformal adjustment of intervals",
            "By how much each bound moves outwards, learned on train items, with a 95% interval.",
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


def print_thresholds(rows: "pd.DataFrame") -> None:
    """From which confidence on answers may be given."""
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


def print_found(found: "pd.DataFrame") -> None:
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
        print_table(table, one_line(requirement), f"{rows['passed'].sum()} of {len(rows)} hold.")
    wanted = found["requirement"].nunique()
    met = wanted - found.loc[~found["passed"], "requirement"].nunique()
    echo(f"{met} of {wanted} requirements met.")
