"""Reading of judgments with a progress bar, and printing of tables."""

import math
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from inspect_confidence.cli.options import chosen_executor, note_loss, recorded, selected_maps
from inspect_confidence.printing import (
    ALIKE_TEXT,
    OFTEN_WIDE,
    counted,
    echo,
    escape_control,
    format_bounds,
    format_estimate,
    format_number,
    one_line,
)

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console
    from rich.progress import Progress

    from inspect_confidence.commands.analysis import Settings
    from inspect_confidence.judgments.read import Judgments
    from inspect_confidence.judgments.streams import Stream


_SHARED_COLUMNS = ["task", "dataset", "variant", "condition"]
"""Columns that a title names if they are the same in all lines of a table."""

_MAX_REPLY_LENGTH = 80
"""Number of characters of a reply that a table shows."""


def read_paths(
    paths: Iterable[str], *, loss_label: str = "note", reread: bool = False
) -> "Judgments":
    """Read judgments of logs, folders, stores or files, and print notices on standard error.

    `loss_label` is the label of notices on lost data. With `reread`, replies in logs are parsed
    again. The maps of `--recalibrated` are applied.
    """
    from inspect_confidence.judgments.read import read_judgments

    frames = read_judgments(
        list(paths),
        progress=track_logs,
        reread=reread,
        recorded=recorded(),
        executor=chosen_executor(),
    )
    saved_maps = selected_maps()
    if saved_maps is not None:
        from inspect_confidence.commands.recalibrate import recalibrated

        frames = recalibrated(frames, saved_maps)
    _print_notices(frames, loss_label)
    return frames


def read_or_stream(
    paths: Sequence[str], settings: "Settings", *, loss_label: str = "note", reread: bool = False
) -> "Judgments | Stream":
    """Read judgments like `read_paths`; a single store becomes a stream if the options allow it.

    A stream reads the judgments of a store model by model, when they are needed.
    """
    from inspect_confidence.commands.analysis import as_stream
    from inspect_confidence.judgments.streams import Stream
    from inspect_confidence.studies import SELF_DESCRIBING

    # A stream can't parse replies again, apply maps of confidence, or take options on the layout of
    # files; without such options `recorded()` is `SELF_DESCRIBING`.
    if len(paths) == 1 and not reread and selected_maps() is None and recorded() == SELF_DESCRIBING:
        source = as_stream(paths[0], settings, chosen_executor())
        if isinstance(source, Stream):
            _print_notices(source, loss_label)
            return source
    return read_paths(paths, loss_label=loss_label, reread=reread)


def _print_notices(judgments: "Judgments | Stream", loss_label: str) -> None:
    """Print notices of judgments on standard error, and record lost data for `--strict`.

    `loss_label` begins a notice on lost data, such as a log that could not be read. Of many notices
    on lost data only the first are printed, with the number of the others.
    """
    from inspect_confidence.redaction import without_keys

    hidden = set(judgments.loss_notices[_MAX_LOSS_NOTICES:])
    for notice in judgments.notices:
        label = loss_label if notice in judgments.loss_notices else "note"
        if notice not in hidden:
            echo(one_line(f"{label}: {without_keys(notice)}"), err=True)
    if hidden:
        logs = counted(len(hidden), "more log is", "more logs are")
        all_names = "in Python, read_judgments(PATH).loss_notices names all"
        echo(f"{loss_label}: {logs} incomplete or could not be read; {all_names}", err=True)
    if judgments.loss_notices:
        note_loss()


_MAX_LOSS_NOTICES = 10
"""Most notices about lost data that are printed; the others are counted."""


def track_logs(logs: Sequence[str]) -> Iterable[str]:
    """Iterate over logs with a progress bar on standard error."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    return track(logs, "Reading logs", console=console, transient=True, disable=len(logs) < 2)


def _console() -> "Console":
    """Return a console of the terminal's width; without a terminal, one without colours.

    Its width is then that of the environment's `COLUMNS`, or 80 characters.
    """
    from rich.console import Console

    from inspect_confidence.cli.layout import PIPED

    console = Console()
    if console.is_terminal:
        return console
    return Console(width=shutil.get_terminal_size((PIPED, 1)).columns, no_color=True)


def print_table(
    table: "pd.DataFrame", title: str, caption: str, *, transposable: bool = False
) -> None:
    """Print a table between its title and caption, as several tables if it exceeds the width.

    The lines of a `transposable` table become columns, if all of them fit beside each other. Other
    tables are not broken if the output is no terminal, so that lines can be searched.
    """
    from inspect_confidence.cli.layout import Grid

    console = _console()
    _print_text(console, title, "bold")
    if not table.empty:
        grid = Grid.from_frame(table)
        parts = grid.transpose().fit(console.width) if transposable else []
        if len(parts) != 1 or not parts[0].fits(console.width):
            parts = grid.fit(console.width, whole=not (console.is_terminal or transposable))
        for part in parts:
            part.print(console)
    if caption:
        _print_text(console, f"{caption}\n")


def _print_text(
    console: "Console", text: str, style: str | None = None, *, indent: int = 0
) -> None:
    """Print text without markup, indented and wrapped at the console's width."""
    from rich.text import Text

    margin = " " * indent
    for line in Text(escape_control(text)).wrap(console, console.width - indent):
        line.rstrip()  # changes the line itself
        console.print(Text(margin).append_text(line), style=style)


