"""What the report shows of the hedge study."""

from collections.abc import Mapping, Sequence

from inspect_confidence.studies._study import FigureSpec, Headline

_TASK, _CHECK = "hedge_markers", "judge_check"


def _plain(parts: Mapping[str, str]) -> bool:
    """Numbers of markers over all their sentences, whatever came of the reply."""
    return "marker" in parts and not {"outcome", "faithful"} & set(parts)


_BY = ("model", "variant", "judge")

FIGURES: Sequence[FigureSpec] = (
    FigureSpec(
        plot="mic",
        title="Marker internal confidence",
        reads="How confident the model is, by how often further answers agree, where it uses a "
        "marker (<no_hedge>: a sentence without one): one row a marker, one column a data set and "
        "split. A marker that means the same everywhere has one colour along its row; rows of the "
        "same colour are markers that the model doesn't tell apart.",
        task=_TASK,
        metrics=("mic",),
        by=_BY,
        keep=_plain,
    ),
    FigureSpec(
        plot="mic_densities",
        title="Internal confidence behind each marker",
        reads="For each of the commonest markers the share of its sentences in each tenth of "
        "internal confidence, over all data sets. A marker with a definite meaning has one narrow "
        "hill; one spread over the whole width says little about how sure the model is.",
        task=_TASK,
        metrics=("confidence_share",),
        by=_BY,
    ),
    FigureSpec(
        plot="decisiveness_gap",
        title="What a marker says against what lies behind it",
        reads="The mean distance of a sentence's decisiveness, as a reader takes it, from the "
        "model's internal confidence, by marker, with 95% intervals. At 0 the wording says just "
        "how sure the model is.",
        task=_TASK,
        metrics=("decisiveness_gap",),
        by=_BY,
    ),
)

HEADLINES: Sequence[Headline] = (
    Headline(_TASK, "cmfg", "conditional mean faithful generation", {"split": "test"}),
    Headline(_TASK, "faithfulness", "faithfulness (share)", {"split": "test"}),
    Headline(
        _TASK,
        "mrc",
        "agreement of data sets on the markers' order (rank correlation)",
        {"correlation": "spearman", "split": "test"},
    ),
    Headline(
        _TASK,
        "m_avg_cv",
        "how a marker's confidence varies over data sets (ratio)",
        {"split": "test"},
    ),
    Headline(
        _CHECK,
        "decisiveness_rank_correlation",
        "judge against people on decisiveness (rank correlation)",
        {"reference": "survey"},
    ),
)
