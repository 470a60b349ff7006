"""Records by which a study describes itself to the rest of the package."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from math import inf, isnan, nan
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence.grades import Grades, base_name
from inspect_confidence.metrics import Clusters, Costs
from inspect_confidence.results import Condition, Result
from inspect_confidence.studies.columns import COMMON_COLUMNS, JudgmentColumn, Kind, Limit
from inspect_confidence.studies.notes import has_partial_grades

if TYPE_CHECKING:
    from inspect_confidence.studies.judge_error import JudgeLabels

QUESTIONS = "no model"
"""Value of `model` in results that describe the questions alone."""


@dataclass(frozen=True)
class Recorded:
    """The user's settings on where logs and files of other tools hold confidence and outcomes.

    Attributes:
        confidence: Fields of a log that hold a confidence, such as `score.metadata.confidence`.
        scale: Ends of the scale of these fields, or of a file's confidence.
        score: Scorer whose score defines correctness, as `name` or `name.key`.
        by: Fields of the samples' metadata, or columns of a file, by which results are also
            grouped.
        cluster: Field of the samples' metadata, or column of a file, that names the cluster of an
            item, such as its passage; empty for `cluster`.
        columns: Names of a file's columns, by this package's names of them.
        order_only: Whether only the order of a file's confidence counts, because it has no scale.
        answering: Words of a file's decisions that stand for answering.
        outcome: Logs with the graded answers, if the logs with the confidence do not have them.
        only_grades: Whether only the grades of logs are read, not their confidence.
    """

    confidence: Sequence[str] = ()
    scale: tuple[float, float] | None = None
    score: str | None = None
    by: Sequence[str] = ()
    cluster: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    order_only: bool = False
    answering: Sequence[str] = ()
    outcome: Sequence[str] = ()
    only_grades: bool = False


SELF_DESCRIBING = Recorded()
"""The settings for logs and files that describe themselves, as this package writes them."""


@dataclass(frozen=True)
class ScoreFacts:
    """A score of a log.

    Attributes:
        value: Value of the score: a number, a text, or numbers by key.
        reason: Inspect's reason why the sample could not be scored; None if it was.
        metadata: Metadata of the score.
        answer: Answer that the scorer read in the reply.
        grades: Grades of the answer by key of the value; the key of a single grade is empty.
    """

    value: Any
    reason: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    answer: str | None = None
    grades: Grades = field(default_factory=dict)

    def select(self, *names: str) -> dict[str, Any]:
        """Return the values at these keys of the score; keys that it lacks are left out."""
        return {name: self.value[name] for name in names if name in self.value}


@dataclass(frozen=True)
class SampleFacts:
    """A sample of a log in plain types, so that studies need not know the format of log files.

    Attributes:
        target: The sample's target as text.
        metadata: Metadata of the sample.
        scores: Scores by scorer.
        generation: Generation settings of the run that were set.
        unsent: The settings of `generation` that no request to the model contained.
        failure: Status and reason if the run failed on this sample.
        id: Id of the sample.
        epochs: Number of epochs of the run.
        choices: Choices that were offered.
        has_several_right: Whether the target names several of the choices.
        recorded: The user's settings on where confidence is recorded.
        requested_fields: Fields, by name, that were requested and are not in the sample's summary,
            such as `output.completion`.
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
    has_several_right: bool = False
    recorded: Recorded = SELF_DESCRIBING
    requested_fields: Mapping[str, Any] = field(default_factory=dict)

    def metadata_columns(self, *names: str) -> dict[str, Any]:
        """Return the metadata with these names, all of which the sample must have, as columns."""
        return {name: self.metadata[name] for name in names}

    def score(self, scorer: str) -> ScoreFacts | None:
        """Return the last score by a scorer; None if there is none.

        Inspect adds a number to the name of a score that was appended to the log.
        """
        names = [name for name in self.scores if base_name(name) == scorer]
        return self.scores[names[-1]] if names else None

    def read(self, scorer: str) -> tuple[ScoreFacts, dict[str, str]]:
        """Return this sample's score by a scorer, and the columns `status` and `reason` of it.

        Both columns come from the score's metadata, or from the run's failure on this sample. If
        the log holds no score with values by keys, the score is empty (`ScoreFacts({})`) and the
        status is `scoring_failed`.
        """
        score = self.score(scorer)
        if score is None or not isinstance(score.value, Mapping):
            reason = score.metadata.get("detail") if score else None
            reason = reason or f"the log holds no score {scorer!r}; run `inspect score`"
            return ScoreFacts({}), self.status_columns("scoring_failed", reason)
        status = score.metadata.get("status", "")
        return score, self.status_columns(status, score.metadata.get("detail", ""))

    def read_answer(self, scorer: str) -> tuple[dict[str, Any], ScoreFacts, dict[str, str]]:
        """Return the columns of a question and its answer, the score, and status columns.

        The columns are `item`, `split`, `target`, `choices` (NaN without choices) and `answer`
        (empty if none was read). The score by the scorer, and its columns `status` and `reason`,
        are those that `read` returns.
        """
        score, outcome = self.read(scorer)
        columns = {
            "item": self.metadata["item"],
            "split": self.metadata.get("split"),
            "target": self.target,
            "choices": self.metadata.get("choices") or nan,
            "answer": score.answer or "",
        }
        return columns, score, outcome

    def status_columns(self, status: str, reason: str) -> dict[str, str]:
        """Return the columns `status` and `reason` of a judgment of this sample.

        If the run failed on the sample, the status and reason of that replace any but `ok`.
        """
        if self.failure and status != "ok":
            status, reason = self.failure
        return {"status": status, "reason": reason}