def output_rows(
    rows: "pd.DataFrame", as_json: bool, csv: Path | None, show: Callable[["pd.DataFrame"], None]
) -> None:
    """Write redacted rows to a csv file if there is one, and print them as JSON or by `show`."""
    from inspect_confidence.privacy import redact_rows
    from inspect_confidence.results import as_csv
    from inspect_confidence.results import as_json as rows_as_json
    from inspect_confidence.writing import write_file

    redacted = redact_rows(rows)
    if csv:
        write_file(csv, as_csv(redacted))
    if as_json:
        echo(rows_as_json(redacted))
    else:
        show(redacted)


def show_status(text: str) -> AbstractContextManager[object]:
    """Show that a long step is running, on standard error if that is a terminal."""
    from rich.console import Console

    return Console(stderr=True).status(text)


@contextmanager
def show_progress(judgments: "Judgments | Stream") -> Iterator["Progress"]:
    """Show a progress bar on standard error while judgments are summarized."""
    from rich.console import Console
    from rich.progress import Progress

    from inspect_confidence.studies.estimate import PROGRESS

    with Progress(console=Console(stderr=True), transient=True) as bar:
        # A study processes its judgments once, and once more for parse failures.
        rows = sum(map(len, judgments.values())) if isinstance(judgments, dict) else judgments.rows
        task = bar.add_task(f"Summarising {rows:,} judgments", total=2 * rows)
        # Studies call this function with each number of judgments that they have processed.
        before = PROGRESS.set(partial(bar.advance, task))
        try:
            yield bar
        finally:
            PROGRESS.reset(before)


def summarize_with_progress(
    judgments: "Judgments | Stream", settings: "Settings", metrics: Collection[str] | None = None
) -> "pd.DataFrame":
    """Compute the results of judgments, of all metrics or some, with a progress bar."""
    from inspect_confidence.commands.summarize import summarize

    with show_progress(judgments):
        return summarize(judgments, metrics=metrics, **settings)


def find_study(name: str) -> str:
    """Return the name of a study, given by its own name or that of its task; refuse others."""
    from inspect_confidence.errors import InvalidArgument, nearest
    from inspect_confidence.studies import all_studies

    names: dict[str, str] = {}  # of studies, by names of studies and tasks
    for study in all_studies():
        names[study.name] = study.name
        names |= dict.fromkeys(study.tasks, study.name)
    if name not in names:
        raise InvalidArgument(f"--study {name}: there is no such study. {nearest(name, names)}")
    return names[name]


def print_headlines(
    results: "pd.DataFrame",
    *,
    metrics: Collection[str] = (),
    uncompared_tasks: Collection[str] = (),
) -> None:
    """Print the finding and the headlines of each study: a table for each task and data set.

    Tasks of which nearly all replies are unread have no finding: the note below their table says
    so. If `metrics` are named, they are printed instead of findings and headlines. Findings say of
    `uncompared_tasks` that their models have no item in common.
    """
    from inspect_confidence.commands.views import headline_views
    from inspect_confidence.overview.sentences import study_finding
    from inspect_confidence.results import ResultTable
    from inspect_confidence.studies.unread import results_of_readable_tasks

    console, table = _console(), ResultTable.from_frame(results_of_readable_tasks(results))
    for study, views in headline_views(results, metrics):
        parts = study_finding(table, study.name, uncompared_tasks)
        finding = "".join(part.text for part in parts)
        if finding and not metrics:
            _print_text(console, f"{one_line(study.title)}\n{one_line(finding)}\n")
        for view in views:
            print_table(view.table, one_line(view.title), view.caption, transposable=True)
    if metrics:
        return
    if results["condition"].str.contains(r"(?:^|;)by=").any():  # a part `by=...` of a condition
        _print_text(
            console, "Numbers for each value of --by are in --metric NAME, --full, and --csv FILE."
        )
    _print_text(
        console,
        "Brackets are 95% intervals; a judgment is one elicited answer with its confidence. "
        "--full gives all tables, --study NAME one study's, --csv FILE all numbers. "
        "docs/measures.md explains the measures, docs/metrics.md defines them.",
    )


