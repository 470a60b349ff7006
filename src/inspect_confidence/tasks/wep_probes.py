"""Words of estimative probability: words to numbers, and numbers to words."""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from inspect_confidence import arguments
from inspect_confidence.datasets import wep_contexts as contexts
from inspect_confidence.datasets.selection import Selection, choose
from inspect_confidence.datasets.wep_choices import NUMBERS, ChoicePrompt, ordered_design
from inspect_confidence.prompts import wep_probes as wording
from inspect_confidence.scorers.words import stated_probability, word_choice
from inspect_confidence.solvers.forms import ask_probability, ask_word
from inspect_confidence.tasks.composition import compose_task, log_facts, read_shared, sample
from inspect_confidence.tasks.viewers import choice_viewer, probability_viewer


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
    """Ask for the probability that each word, such as "likely", means in each context.

    Each pair of a word and a context that has a statement with it is one call.

    Args:
        dataset: `bundled`, or a csv or jsonl file of your own with `context`, `setting`, `word`,
            `statement` and `clause`, one row per statement.
        settings: Some of `concise`, `extended`, `female`, `male`; a file of your own is used with
            all its settings.
        languages: Some of `en`, `zh` (concise contexts only); a file with all its languages.
        words: `survey` (the 17 that people were asked about), `all` (32), or words between commas.
        items: Number of contexts, or a file with one context's id per line; all by default.
        split: `train`, `test` or `all`.
        seed: Seed of the order of contexts.
        prompts: `study`, or `ours`, which asks in Chinese what the study asks in English.
        prompt: A file that replaces the wording of all languages; it has `{statement}` and
            `{clause}`.
        system: A file with a system message; none by default.
        **unknown: Refused.
    """
    templates = wording.ELICITATION[arguments.choice("prompts", prompts, list(wording.ELICITATION))]
    shared = read_shared(
        wep_elicitation, unknown, items, split, seed, prompt, templates["en"], system
    )
    selection, chosen_words = contexts.load_contexts(
        dataset,
        settings=arguments.choice_list("settings", settings, contexts.SETTINGS),
        languages=arguments.choice_list("languages", languages, contexts.LANGUAGES),
        words=words,
        **shared.choice,
    )
    wordings = {}
    for language in sorted({item.language for item in selection.items}):
        wordings[language] = shared.template or templates.get(language, templates["en"])
    samples = []
    for item in selection.items:
        samples += [_statement(item, word) for word in chosen_words if word in item.statements]
    return compose_task(
        wep_elicitation,
        samples,
        ask_probability(wordings, shared.system),
        stated_probability(),
        probability_viewer,
        headline="mean_probability",
        facts=log_facts(
            selection,
            list(wordings.values()),
            shared.system,
            prompts=["wep_probes"],
            output_tokens=4,
            read_again=25,  # characters of a typical clause
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
    """Ask for the word that fits how many of 20 numbers are in an interval, in one call.

    Args:
        dataset: `design`: the prompts follow from the study's design.
        cot: `with` a chain of thought, `without`, or `both`: each prompt in both forms.
        items: Number of the 360 prompts, or a file with one id per line; all by default.
        split: `train`, `test` or `all`.
        seed: Seed of the order of prompts.
        prompt: A file that replaces the wording of both forms; it has `{situation}`, `{sentence}`
            and `{choices}`.
        system: A file with a system message; none by default.
        **unknown: Refused.
    """
    shared = read_shared(wep_choice, unknown, items, split, seed, prompt, wording.CHOICE, system)
    arguments.choice("dataset", dataset, ["design"])
    forms = {"with": [True], "without": [False], "both": [False, True]}
    thoughts = forms[arguments.choice("cot", str(cot).lower(), list(forms))]
    plain_wording = shared.template or wording.CHOICE
    cot_wording = shared.template or wording.CHOICE_COT
    design = ordered_design(shared.choice["seed"])
    chosen = choose(design, shared.choice["split"], items)
    texts = [*wording.SITUATIONS.values(), *wording.SENTENCES.values(), str(NUMBERS)]
    selection = Selection("design", chosen, arguments.fingerprint("\n".join(texts)))
    return compose_task(
        wep_choice,
        [_sentence(item, is_thought) for item in selection.items for is_thought in thoughts],
        ask_word(plain_wording, cot_wording, shared.system),
        word_choice(),
        choice_viewer,
        headline="empirical_consistency",
        facts=log_facts(
            selection,
            (plain_wording, cot_wording),
            shared.system,
            prompts=["wep_probes"],
            output_tokens=8 + 120 * sum(thoughts) // len(thoughts),
            read_again=200,  # characters of a typical situation
        ),
    )


def _statement(item: contexts.Context, word: str) -> Sample:
    """Return the sample that asks what a word means in a context; no probability is right."""
    return sample(
        item,
        text=item.statements[word],
        target="",
        facts={
            "context": item.context,
            "setting": item.setting,
            "language": item.language,
            "word": word,
            "shown": item.translations.get(word, word),  # the word in the statement's language
            "surveyed": word in contexts.SURVEYED,
            "clause": item.clause,
        },
        suffix=f"@{word}",
    )


def _sentence(item: ChoicePrompt, is_thought: bool) -> Sample:
    """Return the sample of a sentence to complete, after a chain of thought if `is_thought`."""
    choices = wording.CHOICES[item.choice_set]
    numbers = ", ".join(map(str, NUMBERS[item.numbers]))
    return sample(
        item,
        text=wording.SENTENCES[item.scenario].format(interval=item.text),
        target=choices[item.right],
        facts={
            "scenario": item.scenario,
            "choice_set": item.choice_set,
            "numbers": item.numbers,
            "point": item.point,
            "interval": item.interval,
            "cot": is_thought,
            "situation": wording.SITUATIONS[item.scenario].format(numbers=numbers),
        },
        suffix="-cot" if is_thought else "",
        choices=choices,
    )
