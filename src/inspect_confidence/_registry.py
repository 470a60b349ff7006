"""Imports of all tasks, solvers and scorers, through which Inspect registers them."""

# ruff: noqa: F401  # the import alone registers an object

from inspect_ai.model import ModelAPI, modelapi

from inspect_confidence.scorers.abstain import abstain_score
from inspect_confidence.scorers.age_at_death import age_at_death
from inspect_confidence.scorers.commitment import commitment_score
from inspect_confidence.scorers.confidence import confidence
from inspect_confidence.scorers.hedged import hedged
from inspect_confidence.scorers.interval import interval
from inspect_confidence.scorers.judge_item import judge_item
from inspect_confidence.scorers.option_confidence import option_confidence
from inspect_confidence.scorers.repeated import repeated_intervals, repeated_points
from inspect_confidence.scorers.simple_qa import simple_qa_score
from inspect_confidence.scorers.stated import stated
from inspect_confidence.scorers.tokens import token_distribution
from inspect_confidence.scorers.word import stated_probability, word_choice
from inspect_confidence.solvers.ask_confidence import ask_confidence
from inspect_confidence.solvers.decisions import ask_abstain, ask_commitment
from inspect_confidence.solvers.hedged import ask_hedged
from inspect_confidence.solvers.integer import ask_integer, ask_traces
from inspect_confidence.solvers.interval import ask_interval
from inspect_confidence.solvers.json_reply import ask_age, ask_options
from inspect_confidence.solvers.judge_item import ask_judge
from inspect_confidence.solvers.point import ask_point
from inspect_confidence.solvers.simple_qa import ask_simple_qa
from inspect_confidence.solvers.stated import ask_stated
from inspect_confidence.solvers.word import ask_probability, ask_word
from inspect_confidence.tasks.abstain import abstain
from inspect_confidence.tasks.commitment import commitment
from inspect_confidence.tasks.fermi_eval import fermi_eval
from inspect_confidence.tasks.hedge_markers import hedge_markers, judge_check
from inspect_confidence.tasks.life_eval import life_eval
from inspect_confidence.tasks.question_sets import question_sets
from inspect_confidence.tasks.scale_variants import scale_variants
from inspect_confidence.tasks.simple_qa import simple_qa
from inspect_confidence.tasks.wep_probes import wep_choice, wep_elicitation
from inspect_confidence.tasks.with_confidence import with_confidence


@modelapi(name="respondent")
def respondent() -> type[ModelAPI]:
    """Provider of simulated models with known psychometrics, such as `respondent/calibrated`."""
    from inspect_confidence.respondents.provider import RespondentAPI

    return RespondentAPI