def print_views(results: "pd.DataFrame", *, full: bool = False, study: str | None = None) -> None:
    """Print parse failures and tables of results, of all studies or the named one.

    Folded tables are printed if `full` is set. A study without results is refused.
    """
    from inspect_confidence.commands.views import views_of
    from inspect_confidence.errors import InvalidArgument
    from inspect_confidence.studies.unread import summarize_failures

    console, views_by_study = _console(), list(views_of(results))
    study_names = [current.name for current, _ in views_by_study]
    if study and study not in study_names:
        names_text = ", ".join(study_names)
        raise InvalidArgument(f"--study {study}: there are results of {names_text} only.")
    for current, views in views_by_study:
        if study not in (None, current.name):
            continue
        failures = summarize_failures(results[results["task"].isin(current.tasks)])
        failures = [failure for failure in failures if failure.row.value != 0]
        for failure in failures:
            names = " ".join(filter(None, failure.group))  # task, model, data set and variant
            _print_text(console, one_line(f"{names}: {failure.sentence}"))
        if failures:
            _print_text(console, "")
        for view in views:
            if full or not view.fold:
                print_table(view.table, one_line(view.title), view.text_below)


def print_sample_sizes(rows: "pd.DataFrame") -> None:
    """Print the numbers of items that runs need: rows of `items_needed`, one for each aim.

    An undefined correlation is left empty, as that of the width of an interval, which has one run.
    """
    aims = {"detect": "difference of {:.4g}", "width": "interval of width {:.4g}"}
    table = rows[["a", "b"]].copy()
    table["metric"] = rows["metric"]
    table["aim"] = [aims[a].format(size) for a, size in zip(rows["aim"], rows["size"], strict=True)]
    for name in ("items", "to_ask", "pilot_items"):
        table[name.replace("_", " ")] = rows[name].map("{:,}".format)
    table["correlation"] = rows["correlation"].map("{:.2f}".format).replace("nan", "")
    table["note"] = rows["note"]
    _print_filled(
        table,
        f"Items needed, for {rows['power'].iloc[0]:.0%} of runs",
        "Runs are drawn from the pilot's items, and each gets an interval as a real run does. The "
        "number to ask is the items needed, divided by the pilot's share of replies that could be "
        "read. A pilot of 100 items determines the items needed only to about a seventh, a smaller "
        "one less.",
    )


def print_unread(shares: "pd.DataFrame", rows: "pd.DataFrame", limit: int) -> None:
    """Print the shares of unread replies, and then at most `limit` of these replies."""
    from inspect_confidence.overview.numbers import format_with_interval
    from inspect_confidence.studies.unread import UNREAD_SHARE

    # The shares: a line for each task, model and variant.
    table = shares.drop(columns=["ci_low", "ci_high"])
    for name in ("replies", "unread"):
        table[name] = shares[name].map("{:,}".format)
    estimates = shares[["share", "ci_low", "ci_high", "replies"]].itertuples(index=False)
    texts = [format_with_interval(UNREAD_SHARE, *row) for row in estimates]
    table["share"] = [f"{share} [{ends}]" if ends else share for share, ends in texts]
    caption = (
        "Brackets are Wilson's 95% intervals over items. An empty reply counts as a parse failure; "
        "samples without any reply, and replies without a grade, are not counted."
    )
    _print_filled(table.rename(columns={"unread": "parse failures"}), "Parse failures", caption)
    # The replies: a table for each model, variant and data set.
    keys = ["task", "model", "variant", "dataset"]
    for key, group in rows[:limit].groupby(keys, sort=False):
        cells, caption = group.drop(columns=keys).map(_cell_text), ""
        reason, *other_reasons = group["reason"].unique()
        if len(group) > 1 and reason and not other_reasons:  # printed once, below the table
            cells["reason"], caption = "", f"Reason of all: {one_line(reason)}"
        title = one_line(" ".join(str(part) for part in key if part))
        _print_filled(cells, title, caption)
    if rows.empty:
        echo("Every reply could be read.")
    elif len(rows) > limit:
        replies = counted(len(rows), "reply", "replies", form=",")
        echo(f"{limit} of {replies}; --limit shows more, --json and --csv all.")


