"""What a study tells the rest of the package about itself."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence.grades import unnumbered
from inspect_confidence.metrics import Costs
from inspect_confidence.results import Result
from inspect_confidence.studies.limits import Limit

if TYPE_CHECKING:
    from inspect_confidence.studies.judge_error import JudgeLabels

Kind = Literal["number", "text", "flag"]

QUESTIONS = "no model"
"""What stands in `model` for a number of the questions alone."""


def kinds(schema: str) -> dict[str, Kind]:
    """Columns with their kinds from `sex:text age clipped:flag`; numbers need not say so."""
    pairs = (one.partition(":") for one in schema.split())
    return {name: cast(Kind, kind or "number") for name, _, kind in pairs}


COMMON_COLUMNS: Mapping[str, Kind] = kinds(
    "task:text task_version:text package_version:text run:text uuid:text model:text variant:text "
    "dataset:text split:text item:text draw epoch status:text reason:text"
)
"""The columns that the judgments of every task have; numbers missing are NaN, texts empty."""


@dataclass(frozen=True)
class Recorded:
    """Where logs and files of others hold what this package would have asked for.

    Attributes:
        confidence: Fields of a log that hold a confidence, as `score.metadata.confidence`.
        scale: The ends of the scale that such fields, and a file's confidence, are on.
        score: The scorer whose score says what is right, `name` or `name.key`.
        by: Fields of the samples' metadata, or columns of a file, by which numbers are given too.
        columns: Names of a file's columns, by the names that they have here.
    """

    confidence: Sequence[str] = ()
    scale: tuple[float, float] | None = None
    score: str | None = None
    by: Sequence[str] = ()
    columns: Mapping[str, str] = field(default_factory=dict)


NOTHING_SAID = Recorded()
"""Of logs and files that are as this package writes them, or say themselves what they hold."""


@dataclass(frozen=True)
class ScoreFacts:
    """A score as the log has it; its `numbers` by Inspect's rule, by key, "" being a plain one."""

    value: Any
    reason: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    answer: str | None = None
    numbers: Mapping[str, float] = field(default_factory=dict)

    def only(self, *names: str) -> dict[str, Any]:
        """Values of that name; those that the score doesn't have are left out."""
        return {name: self.value[name] for name in names if name in self.value}


@dataclass(frozen=True)
class SampleFacts:
    """A sample as the log has it, in plain types: studies know nothing of log files.

    Attributes:
        target: The sample's target as text.
        metadata: Of the sample.
        scores: By scorer.
        generation: The run's generation settings that were set.
        unsent: Those of them that were not sent to the model.
        failure: Status and reason where the run failed on this sample.
        id: Of the sample.
        epochs: How many the run has.
        choices: What was offered.
        recorded: What the user says about logs of others.
        whole: Of the fields asked for, those that only the whole sample holds, by name.
    """

    target: str
    metadata: Mapping[str, Any]
    scores: Mapping[str, ScoreFacts]
    generation: Mapping[str, Any] = field(default_factory=dict)
    unsent: Mapping[str, Any] = field(default_factory=dict)
    failure: tuple[str, str] | None = None
    id: str = ""
    epochs: int = 1
    choices: Sequence[str] = ()
    recorded: Recorded = NOTHING_SAID
    whole: Mapping[str, Any] = field(default_factory=dict)

    def score(self, scorer: str) -> ScoreFacts | None:
        """The last score by that scorer; Inspect numbers the ones that were appended."""
        names = [name for name in self.scores if unnumbered(name) == scorer]
        return self.scores[names[-1]] if names else None

    def read(self, scorer: str) -> tuple[ScoreFacts, dict[str, str]]:
        """What a scorer of that name read from the reply, and what became of it.

        The score has no values where the log holds none; `status` and `reason` of the judgment are
        those in the score's metadata, or the run's failure.
        """
        score = self.score(scorer)
        if score is None or not isinstance(score.value, Mapping):
            why = score.metadata.get("detail") if score else None
            missing = f"the log holds no score {scorer!r}; run `inspect score`"
            return ScoreFacts({}), self.outcome("scoring_failed", why or missing)
        status, reason = (score.metadata.get(name, "") for name in ("status", "detail"))
        return score, self.outcome(status, reason)

    def outcome(self, status: str, reason: str) -> dict[str, str]:
        """Both as columns; what can't be read because the run failed is the run's failure."""
        if self.failure and status != "ok":
            status, reason = self.failure
        return {"status": status, "reason": reason}


