"""Fields of known evals that hold a confidence, or only have the name of one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from inspect_confidence.grades import base_name
from inspect_confidence.studies.study import ScoreFacts


@dataclass(frozen=True)
class KnownField:
    """A field that an eval of another package writes into its scores.

    Attributes:
        evals: Names of the evals in their package.
        scorers: Names of the scorers that write it.
        key: Key of the field in the value of the score.
        others: Other keys of the value, by which the eval is recognized.
        scale: Scale of the confidence; None if the field holds none.
        imputed: Confidence that the eval writes if the reply states none; None if it writes none.
        objection: Why the field is no confidence; empty if it is one.
    """

    evals: Sequence[str]
    scorers: Sequence[str]
    key: str
    others: Sequence[str]
    scale: tuple[float, float] | None = None
    imputed: float | None = None
    objection: str = ""


_percent_field = partial(
    KnownField, key="confidence", others=("score",), scale=(0, 100), imputed=100
)

KNOWN_FIELDS = (
    _percent_field(["inspect_evals/hle"], ["regex_judge", "json_judge", "llm_grader"]),
    _percent_field(["inspect_evals/browse_comp"], ["browse_comp_scorer"]),
    KnownField(
        evals=("inspect_evals/sycophancy",),
        scorers=("sycophancy_scorer",),
        key="confidence",
        others=("original_answer", "admits_mistake"),
        objection="it is 1 where the model was right and stood by its answer, else 0: a verdict",
    ),
)
"""All known fields. `grades` recognizes grades of three kinds (SimpleQA) and verdicts on abstention
(AbstentionBench) by their form.
"""


def known_field(scorer: str, value: object, key: str) -> KnownField | None:
    """Return the entry of `KNOWN_FIELDS` for a key of a scorer's value; None if there is none.

    An entry describes a field in which a known eval writes a confidence, or what looks like one.
    Scorers of several evals may share a name: the value must also have the entry's other keys.
    """
    if not isinstance(value, Mapping):
        return None
    name = base_name(scorer.rsplit("/", 1)[-1])  # without the number of a repeated scorer
    for field in KNOWN_FIELDS:
        if name in field.scorers and key == field.key and set(field.others) <= value.keys():
            return field
    return None


def needs_reply(scores: Mapping[str, ScoreFacts]) -> bool:
    """Return whether a score has a confidence that the eval may have written itself.

    Known evals write a constant if the reply states no confidence; only the reply tells which is
    so.
    """
    for scorer, score in scores.items():
        for key, number in score.value.items() if isinstance(score.value, Mapping) else ():
            field = known_field(scorer, score.value, key)
            if field and field.imputed is not None and number == field.imputed:
                return True
    return False