def _print_filled(table: "pd.DataFrame", title: str, caption: str) -> None:
    """Print a table without the columns that are empty in all lines.

    Task, data set, variant and condition follow the title instead, if they are the same in all.
    """
    filled = table.loc[:, (table.astype(str) != "").any()]
    shared = [name for name in _SHARED_COLUMNS if name in filled and filled[name].nunique() == 1]
    if shared:
        names = dict.fromkeys(filled.iloc[0][shared])  # a data set may have the name of its task
        title = f"{title} ({', '.join(names)})"
    print_table(filled.drop(columns=shared), one_line(title), caption)


def _cell_text(value: object) -> str:
    """Format a value on one line, shortened if it is long."""
    line = " ".join((f"{value:g}" if isinstance(value, float) else str(value)).split())
    return line if len(line) <= _MAX_REPLY_LENGTH else f"{line[: _MAX_REPLY_LENGTH - 3]}..."


def _interval_texts(rows: "pd.DataFrame", form: str, missing: str = "-") -> list[str]:
    """Format the column of 95% intervals."""
    ends = zip(rows["ci_low"], rows["ci_high"], strict=True)
    return [format_bounds(low, high, form) or missing for low, high in ends]


def _estimate_texts(
    rows: "pd.DataFrame", value: str, low: str = "ci_low", high: str = "ci_high"
) -> list[str]:
    """Format a column of values with the columns of their intervals."""
    columns = zip(rows[value], rows[low], rows[high], strict=True)
    return [format_estimate(number, start, end, ".3f") for number, start, end in columns]


_ROUNDING_ERROR = 1e-12
"""Differences below this are rounding errors of equal values."""
_MAX_LINES_ON_SCREEN = 30
"""Number of differences that a screen shows at most, if it has several pairs."""
_MIN_PAIRS_OF_A_TABLE = 3
"""Number of pairs from which on pairs are lines of a table, without the values of both sides."""


def print_differences(
    differences: "pd.DataFrame",
    *,
    full: bool = False,
    only_primary: bool = False,
    sources: Sequence[str] = (),
) -> None:
    """Print a table of paired differences, the rows of `compare`, for each pair of contenders.

    With `full`, these are all defined differences with both values, by data set. Otherwise they are
    the `main_differences` of as many pairs as a screen has room for, at least one; three pairs or
    more have a table for each metric. `only_primary` leaves out all but the primary metrics. A
    contender is a model and variant with a method. `sources` are the two paths that the sides come
    from, if there are two; sides are named with them if a name occurs on both sides.
    """
    import pandas as pd

    from inspect_confidence.commands.compare import PRIMARY, main_differences

    if set(differences["a"]).isdisjoint(differences["b"]):
        sources = ()  # the names tell the sides apart
    if full:
        _print_all_differences(differences, sources)
        return
    rows = main_differences(differences, only_primary=only_primary)
    candidates = differences[differences["role"] == PRIMARY] if only_primary else differences
    sentences = [_describe_unshown_tasks(candidates, rows)]
    if len(rows):
        sentences += [_describe_fields(differences), _main_caption(rows)]
    caption = " ".join(filter(None, sentences))
    pairs = list(rows.groupby(["a", "b"], sort=False))
    printed_pairs: list[pd.DataFrame] = []
    for _, group in pairs:
        n_lines = sum(map(len, printed_pairs)) + len(group)
        if printed_pairs and n_lines > _MAX_LINES_ON_SCREEN:
            caption += (
                f" {len(printed_pairs)} of {len(pairs)} pairs are shown; --model NAME selects."
            )
            break
        printed_pairs.append(group)
    if len(pairs) >= _MIN_PAIRS_OF_A_TABLE:
        _print_pair_tables(pd.concat(printed_pairs), sources)
    else:
        for group in printed_pairs:
            (a, b), tasks = group[["a", "b"]].iloc[0], set(_task_texts(group))
            task = tasks.pop() if len(tasks) == 1 else ""
            title = _pair_title({**_side_names(a, b, sources), "task": task})
            _print_main_table(_main_table(group), title)
    _print_text(_console(), caption)


def _print_all_differences(differences: "pd.DataFrame", sources: Sequence[str]) -> None:
    """Print all defined differences, a table for each pair of models or methods and data set.

    `sources` are the paths of both sides, or none.
    """
    is_defined = differences["difference"].notna()
    rows = differences[is_defined]
    for (a, b, dataset), group in rows.groupby(["a", "b", "dataset"], sort=False):
        title = _pair_title({**_side_names(a, b, sources), "data set": dataset})
        print_table(_full_table(group), title, "")
    sentences = [
        _wide_differences(rows, rows["metric"]),
        "p is below .05 exactly if the interval excludes 0. The first headline of a study is its "
        "primary metric: its p is also adjusted by Holm's method, if a task has several pairs of "
        "models or methods. The p of other metrics, which are exploratory, is not adjusted.",
    ]
    if not is_defined.all():
        undefined_text = counted((~is_defined).sum(), "undefined difference")
        sentences.insert(0, f"Only --csv FILE has {undefined_text}.")
    _print_text(_console(), " ".join(filter(None, sentences)))


