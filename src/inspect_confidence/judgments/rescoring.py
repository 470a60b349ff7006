"""Scorers that may read a log's replies again; a log is untrusted and can name only these."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.scorer import Scorer

from inspect_confidence.datasets.life_tables import SSA_2022, WINDOWS
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.printing import excerpt
from inspect_confidence.scorers.hedged import hedged
from inspect_confidence.scorers.intervals import (
    interval,
    repeated_intervals,
    repeated_points,
    token_distribution,
)
from inspect_confidence.scorers.judge_item import judge_item
from inspect_confidence.scorers.options import age_at_death, option_confidence
from inspect_confidence.scorers.stated import stated
from inspect_confidence.scorers.words import stated_probability, word_choice

_PACKAGE = "inspect_confidence/"

_SCORERS: Mapping[str, Callable[..., Scorer]] = {
    "age_at_death": age_at_death,
    "hedged": hedged,
    "interval": interval,
    "judge_item": judge_item,
    "option_confidence": option_confidence,
    "repeated_intervals": repeated_intervals,
    "repeated_points": repeated_points,
    "stated": stated,
    "stated_probability": stated_probability,
    "token_distribution": token_distribution,
    "word_choice": word_choice,
}

# No value here names a file or a model.
_ALLOWED_OPTIONS: Mapping[str, Mapping[str, tuple[object, ...]]] = {
    "age_at_death": {"table": (None, SSA_2022), "window": (None, *WINDOWS)},
    "hedged": {
        "judge": ("rules",),
        "batch_judgments": (None, True, False),
        "judge_prompts": (None, {}),
    },
}
_REQUIRED_OPTIONS = {"hedged": "judge"}  # the default of this option is a model


def create_scorer(name: str, options: Mapping[str, Any]) -> Scorer:
    """Create the scorer that a log names, if it is one of this package's.

    Args:
        name: Name in the log's header, with or without the package's prefix.
        options: Options in the log's header. A log may come from anyone: only listed values are
            allowed, none of which makes the scorer open a file or call a model.

    Raises:
        InvalidArgument: The scorer is not this package's, an option has another value, or the
            option is missing whose default is a model.
    """
    short_name = name.removeprefix(_PACKAGE)
    scorer = _SCORERS.get(short_name)
    if scorer is None:
        raise InvalidArgument(
            f"the log names the scorer {excerpt(repr(name), 80)}, which isn't one of "
            "inspect_confidence's; `inspect score` runs others."
        )
    allowed_values = _ALLOWED_OPTIONS.get(short_name, {})
    required_option = _REQUIRED_OPTIONS.get(short_name)
    if required_option is not None and required_option not in options:
        raise InvalidArgument(
            f"the log has no option {required_option} of the scorer {short_name}."
        )
    for option, value in options.items():
        listed_values = allowed_values.get(option, ())
        # The types must be equal, too: 1 is not True.
        if not any(
            type(value) is type(allowed_value) and value == allowed_value
            for allowed_value in listed_values
        ):
            raise InvalidArgument(
                f"the log's option {option!r:.40} of the scorer {short_name} is "
                f"{excerpt(repr(value), 80)}, which isn't taken from a log; `inspect score` "
                "takes it."
            )
    return scorer(**options)


def check_samples(samples: Iterable[EvalSample]) -> None:
    """Refuse samples whose scorer would open a file that they name; those that name none pass.

    Raises:
        InvalidArgument: A sample names a life table other than the one of this package.
    """
    for sample in samples:
        table = (sample.metadata or {}).get("table", SSA_2022)
        if table != SSA_2022:
            raise InvalidArgument(
                f"sample {sample.id!r:.40} names the life table {excerpt(repr(table), 80)}, and no "
                "file that a log names is opened; `inspect score` reads it."
            )


def remove_names(log: EvalLog) -> None:
    """Remove from a log the names that Inspect would look up, import or call when it scores it."""
    log.eval.model_roles = None
    log.eval.scorers = None
    log.eval.metrics = None
    log.eval.headline_metric = None
    log.eval.config.epochs_reducer = None