Rows = list[dict[str, Any]]
"""Judgments of a sample, without the columns of the run."""


@dataclass(frozen=True)
class TaskTable:
    """The judgments of one task.

    Attributes:
        task: Its name, without the package's prefix.
        columns: The columns beside the common ones, with their kinds.
        required: Columns that a file of the user's own must have.
        answers: Columns that hold an answer, by form: a file must have all of one form.
        arguments_shown: Task arguments that are columns, or that only choose items: never a
            `variant`.
        read: One sample -> its judgments, as rows without the columns of the run.
        compared_within: Task arguments that decide the other settings: runs that differ in them
            are not compared for a `variant`.
        always_shown: Task arguments that stand in every `variant`.
        listwise: Columns that name what was asked, where items common to all models are wanted.
        defaults: What stands in a text column where a file doesn't say.
        varied: Columns of what was varied, in which replies may be unread more or less often.
        replies: Judgments -> one row a reply, with the columns `varied`; all rows by default.
        of_others: Whether it takes logs of tasks that have no table of their own.
        made_by: The task's function, where it isn't called as the task.
        usual: Values of task arguments that are no setting of a run: as if nothing had been said.
        of_run: The judgments of each sample of a run -> the same, with what other samples tell of
            one, and why the run has none that can be used, if that is so.
        stated: Judgments -> those of stated confidence made whole, with `confidence` and `correct`
            in [0, 1], as the study itself makes them; None where it has another form of answer.
        judges: Judgments -> which judge called each answer right or wrong, by the name that labels
            have it under (empty: unknown), and NaN where none did; None where rules always do.
        intervals: Judgments -> which of them are an interval by themselves, with `level`, `lower`,
            `upper` and `truth`; None where it has another form of answer.
        limits: What columns may hold, by name: a user's file is held to it.
        ordered: Pairs of columns of which the first is never above the second.
        drawn: Methods of which several judgments of an item make one answer.
        contradictions: Judgments -> reason by place, from 0, of those that the study cannot use;
            by the columns whose values contradict each other.
    """

    task: str
    columns: Mapping[str, Kind]
    required: Sequence[str]
    answers: Sequence[Sequence[str]]
    arguments_shown: frozenset[str]
    read: Callable[[SampleFacts], Rows]
    compared_within: Sequence[str] = ()
    always_shown: frozenset[str] = frozenset()
    listwise: Sequence[str] = ("item",)
    defaults: Mapping[str, str] = field(default_factory=dict)
    varied: Sequence[str] = ()
    replies: Callable[[pd.DataFrame], pd.DataFrame] = lambda judgments: judgments
    of_others: bool = False
    made_by: str = ""
    usual: Mapping[str, object] = field(default_factory=dict)
    of_run: Callable[[Sequence[Rows]], tuple[Sequence[Rows], str]] = lambda samples: (samples, "")
    stated: Callable[[pd.DataFrame], pd.DataFrame] | None = None
    judges: Callable[[pd.DataFrame], "pd.Series[str]"] | None = None
    intervals: "Callable[[pd.DataFrame], pd.Series[bool]] | None" = None
    limits: Mapping[str, Limit] = field(default_factory=dict)
    ordered: Sequence[tuple[str, str]] = ()
    drawn: frozenset[str] = frozenset()
    contradictions: Mapping[tuple[str, ...], Callable[[pd.DataFrame], Mapping[int, str]]] = field(
        default_factory=dict
    )

    @property
    def function(self) -> str:
        """What makes the task."""
        return self.made_by or self.task