def _describe_unshown_tasks(differences: "pd.DataFrame", screen_rows: "pd.DataFrame") -> str:
    """Return a sentence on each task of which a screen shows no difference; empty without any.

    `differences` are those that could be shown, and `screen_rows` those on the screen. A task is
    missing there, for example, if no main number of it is compared, or only methods are.
    """
    sentences = []
    is_unshown = ~differences["task"].isin(screen_rows["task"])
    for task, rows in differences[is_unshown].groupby("task", sort=False):
        if defined := int(rows["difference"].notna().sum()):
            count = counted(defined, "difference", form=",")
            sentences.append(f"{task}: nothing is shown here; --full shows {count}.")
        else:
            sentences.append(f"{task}: no difference is defined; --csv FILE gives the reasons.")
    return " ".join(sentences)


def _describe_fields(differences: "pd.DataFrame") -> str:
    """Return a sentence on where the differences within values of `--by` are; empty without any.

    A difference whose only value is the name of its data set repeats that on the whole data set.
    """
    from inspect_confidence.results import Condition, conditions_of

    are_repeated = []  # for each difference within values
    conditions = conditions_of(differences)
    for condition, dataset in zip(conditions, differences["dataset"], strict=True):
        if by_part := condition.get("by"):  # such as `domain=law`
            are_repeated.append(set(Condition.read(by_part).values()) == {dataset})
    if not are_repeated:
        return ""
    if all(are_repeated):
        return "Differences are by data set already, without --by."
    return "Differences for each value of --by are in --full and --csv FILE."


def _main_caption(rows: "pd.DataFrame") -> str:
    """Return the caption below the differences that a screen shows: on their p, and on options.

    `rows` are those of `main_differences`, with the verdicts of `compare`.
    """
    from inspect_confidence.commands.compare import METHODS, PRIMARY, metric_labels
    from inspect_confidence.metrics import SAME
    from inspect_confidence.overview.ranks import MIN_PAIRED_UNITS

    sentences = []
    if (rows["family"] > 1).any():  # number of p in the family of tests
        sentences.append("A verdict on several pairs in a task is by p after Holm's adjustment.")
    if (rows["role"] != PRIMARY).any():
        sentences.append("* Exploratory, beside the primary metric: its p is not adjusted.")
    sentences.append(_wide_differences(rows, metric_labels(rows)))
    if ((rows["contrast"] == METHODS) | (rows["a"] == rows["b"])).any():
        sentences.append(
            "Where both sides have the same answers, intervals may be wider than 95% needs, and "
            "hide a difference (docs/metrics.md, pseudo-units)."
        )
    if rows["a"].nunique() > 1 and (rows["a"] == rows["b"]).all():
        sentences.append(
            "Both sides have the same models, so that each is compared with itself; "
            "--model A --model B also compares these two with each other."
        )
    if rows["verdict"].str.contains("which is nearer").any():
        sentences.append("Which side is nearer to the best value is tested apart from a-b.")
    sentences.append("n counts the items that both answered; only they are compared.")
    rank_rules = []  # by which ranks may differ from the verdicts
    if (rows.groupby("task")["dataset"].nunique() > 1).any():
        rank_rules.append("take all data sets together")
    if ((rows["items"] < MIN_PAIRED_UNITS) & (rows["p"] < 0.05)).any():
        rank_rules.append(f"ask for more below {MIN_PAIRED_UNITS} items")
    if ((rows["p_holm"] >= 0.05) & (rows["p"] < 0.05)).any():
        rank_rules.append("adjust over the pairs of one table only")
    if rank_rules:
        reasons = " and ".join(rank_rules)
        sentences.append(f"Ranks in reports and leaderboards may differ: they {reasons}.")
    if rows["note"].str.contains(SAME, regex=False).any():
        sentences.append(ALIKE_TEXT)
    options = "--metric NAME: another metric; --full: all metrics, with p and reasons; --csv FILE"
    return " ".join(filter(None, [*sentences, f"{options}: all numbers."]))


def _wide_differences(rows: "pd.DataFrame", names: Iterable[str]) -> str:
    """Return a sentence on the differences whose intervals are often wider than 95% needs.

    `rows` are those of `compare`, `names` those of their metrics. The text is empty without such
    differences.
    """
    from inspect_confidence.metrics import METRICS

    wide: dict[str, None] = {}
    for metric, low, name in zip(rows["metric"], rows["ci_low"], names, strict=True):
        if METRICS[metric].interval.is_wide and not math.isnan(low):
            wide[name] = None
    return f"{OFTEN_WIDE}, which may hide a difference: {', '.join(wide)}." if wide else ""


