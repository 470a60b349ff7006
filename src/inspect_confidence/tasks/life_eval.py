"""LifeEval: ages at death, and how sure a model is of them, against a life table."""

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig

from inspect_confidence import arguments
from inspect_confidence.datasets import life_tables as tables
from inspect_confidence.datasets.life_eval import PROMPTS, LifeItem, life_items, study_prompts
from inspect_confidence.datasets.question_sets import STUDY_COMMIT
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.prompts import life_eval as wording
from inspect_confidence.scorers.age_at_death import age_at_death
from inspect_confidence.solvers.json_reply import ask_age, opening
from inspect_confidence.tasks.composition import composed, sample
from inspect_confidence.tasks.facts import log_facts, own_prompt, system_message, which
from inspect_confidence.tasks.json_prompts import is_exact, is_schema
from inspect_confidence.tasks.viewers import life_viewer
from inspect_confidence.versions import TASK_VERSIONS

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
    """Ask for an age at death with the probability that it lies within a radius: one call an item.

    Args:
        ages: Ages reached, as `0-100` or `20,40,60-70`.
        sexes: `both`, `male` or `female`.
        radii: Years around the answer, above 0 and below 120.
        window: `half-open`, [answer - radius, answer + radius), which reproduces the published
            numbers, or `closed`, which has the age answer + radius in it too.
        table: `ssa-2022` (the United States), or a csv file with `age` and q_x in `male`, `female`
            or both.
        population: Whose member the question is about, as an adjective, to go with your table.
        prompts: `ours`, or `authors` (the study's exact prompts, downloaded once).
        format: `example` (the form of the reply is shown), or `json_schema` (the provider is given
            it: structured output).
        tokens: Whether log probabilities are asked for, to take confidence from the answer's token
            too.
        items: How many items, or a file with one id a line; all by default.
        split: `train`, `test` or `all`.
        seed: Of the order of items.
        prompt: A file that replaces the user message; holds `{question}`.
        system: A file that replaces the system message; with `prompt` there is none by default.
        **unknown: Refused.
    """
    arguments.refuse_unknown(unknown, arguments.argument_names(life_eval))
    lives = tables.read_life_table(table)
    file: str | Path = tables.BUNDLED
    if lives.name != tables.SSA_2022:  # as the scorer finds it again, wherever it runs
        file = arguments.user_path("table", table).resolve()
        table = str(file)
    kind = arguments.choice("window", window, tables.WINDOWS)
    schema = is_schema(format)
    whose = str(population).strip()
    if isinstance(population, list) or not whose:
        raise InvalidArgument(f"population={population} is no adjective such as American.")
    other = whose if whose != AMERICAN else None
    exact = is_exact(
        prompts, prompt=prompt, system=system, population=other, format=schema and format
    )
    with_tokens = arguments.boolean("tokens", tokens)
    own = own_prompt(prompt, "{question}")
    context = system_message(system)
    selection = life_items(
        lives,
        ages=arguments.whole_numbers("ages", ages, minimum=0, maximum=lives.top),
        sexes=tables.SEXES
        if sexes == "both"
        else arguments.choice_list("sexes", sexes, tables.SEXES),
        radii=arguments.numbers("radii", radii, above=0, below=120),
        **which(items, split, seed),
    )
    questions = {
        item.id: wording.question(item.sex, item.age, item.radius, whose)
        for item in selection.items
    }
    directions = wording.SCHEMA_DIRECTIONS if schema else wording.DIRECTIONS
    wordings = [own or wording.message(directions, "")]
    shown = wordings[0] + (opening(directions, own, context) or "")
    if exact:
        found = study_prompts(selection.items)
        asked = {item.id: found[item.sex, item.age, item.radius] for item in selection.items}
        questions = {name: user for name, (user, _) in asked.items()}
        context = next(iter(asked.values()))[1]
        own, shown, wordings = "{question}", context, [STUDY_COMMIT]
    return composed(
        selection,
        [_sample(item, questions[item.id], lives, table, kind) for item in selection.items],
        ask_age(own, context, schema),
        age_at_death(),
        life_viewer,
        headline="overconfidence",
        version=TASK_VERSIONS["life_eval"],
        facts=log_facts(
            *(selection, wordings, None if exact else context),
            prompts=["life_eval"],
            output_tokens=150,
            files=[file, *[PROMPTS] * exact],
            shown=shown,
        ),
        config=GenerateConfig(
            temperature=0, logprobs=with_tokens or None, top_logprobs=20 if with_tokens else None
        ),
    )


def _sample(
    item: LifeItem, question: str, lives: tables.LifeTable, table: str, window: str
) -> Sample:
    best = lives.best_answer(item.sex, item.age, item.radius, window)
    person = {"sex": item.sex, "age": item.age, "radius": item.radius}
    facts = {**person, "table": table, "window": window}
    return sample(item, question, str(best.answer), facts)