JudgmentRows = list[dict[str, Any]]
"""Judgments of a sample, one a row, without the columns of the run."""


@dataclass(frozen=True)
class CompletedRun:
    """Judgments of a run, after each sample's were completed from those of the others.

    Attributes:
        samples: Judgments of each sample.
        problem: Why no judgment of the run can be used; empty if some can.
        notices: Notices that are printed to the user.
    """

    samples: Sequence[JudgmentRows]
    problem: str = ""
    notices: Sequence[str] = ()


NEEDS_ROWS = "all intervals, because items have clusters, several judgments or no grade"
SEVERAL_SCALES = "all intervals, because confidence is on several scales"
"""Which metrics need each judgment, and why."""


def too_different(limit: int, things: str = "judgments") -> str:
    """Return the text that metrics need each judgment because too many are different.

    They then can't be counted by their values instead. `things` names what may have at most `limit`
    different values: judgments, or a part of them.
    """
    return f"all intervals, because more than {limit:,} {things} are different"


@dataclass(frozen=True)
class Counting:
    """How equal judgments of a task are counted, so that memory need not hold each of them.

    Attributes:
        columns: SQL expressions, by column, of all values that numbers depend on.
        needs_row: SQL condition of judgments that cannot be counted.
        count_equal: Judgments -> a row for all equal judgments of a model, variant and data set,
            with their number in `count`, wherever no number depends on more than the counts. Other
            rows stay, with a count of 1.
        problem: Judgments of a model, variant and data set, which may have counts -> which metrics
            need each judgment, and why; empty if they can be counted.
    """

    columns: Mapping[str, str]
    needs_row: str
    count_equal: Callable[[pd.DataFrame], pd.DataFrame]
    problem: Callable[[pd.DataFrame], str]