def _side_names(a: object, b: object, sources: Sequence[str]) -> dict[str, object]:
    """Return the names of a pair's sides, each with its source (a path) if there are sources."""
    if not sources:
        return {"a": a, "b": b}
    first_source, second_source = sources
    return {"a": f"{a} in {first_source}", "b": f"{b} in {second_source}"}


def _pair_title(names: Mapping[str, object]) -> str:
    """Return a title with a line for each name that is not empty, as `a: gpt-4o`."""
    return "\n".join(one_line(f"{heading}: {name}") for heading, name in names.items() if name)


def _print_main_table(table: "pd.DataFrame", title: str) -> None:
    """Print a table of differences; as text if it exceeds the width, or has several tasks.

    `table` is that of `_main_table`, which has a column `task` only if tasks differ.
    """
    from inspect_confidence.cli.layout import Grid

    console = _console()
    _print_text(console, title, "bold")
    parts = Grid.from_frame(table).fit(console.width)
    if "task" not in table and len(parts) == 1 and parts[0].fits(console.width):
        parts[0].print(console)
        return
    for row in table.to_dict("records"):
        interval = "(no interval)" if row["95% interval"] == "none" else row["95% interval"]
        label = ": ".join(filter(None, (row.get("task"), row["metric"])))
        numbers = f"a {row['a']}, b {row['b']}, a-b {row['a-b']} {interval}, n = {row['n']}"
        _print_text(console, one_line(label))
        _print_text(console, f"{numbers}\n{one_line(row['verdict'])}", indent=4)
    _print_text(console, "")


def _print_pair_tables(rows: "pd.DataFrame", sources: Sequence[str]) -> None:
    """Print differences of several pairs: for each task and metric a table with a line a pair.

    `sources` are the paths of both sides, or none.
    """
    if sources:
        _print_text(_console(), _pair_title(dict(zip("ab", sources, strict=True))))
    main_table = _main_table(rows)
    table = rows[["a", "b"]].reset_index(drop=True)
    if (table["a"] == table["b"]).all():  # each pair is one model in two sources
        table = table[["a"]].set_axis(["model"], axis=1)
    intervals = main_table["95% interval"].replace("none", "")  # of a difference without one
    table["a-b"] = main_table["a-b"] + " " + intervals
    table[["n", "verdict"]] = main_table[["n", "verdict"]]
    keys = [list(main_table["metric"]), _task_texts(rows)]
    for (metric, task), group in table.groupby(keys, sort=False):
        title, lines = f"{metric}, a-b ({task}", group
        if group["n"].nunique() == 1:  # once in the title instead of in each line
            title += f", n = {group['n'].iloc[0]}"
            lines = group.drop(columns="n")
        print_table(lines, one_line(f"{title})"), "")


def _main_table(rows: "pd.DataFrame") -> "pd.DataFrame":
    """Return a table of a pair's differences as texts, with the task if there are several."""
    import pandas as pd

    from inspect_confidence.commands.compare import PRIMARY, metric_labels, verdict_words
    from inspect_confidence.metrics import SAME
    from inspect_confidence.overview.numbers import format_difference, format_minuend

    columns: dict[str, list[str]] = {"metric": metric_labels(rows), "a": [], "b": [], "a-b": []}
    columns |= {"95% interval": [], "n": [], "verdict": []}
    for row in rows.to_dict("records"):
        metric = row["metric"]
        difference = (row["difference"], row["ci_low"], row["ci_high"])
        columns["a"].append(format_minuend(metric, row["value_a"], *difference))
        columns["b"].append(format_minuend(metric, row["value_b"], *difference))
        size, ends = format_difference(metric, *difference)
        columns["a-b"].append(size)
        columns["95% interval"].append(f"[{ends}]" if ends else "none")
        columns["n"].append(f"{row['items']:,}")
        verdict = verdict_words(row)
        if SAME in row["note"]:  # every resample gave the same difference
            verdict = f"{verdict}; no interval: the difference is the same in every resample"
        # The caption explains the star: an exploratory difference.
        columns["verdict"].append(verdict if row["role"] == PRIMARY else f"{verdict} *")
    tasks = _task_texts(rows)
    table = pd.DataFrame(columns)
    if len(set(tasks)) > 1:
        table.insert(0, "task", tasks)
    return table


