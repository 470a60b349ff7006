"""Words of estimative probability: words to numbers, and numbers to words."""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from inspect_confidence import arguments
from inspect_confidence.datasets import wep_contexts as contexts
from inspect_confidence.datasets.selection import Selection, choose
from inspect_confidence.datasets.wep_choices import NUMBERS, ChoicePrompt, ordered_design
from inspect_confidence.prompts import wep_probes as wording
from inspect_confidence.scorers.word import stated_probability, word_choice
from inspect_confidence.solvers.word import ask_probability, ask_word
from inspect_confidence.tasks.composition import composed, sample
from inspect_confidence.tasks.facts import log_facts, own_prompt, system_message, which
from inspect_confidence.tasks.viewers import choice_viewer, probability_viewer
from inspect_confidence.versions import TASK_VERSIONS


@task
def wep_elicitation(
    dataset: str = "bundled",
    settings: str | list[str] = "concise,extended,female,male",
    languages: str | list[str] = "en",
    words: str | list[str] = "survey",
    items: str | int | None = None,
    split: str = "all",
    seed: int = 0,
    prompts: str = "study",
    prompt: str | None = None,
    system: str | None = None,
    **unknown: object,
) -> Task:
    """Ask for the probability that each word means in each context: one call for both together.

    Args:
        dataset: `bundled`, or a csv or jsonl file of your own with `context`, `setting`, `word`,
            `statement` and `clause`, one row a statement.
        settings: Of `concise`, `extended`, `female`, `male`; those of a file of your own are all
            asked.
        languages: Of `en`, `zh` (concise contexts only); likewise.
        words: `survey` (the 17 that people were asked about), `all` (32), or words between commas.
        items: How many contexts, or a file with one context's id a line; all by default.
        split: `train`, `test` or `all`.
        seed: Of the order of contexts.
        prompts: `study`, or `ours`, which asks in Chinese what the study asks in English.
        prompt: A file that replaces the wording of all languages; holds `{statement}` and
            `{clause}`.
        system: A file with a system message; none by default.
        **unknown: Refused.
    """
    arguments.refuse_unknown(unknown, arguments.argument_names(wep_elicitation))
    ready = wording.ELICITATION[arguments.choice("prompts", prompts, list(wording.ELICITATION))]
    english = ready["en"]
    own = own_prompt(prompt, english)
    context = system_message(system)
    selection, asked = contexts.load_contexts(
        dataset,
        settings=arguments.choice_list("settings", settings, contexts.SETTINGS),
        languages=arguments.choice_list("languages", languages, contexts.LANGUAGES),
        words=words,
        **which(items, split, seed),
    )
    spoken = sorted({one.language for one in selection.items})
    wordings = {name: own or ready.get(name, english) for name in spoken}
    return composed(
        selection,
        [
            _statement(one, word)
            for one in selection.items
            for word in asked
            if word in one.statements
        ],
        ask_probability(wordings, context),
        stated_probability(),
        probability_viewer,
        headline="mean_probability",
        version=TASK_VERSIONS["wep_elicitation"],
        # The clause is read too.
        facts=log_facts(
            *(selection, list(wordings.values()), context),
            prompts=["wep_probes"],
            output_tokens=4,
            read_again=25,
        ),
    )


@task
def wep_choice(
    dataset: str = "design",
    cot: str = "both",
    items: str | int | None = None,
    split: str = "all",
    seed: int = 0,
    prompt: str | None = None,
    system: str | None = None,
    **unknown: object,
) -> Task:
    """Ask for the word that fits how many of 20 numbers lie in an interval: one call a prompt.

    Args:
        dataset: `design`: the prompts follow from the study's design.
        cot: `with` a chain of thought, `without`, or `both`: each prompt in both forms.
        items: How many of the 360 prompts, or a file with one id a line; all by default.
        split: `train`, `test` or `all`.
        seed: Of the order of prompts.
        prompt: A file that replaces the wording of both forms; holds `{situation}`, `{sentence}`
            and `{choices}`.
        system: A file with a system message; none by default.
        **unknown: Refused.
    """
    arguments.refuse_unknown(unknown, arguments.argument_names(wep_choice))
    arguments.choice("dataset", dataset, ["design"])
    forms = {"with": [True], "without": [False], "both": [False, True]}
    asked = forms[arguments.choice("cot", str(cot).lower(), list(forms))]
    own = own_prompt(prompt, wording.CHOICE)
    wordings = (own or wording.CHOICE, own or wording.CHOICE_COT)
    context = system_message(system)
    some = which(items, split, seed)
    chosen = choose(ordered_design(some["seed"]), some["split"], items)
    told = [*wording.SITUATIONS.values(), *wording.SENTENCES.values(), str(NUMBERS)]
    output_tokens = 8 + 120 * sum(asked) // len(asked)
    selection = Selection("design", chosen, arguments.fingerprint("\n".join(told)))
    return composed(
        selection,
        [_sentence(one, thought) for one in selection.items for thought in asked],
        ask_word(*wordings, context),
        word_choice(),
        choice_viewer,
        headline="empirical_consistency",
        version=TASK_VERSIONS["wep_choice"],
        # The situation is read too.
        facts=log_facts(
            *(selection, wordings, context),
            prompts=["wep_probes"],
            output_tokens=output_tokens,
            read_again=200,
        ),
    )


def _statement(one: contexts.Context, word: str) -> Sample:
    return sample(
        one,
        one.statements[word],
        "",
        {
            "context": one.context,
            "setting": one.setting,
            "language": one.language,
            "word": word,
            "shown": one.translations.get(word, word),
            "surveyed": word in contexts.SURVEYED,
            "clause": one.clause,
        },
        suffix=f"@{word}",
    )


def _sentence(one: ChoicePrompt, thought: bool) -> Sample:
    choices = wording.CHOICES[one.choice_set]
    numbers = ", ".join(map(str, NUMBERS[one.numbers]))
    return sample(
        one,
        wording.SENTENCES[one.scenario].format(interval=one.text),
        choices[one.right],
        {
            "scenario": one.scenario,
            "choice_set": one.choice_set,
            "numbers": one.numbers,
            "point": one.point,
            "interval": one.interval,
            "cot": thought,
            "situation": wording.SITUATIONS[one.scenario].format(numbers=numbers),
        },
        suffix="-cot" if thought else "",
        choices=choices,
    )
