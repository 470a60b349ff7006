"""Imports of all tasks, solvers and scorers, through which Inspect registers them."""

# ruff: noqa: F401  # the import alone registers an object

from inspect_ai.model import ModelAPI, modelapi

from inspect_confidence.scorers.confidence import confidence
from inspect_confidence.scorers.decisions import abstain_score, commitment_score
from inspect_confidence.scorers.hedged import hedged
from inspect_confidence.scorers.intervals import (
    interval,
    repeated_intervals,
    repeated_points,
    token_distribution,
)
from inspect_confidence.scorers.judge_item import judge_item
from inspect_confidence.scorers.options import age_at_death, option_confidence
from inspect_confidence.scorers.simple_qa import simple_qa_score
from inspect_confidence.scorers.stated import stated
from inspect_confidence.scorers.words import stated_probability, word_choice
from inspect_confidence.solvers.ask_confidence import ask_confidence
from inspect_confidence.solvers.decisions import ask_abstain, ask_commitment
from inspect_confidence.solvers.forms import (
    ask_age,
    ask_hedged,
    ask_integer,
    ask_interval,
    ask_judge,
    ask_options,
    ask_point,
    ask_probability,
    ask_simple_qa,
    ask_stated,
    ask_traces,
    ask_word,
)
from inspect_confidence.tasks.decisions import abstain, commitment, simple_qa
from inspect_confidence.tasks.fermi_eval import fermi_eval
from inspect_confidence.tasks.hedge_markers import hedge_markers, judge_check
from inspect_confidence.tasks.life_eval import life_eval
from inspect_confidence.tasks.question_sets import question_sets
from inspect_confidence.tasks.scale_variants import scale_variants
from inspect_confidence.tasks.wep_probes import wep_choice, wep_elicitation
from inspect_confidence.tasks.with_confidence import with_confidence


@modelapi(name="respondent")
def respondent() -> type[ModelAPI]:
    """Return the provider's class of simulated models, such as `respondent/calibrated`.

    Its module is imported only if such a model is used.
    """
    from inspect_confidence.respondents.provider import RespondentAPI

    return RespondentAPI