def _task_texts(rows: "pd.DataFrame") -> list[str]:
    """Return task, data set, variant and method of each difference, as one text.

    A data set with the name of its task is left out.
    """
    from inspect_confidence.studies.study import method_words

    texts = []
    columns = ["task", "dataset", "variant", "method"]
    for task, dataset, variant, method in rows[columns].itertuples(index=False):
        dataset_text = "" if dataset == task else dataset
        parts = (task, dataset_text, variant, method_words(method))
        texts.append(", ".join(filter(None, parts)))
    return texts


def _full_table(rows: "pd.DataFrame") -> "pd.DataFrame":
    """Return differences with both values, interval, items and verdict as texts.

    Values and differences that are 0 but for rounding errors are written as 0.
    """
    table = rows[["task"]].copy()
    pairs = zip(rows["metric"], _plain_conditions(rows), strict=True)
    table["metric"] = [";".join(filter(None, pair)) for pair in pairs]  # as `check` takes it
    for name in ("value_a", "value_b", "difference"):
        table[name] = rows[name].mask(rows[name].abs() < _ROUNDING_ERROR, 0).map("{:.3g}".format)
    table["95% interval"] = _interval_texts(rows, ".3g")
    table["items"] = rows["items"].astype(str)
    table["verdict"] = rows["verdict"]
    return table


def _plain_conditions(rows: "pd.DataFrame") -> list[str]:
    from inspect_confidence.results import conditions_of

    return [condition.plain for condition in conditions_of(rows)]


def _line_keys(tasks: Iterable[str]) -> list[str]:
    """Return the columns that tell lines of models apart; the task is one if there are several."""
    keys = ["model", "variant", "condition", "by"]
    return ["task", *keys] if len(set(tasks)) > 1 else keys


def print_recalibrated(
    scores: "pd.DataFrame", offsets: "pd.DataFrame", changes: "pd.DataFrame", *, pooling: str = ""
) -> None:
    """Print the tables of `recalibrate` that have rows: scores of methods, offsets and changes.

    `pooling` is a sentence on data sets that are taken together, printed above the tables.
    """
    if pooling:
        _print_text(_console(), f"{one_line(pooling)}\n")

    tables = (scores, offsets, changes)
    keys = _line_keys(task for table in tables for task in table.get("task", ()))
    counts = ["train_items", "test_items"]
    if len(scores):
        other_columns = [*keys, *counts, "chosen", "note"]
        methods = [name for name in scores if name not in ("task", *other_columns)]
        table = scores[keys].copy()
        # All items are on both sides: each fold is judged by a map of the others.
        table["items"] = scores["test_items"].map("{:,}".format)
        table = table.join(scores[methods].map(partial(format_number, form=".4f")))
        _print_filled(
            table.assign(chosen=scores["chosen"], note=scores["note"]),
            "Methods of recalibration",
            "Brier score, each item judged by maps of the nine other folds. The simplest method is "
            "chosen whose score exceeds the least one by at most one standard error of their "
            "paired difference; as_stated, which leaves confidence as it is, is the simplest, and "
            "may be chosen for an overconfident model."
            if methods
            else "",
        )
    if len(offsets):
        table = offsets[[*keys, *counts]].assign(offset=_estimate_texts(offsets, "offset"))
        _print_filled(
            table.assign(note=offsets["note"]),
            "Conformal adjustment of intervals",
            "By how much each bound moves outwards, learned on train items, with a 95% interval.",
        )
    if changes.empty:
        return
    table = changes[[*keys, "recalibration", "metric"]].copy()
    for name in ("stated", "recalibrated", "difference"):
        table[name] = _estimate_texts(changes, name, f"{name}_low", f"{name}_high")
    is_unmapped = changes["recalibration"] == "as_stated"
    # Without a map, "0.000 [0.000, 0.000]" would look like the effect of one.
    table.loc[is_unmapped, ["recalibrated", "difference"]] = "-"
    table["test items"] = changes["test_items"].map("{:,}".format)
    caption = "95% intervals over these items; differences are paired: recalibrated minus stated."
    if is_unmapped.any():
        caption = f"A dash beside as_stated: no map is applied. {caption}"
    if (changes["metric"] == "auroc").any():
        caption += (
            " AUROC compares items of different folds, whose maps differ: it may fall although "
            "each increasing map leaves the order of its items as it is."
        )
    _print_filled(table, "Before and after, on items that the map was not fitted to", caption)