@dataclass(frozen=True)
class TaskTable:
    """Description of the judgments of one task: their columns, and how they are read and used.

    Attributes:
        task: Name of the task, without the package's prefix.
        columns: Columns beside the common ones.
        required: Columns that a user's file must have.
        answers: Groups of columns that hold an answer; a file must have all columns of a group.
        arguments_shown: Task arguments that are columns, or that only choose items; they are never
            part of a `variant`.
        read: One sample -> its judgments, as rows without the columns of the run.
        compared_within: Task arguments that decide the other settings: runs that differ in them
            are not compared for a `variant`.
        always_shown: Task arguments that are part of every `variant`.
        listwise: Columns that identify an item, for results on the items common to all models.
        varied: Columns of conditions on which the share of unread replies may depend.
        replies: Judgments -> one row for each reply, with the columns `varied`; default all rows.
        further_requests: Names of requests beside the one for the answer, as the sample's store has
            them, each with the columns of the statuses of its reply's parts, such as `keep_status`.
            They are empty for a request that was not sent.
        fallback: Whether the table takes the logs of tasks that have no table.
        further_tasks: Other tasks whose judgments the logs may also hold; such rows name their
            task.
        task_function: Name of the task's function, if it differs from the task's.
        default_arguments: Values of task arguments that are no setting of a run, as if they had not
            been given.
        complete_run: Judgments of each sample of a run -> the completed run.
        needs_reply: Scores of a sample -> whether reading them also needs the sample's reply.
        complete_confidence: Judgments of logs or files -> the same rows with `confidence`,
            `clipped` and `status` as `raw`, `low` and `high` say; default unchanged.
        stated: Judgments -> completed judgments of stated confidence, with `confidence` and
            `correct` in [0, 1], as the study computes them; None for other forms of answers.
        judges: Judgments -> the judge of each answer's correctness, by its name in label files
            (empty if unknown), NaN where rules decide; None if rules always do.
        intervals: Judgments -> which of them are an interval by themselves, with `level`, `lower`,
            `upper` and `truth`; None for other forms of answers.
        ordered: Pairs of columns of which the first is never above the second.
        repeated_methods: Methods with which several judgments of an item make one answer.
        conventions: Values of `Resampling.convention` that change the task's numbers.
        counting: How equal judgments are counted; None if numbers need each judgment.
        contradictions: Functions that return, by position, the reason why the study cannot use a
            judgment; by the columns whose values contradict each other.
    """

    task: str
    columns: Sequence[JudgmentColumn]
    required: Sequence[str]
    answers: Sequence[Sequence[str]]
    arguments_shown: frozenset[str]
    read: Callable[[SampleFacts], JudgmentRows]
    compared_within: Sequence[str] = ()
    always_shown: frozenset[str] = frozenset()
    listwise: Sequence[str] = ("item",)
    varied: Sequence[str] = ()
    replies: Callable[[pd.DataFrame], pd.DataFrame] = lambda judgments: judgments
    further_requests: Mapping[str, Sequence[str]] = field(default_factory=dict)
    fallback: bool = False
    further_tasks: Sequence[str] = ()
    task_function: str = ""
    default_arguments: Mapping[str, object] = field(default_factory=dict)
    complete_run: Callable[[Sequence[JudgmentRows]], CompletedRun] = CompletedRun
    needs_reply: Callable[[Mapping[str, ScoreFacts]], bool] = lambda scores: False
    complete_confidence: Callable[[pd.DataFrame], pd.DataFrame] = lambda judgments: judgments
    stated: Callable[[pd.DataFrame], pd.DataFrame] | None = None
    judges: Callable[[pd.DataFrame], "pd.Series[str]"] | None = None
    intervals: "Callable[[pd.DataFrame], pd.Series[bool]] | None" = None
    ordered: Sequence[tuple[str, str]] = ()
    repeated_methods: frozenset[str] = frozenset()
    conventions: frozenset[str] = frozenset()
    counting: Counting | None = None
    contradictions: Mapping[tuple[str, ...], Callable[[pd.DataFrame], Mapping[int, str]]] = field(
        default_factory=dict
    )

    @property
    def function(self) -> str:
        """Name of the function that makes the task."""
        return self.task_function or self.task

    @cached_property
    def names(self) -> Sequence[str]:
        """Names of the columns beside the common ones."""
        return [column.name for column in self.columns]

    @cached_property
    def kinds(self) -> Mapping[str, Kind]:
        """Kinds of all columns of the judgments, the common ones first, by name."""
        return {column.name: column.kind for column in (*COMMON_COLUMNS, *self.columns)}

    @cached_property
    def limits(self) -> Mapping[str, Limit]:
        """Allowed values of all columns that have a limit, by name."""
        columns = (*COMMON_COLUMNS, *self.columns)
        return {column.name: column.limit for column in columns if column.limit}

    @cached_property
    def defaults(self) -> Mapping[str, str]:
        """Values, by column, of text columns that a file lacks."""
        return {column.name: column.default for column in self.columns if column.default}


