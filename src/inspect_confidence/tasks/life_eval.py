"""LifeEval: ages at death and their stated probabilities, against a life table."""

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from inspect_confidence import arguments
from inspect_confidence.datasets import life_tables as tables
from inspect_confidence.datasets.life_eval import PROMPTS, LifeItem, life_items, study_prompts
from inspect_confidence.datasets.question_sets import STUDY_COMMIT
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.prompts import life_eval as wording
from inspect_confidence.scorers.options import age_at_death
from inspect_confidence.solvers.forms import ask_age
from inspect_confidence.tasks.composition import compose_task, log_facts, read_shared, sample
from inspect_confidence.tasks.json_prompts import (
    is_exact,
    is_schema,
    json_prompt,
    study_prompt,
    token_config,
)
from inspect_confidence.tasks.viewers import life_viewer

AMERICAN = "American"


@task
def life_eval(
    ages: str | int | list[int] = "0-100",
    sexes: str | list[str] = "both",
    radii: str | float | list[float] = "1,5,10,20",
    window: str = "half-open",
    table: str = tables.SSA_2022,
    population: str | list[str] = AMERICAN,
    prompts: str = "ours",
    format: str = "example",  # reads well on the command line
    tokens: bool = False,
    items: str | int | None = None,
    split: str = "all",
    seed: int = 0,
    prompt: str | None = None,
    system: str | None = None,
    **unknown: object,
) -> Task:
    """Ask for an age at death and the probability of dying within a radius of it, in one call.

    Args:
        ages: Present ages of the person, such as `0-100` or `20,40,60-70`.
        sexes: `both`, `male` or `female`.
        radii: Years around the answer, above 0 and below 120.
        window: `half-open`, [answer - radius, answer + radius), which reproduces the published
            numbers, or `closed`, which includes the age answer + radius.
        table: `ssa-2022` (the United States), or a csv file with `age` and, in `male`, `female` or
            both, the probability to die within a year.
        population: Population of the person in the question, as an adjective, for your table.
        prompts: `ours`, or `authors` (the study's exact prompts, downloaded once).
        format: `example` (the prompt shows the form of the reply), or `json_schema` (the provider
            gets it: structured output).
        tokens: Whether to ask for log probabilities, for the confidence of the answer's token.
        items: Number of items, or a file with one id per line; all by default.
        split: `train`, `test` or `all`.
        seed: Seed of the order of items.
        prompt: A file that replaces the user message; it has `{question}`.
        system: A file that replaces the system message; with `prompt` there is none by default.
        **unknown: Refused.
    """
    life_table, file = _life_table(table)
    window_name = arguments.choice("window", window, tables.WINDOWS)
    schema = is_schema(format)
    adjective = str(population).strip()
    if not isinstance(population, str) or not adjective:
        raise InvalidArgument(f"population={population} is no adjective such as American.")
    # The study's exact prompts admit no other wording, population or form of reply.
    exact = is_exact(
        prompts,
        prompt=prompt,
        system=system,
        population=adjective if adjective != AMERICAN else None,
        format=format if schema else None,
    )
    shared = read_shared(life_eval, unknown, items, split, seed, prompt, "{question}", system)
    config = token_config(tokens)
    sex_names = list(tables.SEXES)
    if arguments.parts(sexes) != ["both"]:
        sex_names = arguments.choice_list("sexes", sexes, tables.SEXES)
    selection = life_items(
        life_table,
        ages=arguments.whole_numbers("ages", ages, minimum=0, maximum=life_table.top),
        sexes=sex_names,
        radii=arguments.numbers("radii", radii, above=0, below=120),
        **shared.choice,
    )
    # The user messages (or questions), and the texts around them: the study's or the package's.
    if exact:
        study_messages = study_prompts(selection.items)
        messages = [study_messages[item.sex, item.age, item.radius] for item in selection.items]
        questions = [user for user, _ in messages]
        _, system_message = messages[0]  # the same for all
        texts = study_prompt(system_message, STUDY_COMMIT)
    else:
        questions = [
            wording.question(item.sex, item.age, item.radius, adjective) for item in selection.items
        ]
        directions = wording.SCHEMA_DIRECTIONS if schema else wording.DIRECTIONS
        message = wording.message(directions, "")
        texts = json_prompt(shared, message=message, directions=directions, wordings=[message])
    # By this name the scorer reads the table again: a user's file by its path.
    table_name = life_table.name if life_table.name == tables.SSA_2022 else str(file)
    return compose_task(
        life_eval,
        [
            _sample(item, question, life_table, table_name, window_name)
            for item, question in zip(selection.items, questions, strict=True)
        ],
        ask_age(texts.template, texts.system, schema),
        age_at_death(),
        life_viewer,
        headline="overconfidence",
        facts=log_facts(
            selection,
            texts.wordings,
            shared.system,
            prompts=["life_eval"],
            output_tokens=150,
            files=[file, PROMPTS] if exact else [file],
            typical_characters=texts.typical_characters,
        ),
        config=config,
    )


def _life_table(table: str) -> tuple[tables.LifeTable, str | Path]:
    """Return a life table and its file, whose path does not depend on the working directory."""
    life_table = tables.read_life_table(table)
    if life_table.name == tables.SSA_2022:
        return life_table, tables.BUNDLED
    return life_table, arguments.user_path("table", table).resolve()


def _sample(
    item: LifeItem, question: str, life_table: tables.LifeTable, table: str, window: str
) -> Sample:
    """Return the sample of an item; its target is the best answer by the life table."""
    # `table` is its name in logs; `window` says whether the upper end of answer ± radius counts.
    best = life_table.best_answer(item.sex, item.age, item.radius, window)
    person = {"sex": item.sex, "age": item.age, "radius": item.radius}
    facts = {**person, "table": table, "window": window}
    return sample(item, question, str(best.answer), facts)
