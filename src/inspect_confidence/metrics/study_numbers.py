"""Numbers without a metric: tests, counts, rows of figures, and what commands alone print."""

from inspect_confidence.metrics.registry import (
    INFINITY,
    NO_ESTIMATE,
    UNREAD,
    WILSON,
    About,
    Interval,
    no_interval,
    numbers,
)

_UNDEFINED = "either value is undefined"

numbers(
    About(
        undefined=_UNDEFINED,
        unit="as the metric",
        low=-INFINITY,
        interval=Interval("own", "as that metric, of resampled differences"),
    ),
    difference="Value of the metric that the condition names as `of`, minus its value for the "
    "contender `versus`, on the same items.",
)
numbers(
    About(undefined=_UNDEFINED, unit="probability", interval=NO_ESTIMATE),
    p_value="Two-sided p of a `difference` being 0, from the resamples of its interval: below .05 "
    "exactly if the 95% interval leaves out 0. If a word's probabilities by two models, or by a "
    "model and people, are compared, p is that of Brunner and Munzel's test. With "
    "`of=paired_difference`, p is that of the permutation test of the differences' signs.",
    p_bonferroni="The `p_value` times the number of comparisons made, at most 1.",
)
numbers(
    About(undefined=_UNDEFINED, unit="probability", source="Holm (1979)", interval=NO_ESTIMATE),
    p_holm="The `p_value` after Holm's adjustment over the comparisons made.",
)
numbers(
    About(undefined="all differences are equal", unit="t", low=-INFINITY, interval=NO_ESTIMATE),
    t_statistic="Paired t of a `difference` over resampled units, such as items.",
)
numbers(
    About(undefined="never", unit="count", interval=NO_ESTIMATE),
    degrees_of_freedom="Degrees of freedom of `t_statistic`: pairs of units minus 1.",
)
numbers(
    About(
        undefined="neither side varies, or there is one unit",
        unit="standard deviations",
        low=-INFINITY,
        source="Tang, Shen and Kejriwal (2024)",
        interval=no_interval("the value is as the study prints it; `difference` has an interval"),
    ),
    cohens_d="A `difference` divided by the mean of both standard deviations.",
)
numbers(
    About(undefined="never", unit="count", interval=NO_ESTIMATE),
    status_count="Number of judgments with the status that the condition names.",
)
numbers(
    About(undefined="no readable judgment in the bin", interval=WILSON),
    bin_accuracy="Accuracy of the judgments whose confidence lies in the bin.",
)
numbers(
    About(undefined="no readable judgment in the bin", interval=NO_ESTIMATE),
    bin_confidence="Mean confidence of the judgments in the bin.",
)
numbers(
    About(
        undefined=UNREAD,
        source="Dimitriadis, Gneiting and Jordan (2021)",
        interval=no_interval("`consistency_band` is the band of calibrated confidence"),
        toolbox=True,
    ),
    corp_accuracy="Accuracy at a confidence, by isotonic regression of outcomes on confidence over "
    "all judgments.",
)
numbers(
    About(
        undefined=UNREAD,
        source="Dimitriadis, Gneiting and Jordan (2021)",
        interval=NO_ESTIMATE,
        toolbox=True,
    ),
    consistency_band="A confidence, and as its interval the central 95% of the values that "
    "`corp_accuracy` takes at it if confidence is calibrated.",
)
numbers(
    About(
        undefined="no confidence keeps the risk",
        unit="confidence",
        high=1,
        source="Angelopoulos, Bates, Candes, Jordan and Lei (2021), Learn then test",
        interval=NO_ESTIMATE,
        toolbox=True,
    ),
    risk_threshold="The column `threshold` of `inspect-confidence threshold`: the lowest "
    "confidence at or above which at most the target share of answers is wrong, with 95% "
    "certainty.",
)
numbers(
    About(undefined="never", unit="count", interval=NO_ESTIMATE, toolbox=True),
    items_needed="The column `items` of `inspect-confidence plan --detect` or `--width`: the "
    "number of items with which the requested share of runs finds the difference, or has an "
    "interval no wider than the requested width.",
)
numbers(
    About(undefined=UNREAD, interval=WILSON),
    report_share="Share of the reports (stated confidences) that equal the value that the "
    "condition names.",
)
numbers(
    About(undefined="no right answer", source="Fleming and Lau (2014)", interval=WILSON),
    type2_hit_rate="Share of right answers whose confidence is at least the threshold.",
)
numbers(
    About(undefined="no wrong answer", source="Fleming and Lau (2014)", interval=WILSON),
    type2_false_alarm_rate="Share of wrong answers whose confidence is at least the threshold.",
)
numbers(
    About(
        undefined="no readable judgment in the bin",
        interval=no_interval("a bin has too few decades of age by radius"),
    ),
    truth_bin_probability="Mean true probability of the answers whose true probability lies in the "
    "bin.",
    truth_bin_confidence="Mean confidence in the answers whose true probability lies in the bin.",
)
numbers(
    About(
        undefined="no readable judgment of the item, or its maximum isn't known",
        direction="target=0",
        low=-1,
        source="LifeEval",
        interval=no_interval("a value of one item"),
    ),
    item_overconfidence="Mean over an item's judgments of the confidence less the answer's true "
    "probability of being right; the item's difficulty, 1 - maximum achievable score, is in the "
    "condition.",
)
numbers(
    About(
        undefined="no readable judgment of the item",
        source="LifeEval",
        interval=no_interval("a value of one item"),
    ),
    item_confidence="Mean over an item's judgments of the confidence; the answers' mean true "
    "probability is in the condition.",
)
numbers(
    About(undefined=UNREAD, interval=WILSON),
    value_share="Share of contexts (of people, in a survey) in which the probability stated for a "
    "word lies in the bin; the last bin is closed.",
)
numbers(
    About(undefined=UNREAD, interval=no_interval("a value for figures only")),
    probability_quantile="Quantile q over contexts (over people, in a survey) of the probability "
    "stated for a word, linear between neighbours.",
)
numbers(
    About(undefined="no sentence with the marker", interval=WILSON),
    confidence_share="Share of a marker's sentences whose internal confidence lies in the bin; the "
    "last bin is closed.",
)
