"""A solver that asks for an answer in which the model words its uncertainty, and for more draws."""

from inspect_ai.model import ChatMessage
from inspect_ai.solver import Generate, Solver, TaskState, solver

from inspect_confidence.judges.model import require_grader
from inspect_confidence.prompts import hedge_markers as prompts
from inspect_confidence.solvers.draws import draw_replies, store_draws
from inspect_confidence.solvers.message import conversation, user_message


@solver
def ask_hedged(
    draws: int, system: str | None, prompt: str | None = None, grader: bool = True
) -> Solver:
    """Ask for a main answer, then for `draws` more answers to the same message.

    The main answers of all samples are sent together, then the draws, so that a provider's batch
    mode takes them in two waves.

    Args:
        draws: Number of further answers, K.
        system: The system message.
        prompt: Template with the field `question`; by default the package's for the kind of
            question.
        grader: Whether the replies will be judged by a model.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if grader:
            require_grader()
        choices = [choice.value for choice in state.choices]
        template = prompt or prompts.TEMPLATES[str(state.metadata["kind"])]
        text = template.format(question=prompts.with_choices(state.input_text, choices))
        first = (state.epoch - 1) * (draws + 1)
        form = {"form": "hedged", "dataset": state.metadata["dataset"], "choices": choices}

        def messages(number: int) -> list[ChatMessage]:
            message = user_message(text, state, number, main=number == first, **form)
            return conversation(message, system)

        main = await draw_replies(messages, first, 1)
        store_draws(state, main)
        store_draws(state, [*main, *await draw_replies(messages, first + 1, draws)])
        return state

    return solve