Options = TypeVar("Options")


@dataclass(frozen=True)
class Resampling:
    """How numbers and their intervals are computed.

    Attributes:
        resamples: Number of bootstrap resamples, and of permutations where a test has them.
        seed: Of the draws.
        thresholds: From which on confidence counts as high, for type-2 sensitivity.
        costs: What right, wrong and no answers are worth to the user, for expected utility.
        judge_labels: Labelled judgments, by which those of their judge are corrected.
        convention: `text`, or `authors`: where a study's text and its authors' code differ. Each
            study has its own default.
        workers: Processes that work at once, where a study has independent parts.
        observe: Is told each result with its values over resamples; for ranks of models. Only
            with one worker.
        own: The options of the study that is computed.
    """

    resamples: int = 10_000
    seed: int = 0
    thresholds: Sequence[float] = (0.5, 0.75)
    convention: str | None = None
    workers: int = 1
    observe: Callable[[Result, NDArray[np.float64]], None] | None = None
    own: object = None
    costs: Costs | None = None
    judge_labels: "JudgeLabels | None" = None

    def options(self, kind: type[Options]) -> Options:
        """The study's own options, with their defaults where none were given."""
        return self.own if isinstance(self.own, kind) else kind()


def option(default: object, read: Callable[[str, Any], object]) -> Any:
    """A field of a study's options.

    Args:
        default: What it is where it isn't given.
        read: Name and value as given, text or not -> the field's value; raises `InvalidArgument`
            with the remedy. `arguments` has such readers.
    """
    return field(default=default, metadata={"read": read})


@dataclass(frozen=True)
class NoOptions:
    """Of a study that has none."""


@dataclass(frozen=True)
class Difference:
    """A number of one contender less that of another, on the same items.

    Attributes:
        condition: Encoded, as in results.
        metric: A name from the metric registry.
        first: The first contender's value on the common items.
        second: The second contender's.
        difference: first - second.
        ci_low: Lower end of the 95% interval of the difference.
        ci_high: Upper end.
        p: Two-sided p of no difference, below .05 just where the interval leaves out 0.
        items: Common items that the numbers rest on.
        note: Why the interval or p is missing; empty where neither is.
    """

    condition: str
    metric: str
    first: float
    second: float
    difference: float
    ci_low: float
    ci_high: float
    p: float
    items: int
    note: str = ""


@dataclass(frozen=True)
class View:
    """A table in the study's layout, its cells as text.

    Attributes:
        title: Above it.
        table: Rows and columns.
        caption: Below it: what the numbers are, what was left out.
        fold: Whether it is shown only to who asks for all.
    """

    title: str
    table: pd.DataFrame
    caption: str
    fold: bool = False


@dataclass(frozen=True)
class FigureSpec:
    """A figure of the report: which rows are drawn, how, and what its caption says.

    Attributes:
        plot: A function of `inspect_confidence.plots` that takes the rows.
        title: Above it.
        reads: Caption: what it shows and how to read it, in one to three sentences. Counts,
            exclusions and the metrics' definitions are added from the rows and the registry.
        task: Whose rows it draws.
        metrics: Names in the registry: the rows that it draws.
        by: Columns of results and parts of the condition: a figure for each combination.
        keep: Which of those rows, by their condition's parts; None keeps all.
        needs: How many rows with a finite value make a figure; with fewer the report says so.
        beside: A `model` whose rows stand in every figure and make none of their own.
        tasks: Further tasks whose rows it draws.
        leads: Whether it carries the study's finding, with all models on the same axes: of those
            that do, the report shows the first one that can be drawn above all else.
    """

    plot: str
    title: str
    reads: str
    task: str
    metrics: Sequence[str]
    by: Sequence[str] = ("model", "dataset", "variant")
    keep: Callable[[Mapping[str, str]], bool] | None = None
    needs: int = 1
    beside: str = ""
    tasks: Sequence[str] = ()
    leads: bool = False