Options = TypeVar("Options")


@dataclass(frozen=True)
class ResampledValue:
    """A number's values over resamples of its units.

    Attributes:
        draws: Values over the resamples; NaN where undefined.
        unit_count: How many units, items or clusters, were resampled.
        clusters: The clusters that were resampled; None if items were.
        balanced_units: Number of units by `metrics.count_balanced_units`; infinite if outcomes are
            not compared.
    """

    draws: NDArray[np.float64]
    unit_count: int
    clusters: Clusters | None = None
    balanced_units: float = inf


Observer = Callable[[Result, ResampledValue], None]
"""Callback for each result with its values over resamples."""


@dataclass(frozen=True)
class Resampling:
    """Settings by which estimates and their intervals are computed.

    Attributes:
        resamples: Number of bootstrap resamples.
        seed: Seed of the resamples.
        thresholds: Thresholds from which on confidence counts as high, for type-2 sensitivity.
        costs: Utility of right, wrong and declined answers to the user, for expected utility.
        judge_labels: Labelled judgments, by which errors of their judge are corrected.
        convention: Whether numbers follow a study's paper (`text`) or the code of its authors
            (`authors`), where the two differ; None for the study's default.
        workers: Largest number of processes, for studies with independent parts.
        observe: Callback for each result with its values over resamples, for ranks of models; needs
            one worker.
        is_observed: Whether a number with this metric and condition is resampled for `observe`,
            even if its interval needs no resamples; others are not resampled. None resamples the
            numbers whose intervals need it.
        study_options: Options of the study that is computed.
        choices: By task, the analysis choices that change its numbers and aren't the default, by
            name. They are part of the variant.
        metrics: Metrics that are computed; None computes all. No value depends on which metrics are
            computed.
    """

    resamples: int = 10_000
    seed: int = 0
    thresholds: Sequence[float] = (0.5, 0.75)
    convention: str | None = None
    workers: int = 1
    observe: Observer | None = None
    is_observed: Callable[[str, Condition], bool] | None = None
    study_options: object = None
    choices: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    costs: Costs | None = None
    judge_labels: "JudgeLabels | None" = None
    metrics: Collection[str] | None = None

    def requests(self, metric: str) -> bool:
        """Return whether a metric is to be computed."""
        return self.metrics is None or metric in self.metrics

    def requests_any(self, metrics: Iterable[str]) -> bool:
        """Return whether at least one of the metrics is to be computed."""
        return any(map(self.requests, metrics))

    def options(self, kind: type[Options]) -> Options:
        """Return the study's options, instances of `kind`; its defaults if they are not set."""
        return self.study_options if isinstance(self.study_options, kind) else kind()


def option(
    default: object, read: Callable[[str, Any], object], *, changes: Sequence[str] = ()
) -> Any:
    """Return a field of a study's options.

    Args:
        default: Value of the field if the user sets none.
        read: Name and the user's value, of any type -> the field's value; raises
            `InvalidArgument` with the remedy. `arguments` has such readers.
        changes: Tasks whose numbers depend on the option under the same condition. A value other
            than the default is part of their variant.
    """
    return field(default=default, metadata={"read": read, "changes": changes})


@dataclass(frozen=True)
class NoOptions:
    """The options of a study that has none."""