def print_thresholds(rows: "pd.DataFrame", *, pooling: str = "") -> None:
    """Print the rows of `threshold`: the confidence from which on answers may be given.

    `pooling` is a sentence on data sets that are taken together, printed above the table.
    """
    if pooling:
        _print_text(_console(), f"{one_line(pooling)}\n")
    table = rows[_line_keys(rows["task"])].copy()
    target = f"{rows['target'].iloc[0]:.4g}"
    table["confidence from"] = rows["threshold"].map(partial(format_number, form=".4g"))
    table["coverage"] = _estimate_texts(rows, "coverage")
    table["wrong among given"] = rows["risk"].map(partial(format_number, form=".3f"))
    answered, items = (rows[name].map("{:,}".format) for name in ("answered", "items"))
    table["items given"] = answered + " of " + items
    table["reason"] = rows["note"].replace("", "every answer may be given")
    _print_filled(
        table,
        f"Confidence from which at most {target} of answers are wrong",
        "With 95% certainty, of items like these (learn-then-test). Confidence is a share of its "
        "scale, from 0 to 1. The reason says why no lower threshold qualifies: at the one that it "
        f"names, p of the hypothesis that more than {target} are wrong is above its limit (0.05, "
        "or 0.025 in each of two sequences of tests). A dash: no threshold qualifies; the reason "
        "is then of the last one tested.",
    )


def print_group_m_ratio(rows: "pd.DataFrame") -> None:
    """Print the rows of `group_m_ratio`: the M-ratio of groups of models and of each model."""
    table = rows[["task", "dataset"]].copy()
    table["condition"] = _plain_conditions(rows)
    table["model"] = rows["model"]
    table["M-ratio"] = _estimate_texts(rows, "m_ratio")
    table["n"] = rows["n"].map("{:,}".format)
    table["note"] = rows["note"]
    _print_filled(
        table,
        "M-ratio of the group of models",
        "By HMeta-d's model without sampling: 95% posterior interval of the group's mean log "
        "M-ratio; each model's is drawn towards it. n is items.",
    )


def print_verdicts(verdicts: "pd.DataFrame", *, strict: bool, lost_logs: int) -> None:
    """Print the rows of `check` by requirement, and the number of requirements met.

    Args:
        verdicts: Rows of `check`.
        strict: Whether ends of the intervals were checked.
        lost_logs: Number of logs that could not be read in full, for which the command fails.
    """
    from inspect_confidence.commands.check import read_requirement
    from inspect_confidence.metrics import METRICS

    compared = "the end of the interval that is nearest to failing" if strict else "the value"
    _print_text(
        _console(),
        f"The column `verdict` decides the exit code: it compares {compared}, or an end of the "
        "interval that the requirement names, with the limit. `what n decides` says only whether n "
        "is large enough to be sure.\n",
    )
    for text, rows in verdicts.groupby("requirement", sort=False):
        requirement = read_requirement(str(text))
        table = rows[["task", "model", "dataset"]].copy()
        table.insert(0, "verdict", rows["passed"].map({True: "holds", False: "fails"}))
        table["condition"] = _plain_conditions(rows)
        is_rounding_error = rows["value"].abs() < _ROUNDING_ERROR  # of 0
        table["value"] = rows["value"].mask(is_rounding_error, 0).map("{:.4g}".format)
        table["95% interval"] = _interval_texts(rows, ".4g", missing="")
        table["n"] = rows["n"].map("{:,}".format)
        table["what n decides"] = rows["decision"]
        # A reason such as "0.18 is not <= 0.1" says no more than the title and the value, unless
        # only further digits of the value tell it from the limit.
        says_no_more = rows["reason"].str.fullmatch(r"\S+ is not \S+ ?\S+")
        is_like_limit = table["value"] == f"{requirement.number:.4g}"
        table["reason"] = rows["reason"].mask(says_no_more & ~is_like_limit, "")
        caption = f"{rows['passed'].sum()} of {len(rows)} hold."
        if undefined := int((rows["decision"] == "undefined").sum()):
            caption += f" {undefined} undefined."
        n_undecided = int(rows["decision"].str.startswith("undecided").sum())
        if n_undecided and not strict and not requirement.interval_end:
            caption += (
                f" {n_undecided} undecided: the interval contains the limit or is missing, so that "
                "the verdict on the value may be chance. "
                "METRIC.low or METRIC.high in the requirement decides by an end of the interval."
            )
        if METRICS[requirement.metric].interval.is_wide and rows["ci_low"].notna().any():
            caption += f" {OFTEN_WIDE}: {requirement.metric}."
        _print_filled(table, requirement.text, caption)
    total = verdicts["requirement"].nunique()
    met = total - verdicts.loc[~verdicts["passed"], "requirement"].nunique()
    echo(f"{met} of {total} requirements met.")
    if lost_logs:
        logs = counted(lost_logs, "log")
        echo(f"The check fails: {logs} could not be judged, or not in full, as said above.")
