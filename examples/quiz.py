"""An eval as anybody could have written it: nothing in it asks how sure the model is."""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import choice
from inspect_ai.solver import multiple_choice

from inspect_confidence.datasets.questions import load_questions


@task
def quiz(questions: int = 168) -> Task:
    """Questions of general knowledge, each with four choices and a subject."""
    samples = [
        Sample(
            id=one.id,
            input=one.question,
            choices=list(one.choices),
            target=one.target,
            metadata={"subject": one.part},
        )
        for one in load_questions("knowledge").items[:questions]
    ]
    return Task(dataset=samples, solver=multiple_choice(), scorer=choice())