@dataclass(frozen=True)
class Difference:
    """The difference of a metric between two contenders on the same items.

    Attributes:
        condition: Condition, encoded as in results.
        metric: A name from the metric registry.
        first: The first contender's value on the common items.
        second: The second contender's value on the common items.
        difference: first - second.
        ci_low: Lower end of the 95% interval of the difference.
        ci_high: Upper end.
        p: Two-sided p of no difference, below .05 exactly if the interval excludes 0.
        items: Number of common items.
        note: Why the interval or p is missing, and how units were resampled.
        p_distance: Two-sided p that both values are at the same distance from the best one, as in
            `DifferenceTest`; NaN if that is an end of the metric's range.
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
    p_distance: float = nan


@dataclass(frozen=True)
class View:
    """A table in the study's layout, its cells as text.

    Attributes:
        title: Title above the table.
        table: Lines and columns of text.
        caption: Caption below the table: definitions, and what was left out.
        missing: Sentences on undefined numbers and missing intervals.
        fold: Whether the table is shown only on request.
    """

    title: str
    table: pd.DataFrame
    caption: str
    missing: str = ""
    fold: bool = False

    @property
    def text_below(self) -> str:
        """The sentences on missing numbers, and the caption."""
        return " ".join(filter(None, [self.missing, self.caption]))


@dataclass(frozen=True)
class FigureSpec:
    """A figure of the report: its rows, plot and caption.

    Attributes:
        plot: A function of `inspect_confidence.plots` that takes the rows.
        title: Title above the figure.
        reads: Caption: what the figure shows and how to read it. Intervals, counts, exclusions and
            the metrics' definitions are added from the rows and the registry.
        reads_panels: Sentences of the caption on the panels, left out if there is one panel only.
        intervals: Metrics whose 95% intervals the plot draws.
        task: Task whose rows are drawn.
        metrics: Metrics whose rows are drawn.
        by: Columns of results and parts of the condition; each combination of their values has a
            figure.
        keep: Parts of a row's condition -> whether the row is drawn; None draws all.
        needs: Least number of rows with a defined value; with fewer, the report says that there is
            no figure.
        beside: A `model` whose rows are in every figure, such as surveyed people.
        tasks: Further tasks whose rows are drawn.
        panels: Columns of results and parts of the condition that distinguish panels and series.
            Those without a number are left out and named.
        leads: Whether the figure shows the study's main finding, with all models on the same axes.
            The report opens with the first such figure that can be drawn.
    """

    plot: str
    title: str
    reads: str
    task: str
    metrics: Sequence[str]
    by: Sequence[str] = ("model", "dataset", "variant")
    keep: Callable[[Mapping[str, str]], bool] | None = None
    needs: int = 1
    intervals: Sequence[str] = ()
    beside: str = ""
    tasks: Sequence[str] = ()
    panels: Sequence[str] = ("model", "dataset", "variant")
    leads: bool = False
    reads_panels: str = ""


@dataclass(frozen=True)
class Headline:
    """A main number of a study, for the matrix of models, profiles and rankings.

    Attributes:
        task: Task of the number.
        metric: Name in the metric registry.
        label: Label with its unit.
        where: Parts of the condition that the row has; the row has no others but `variant`,
            `judge` and the parts in `each`.
        short: Heading in the matrix of models. A headline without one is not in the matrix, unless
            no headline of the study has one.
        each: Parts of the condition that may have any value. Each combination of values in the
            results is a headline of its own, with the values for `{part}` in both labels.
        nearest: Parts in `each` that are numbers, each with its usual value. Only the value in the
            results that is nearest to it is a headline, as that of the level nearest to 90.
        unit: Unit that n counts, in the singular.
    """

    task: str
    metric: str
    label: str
    where: Mapping[str, str] = field(default_factory=dict)
    short: str = ""
    each: Sequence[str] = ()
    nearest: Mapping[str, float] = field(default_factory=dict)
    unit: str = "judgment"

    def fits(self, metric: str, condition: Condition) -> bool:
        """Return whether a number of its task with this metric and condition is the headline.

        Variant, judge and the parts in `each` may have any value; all others must equal `where`.
        """
        if metric != self.metric:
            return False
        free = dict.fromkeys(("variant", "judge", *self.each), "")  # an empty part is removed
        return condition.but(**free) == self.where

    def with_parts(self, parts: Mapping[str, str]) -> "Headline":
        """Return the headline, its labels too, with these values of the parts that `each` names."""
        words = {name: method_words(value) for name, value in parts.items()}
        if parts.get("scale") == "none":  # of scores only the order counts
            words["scale"] = "no scale"
        label, short = self.label.format(**words), self.short.format(**words)
        return replace(self, label=label, where={**self.where, **parts}, short=short, each=())

    def nearest_values(self, combinations: Sequence[Mapping[str, str]]) -> list[Mapping[str, str]]:
        """Return the combinations of values of `each` that are headlines, in their order.

        `nearest` has the usual value of some parts: only the value nearest to it is a headline, the
        larger of two equally near. Of other parts all values are.
        """
        chosen = list(combinations)
        for name, usual_value in self.nearest.items():
            values = sorted({float(parts[name]) for parts in chosen}, reverse=True)
            distances = [abs(value - usual_value) for value in values]
            nearest = values[distances.index(min(distances))] if values else usual_value
            chosen = [parts for parts in chosen if float(parts[name]) == nearest]
        return chosen


def method_words(method: str) -> str:
    """Return the name of an elicitation method as readers see it."""
    return "recorded answers" if method == "recorded" else method


@dataclass(frozen=True)
class Clause:
    """A clause of the sentence that describes a model's numbers.

    Attributes:
        task: Task of the numbers.
        about: Topic. Of several clauses on a topic, the first one whose numbers all exist is used.
        numbers: Metrics, each with the parts of its condition, as `Headline.where`.
        text: Text with `{}` for each number, or a function of the numbers (`NumberInText`) that
            returns such a text. The text follows the model's name and a colon. Words that judge a
            number must follow from its interval.
        each: Parts of the conditions that may have any value. The first combination of values for
            which the model has all numbers is used.
    """

    task: str
    about: str
    numbers: Sequence[tuple[str, Mapping[str, str]]]
    text: str | Callable[..., str]
    each: Sequence[str] = ()

    def with_parts(self, parts: Mapping[str, str]) -> "Clause":
        """Return the clause with these values of the parts that `each` names."""
        numbers = [(metric, {**where, **parts}) for metric, where in self.numbers]
        return replace(self, numbers=numbers, each=())


class NumberInText(NamedTuple):
    """A number of a sentence, its note, and the limits of its 95% interval; NaN without one."""

    value: float
    low: float = nan
    high: float = nan
    note: str = ""


def describe_auroc(auroc: NumberInText) -> str:
    """Return the clause on an AUROC of confidence, in words that its interval supports.

    The clause has `{}` in the place of the number. Limits count as they are printed, with two
    digits, so that an interval that shows 0.50 is not called better than chance. Without an
    interval the clause only names AUROC.

    Example:
        >>> describe_auroc(NumberInText(0.81, 0.77, 0.85))
        'its confidence tells right from wrong answers fairly well: AUROC {}'
        >>> describe_auroc(NumberInText(0.75, 0.45, 0.92))
        'its confidence is not shown to tell right from wrong answers better than chance: AUROC {}'
    """
    if isnan(auroc.low):
        return "AUROC of its confidence is {}"
    low, high = round(auroc.low, 2), round(auroc.high, 2)
    if high < 0.5:
        return "its confidence is higher in wrong than in right answers: AUROC {}"
    if low <= 0.5:
        return (
            "its confidence is not shown to tell right from wrong answers better than chance: "
            "AUROC {}"
        )
    adverbs = {0.8: " well", 0.7: " fairly well"}
    for lower_limit, adverb in adverbs.items():
        if low >= lower_limit:
            return f"its confidence tells right from wrong answers{adverb}: AUROC {{}}"
    return "its confidence tells right from wrong answers better than chance: AUROC {}"


def _describe_calibration(opening: str, confidence: NumberInText, accuracy: NumberInText) -> str:
    """Return the clause on mean confidence and accuracy, which is a mean score of partial grades.

    The clause has `{}` for both numbers, the first of them in its `opening`.
    """
    if has_partial_grades(accuracy.note):
        return f"{opening} scores {{}} on average"
    return f"{opening} is right {{}} of the time"


def calibration_clauses(
    task: str,
    condition: Mapping[str, str],
    open_parts: Sequence[str] = (),
    opening: str = "it states {} and",
) -> tuple[Clause, Clause]:
    """Return the clauses of a model's sentence on its mean confidence and accuracy, and its AUROC.

    `condition` has the parts of these numbers' conditions; `open_parts` names further parts, which
    may have any value. `opening` is the first clause up to its verb, "is right" or "scores", with
    `{}` for the confidence.
    """
    calibration = [(metric, condition) for metric in ("mean_confidence", "accuracy")]
    describe = partial(_describe_calibration, opening)
    return (
        Clause(task, "calibration", calibration, describe, open_parts),
        Clause(task, "ranking", [("auroc", condition)], describe_auroc, open_parts),
    )


@dataclass(frozen=True)
class Study:
    """Description of a study; reports, comparisons and exports are made from it.

    Attributes:
        name: Name of the study.
        title: Title that is shown.
        question: A sentence on what the models are asked, for the report.
        tables: Tables of its tasks' judgments.
        contenders: Columns that, beside model and variant, distinguish compared contenders.
        summarize: Judgments by task -> results.
        compare: Judgments of two contenders on common items -> differences.
        sources: By metric that is computed from results and not from judgments: the metrics of
            these results.
        prepared: Judgments of a contender -> the frame that `compare` takes, made once for all
            pairs.
        views: Results -> tables as the study prints them.
        detail: Judgments by task -> finer rows, which only figures draw.
        figures: Figures of the report.
        headlines: The study's main numbers, the most important one first.
        clauses: Clauses of the sentence on a model, in order.
        accuracy_names: Task -> name of its accuracy, where this is no share of right answers.
        reference: BibTeX entry; empty if there is none.
        options: A frozen dataclass of the study's own options, each field made by `option`;
            `resampling.options(...)` returns them.
        lacking: Name of a task, and metadata of a run's samples in all epochs -> a line for each
            metric that the run can't give, with the reason.
        each_model: Whether `summarize` treats each model and variant by itself, in the frame's
            order, so that a store can be read one model at a time.
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
    question: str = ""
    options: type[Any] = NoOptions
    lacking: Callable[[str, Sequence[Mapping[str, Any]]], Sequence[str]] = lambda task, samples: ()
    each_model: bool = False
    clauses: Sequence[Clause] = ()
    accuracy_names: Mapping[str, str] = field(default_factory=dict)
    prepared: Callable[[pd.DataFrame], pd.DataFrame] = lambda judgments: judgments
    sources: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @cached_property
    def tasks(self) -> Sequence[str]:
        """Names of its tasks."""
        return [table.task for table in self.tables]

    def is_for_headline(self, metric: str, condition: Condition) -> bool:
        """Return whether a number is a headline of this study, or a headline is computed from it.

        Headlines that are computed from other results, and not from judgments, have the metrics of
        these results in `self.sources`; any number of such a metric counts.
        """
        for headline in self.headlines:
            is_source = metric in self.sources.get(headline.metric, ())
            if is_source or headline.fits(metric, condition):
                return True
        return False

    def with_sources(self, metrics: Collection[str]) -> frozenset[str]:
        """Return the metrics together with those from whose results they are computed."""
        sources = chain.from_iterable(self.sources.get(metric, ()) for metric in metrics)
        return frozenset(metrics).union(sources)
