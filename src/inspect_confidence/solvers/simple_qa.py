"""A solver that asks for a short answer with its confidence in JSON, and for more draws of it."""

from inspect_ai.model import ChatMessage
from inspect_ai.solver import Generate, Solver, TaskState, solver

from inspect_confidence.judges.model import require_grader
from inspect_confidence.prompts.confidence import PUBLISHED
from inspect_confidence.solvers.draws import draw_replies, store_draws
from inspect_confidence.solvers.message import conversation, user_message


@solver
def ask_simple_qa(
    draws: int = 0, prompt: str | None = None, system: str | None = None, grader: bool = False
) -> Solver:
    """Ask for an answer with its confidence, then for `draws` more replies to the same message.

    Args:
        draws: Number of further replies, for the frequency of the commonest answer.
        prompt: Template with the field `question`, instead of SimpleQA's.
        system: A system message before it, if any.
        grader: Whether the answers will be judged by a model.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if grader:
            require_grader()
        text = (prompt or PUBLISHED["simpleqa"].text).format(question=state.input_text)
        first = (state.epoch - 1) * (draws + 1)

        def messages(number: int) -> list[ChatMessage]:
            message = user_message(text, state, number, form="simple_qa", main=number == first)
            return conversation(message, system)

        state.messages = messages(first)
        main = await draw_replies(messages, first, 1)
        store_draws(state, main)
        if draws:
            store_draws(state, [*main, *await draw_replies(messages, first + 1, draws)])
        return state

    return solve