@dataclass(frozen=True)
class Headline:
    """A number that stands for a study: in the matrix of models, in profiles and in rankings.

    Attributes:
        task: Whose.
        metric: A name in the registry.
        label: For people, with its unit.
        where: Parts of the condition that it has; every other part but `variant` and `judge` is
            absent.
        short: Above its column in the matrix; a number without is in none, unless none of its
            study has one.
    """

    task: str
    metric: str
    label: str
    where: Mapping[str, str] = field(default_factory=dict)
    short: str = ""


@dataclass(frozen=True)
class Clause:
    """A part of the sentence that says what a model's numbers are.

    Attributes:
        task: Whose numbers.
        about: Of clauses about the same only the first is said whose numbers all are there.
        numbers: Metrics, each with the parts of its condition, as those of a headline.
        text: With `{}` for each number; or what makes such a text of their values.
    """

    task: str
    about: str
    numbers: Sequence[tuple[str, Mapping[str, str]]]
    text: str | Callable[..., str]


def ranks_answers(auroc: float) -> str:
    """How well confidence tells right from wrong answers, in words.

    Example:
        >>> ranks_answers(0.81)
        'ranks its answers well (AUROC {})'
    """
    steps = {0.8: "ranks its answers well", 0.7: "ranks its answers fairly well"}
    steps |= {0.6: "ranks its answers weakly"}
    said = next((words for least, words in steps.items() if round(auroc, 2) >= least), "")
    return f"{said or 'hardly tells its right from its wrong answers'} (AUROC {{}})"


def says_and_ranks(task: str, where: Mapping[str, str]) -> tuple[Clause, Clause]:
    """What is said of confidence in answers: how much there is, and what it tells."""
    both = [(metric, where) for metric in ("mean_confidence", "accuracy")]
    return (
        Clause(task, "calibration", both, "says {} and is right {} of the time"),
        Clause(task, "ranking", [("auroc", where)], ranks_answers),
    )


@dataclass(frozen=True)
class Study:
    """A study: everything after the log iterates over these records.

    Attributes:
        name: Of the study.
        title: For people.
        tables: The judgments of its tasks.
        contenders: Columns beside model and variant that tell two ways of answering apart.
        summarize: The judgments of its tasks -> results.
        compare: Judgments of two contenders on common items -> differences.
        prepared: Judgments of a contender -> what `compare` takes of them, made once for all pairs.
        views: Results -> tables as the study prints them.
        detail: The judgments of its tasks -> finer rows, which only figures draw.
        figures: Of the report.
        headlines: The numbers that stand for it, the first one first.
        clauses: What is said of a model, in this order.
        reference: BibTeX of the study; empty where there is none.
        options: A frozen dataclass of the options that it alone has, each field made by `option`;
            its functions ask for them by `resampling.options(...)`.
        lacking: What a run can't give of the study's numbers, and why, from the name of its task
            and the metadata of its samples, all epochs; a line each.
        each_model: Whether `summarize` gives of a model what its own judgments alone decide, model
            and variant after model and variant in the frame's order: a store is then gone through
            a model at a time.
    """

    name: str
    title: str
    tables: Sequence[TaskTable]
    contenders: Sequence[str]
    summarize: Callable[[Mapping[str, pd.DataFrame], Resampling], list[Result]]
    compare: Callable[[pd.DataFrame, pd.DataFrame, Resampling], list[Difference]]
    views: Callable[[pd.DataFrame], list[View]]
    detail: Callable[[Mapping[str, pd.DataFrame], Resampling], list[Result]]
    figures: Sequence[FigureSpec]
    headlines: Sequence[Headline]
    reference: str
    options: type[Any] = NoOptions
    lacking: Callable[[str, Sequence[Mapping[str, Any]]], Sequence[str]] = lambda task, samples: ()
    each_model: bool = False
    clauses: Sequence[Clause] = ()
    prepared: Callable[[pd.DataFrame], pd.DataFrame] = lambda judgments: judgments
