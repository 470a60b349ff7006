"""Wordings of LifeEval.

Source: this project. The study's text describes its prompt without quoting it; this wording has the
same structure: reasoning, an age and a probability in one JSON object, an example of it, and the
directions repeated before the question. Results may differ from those with the study's exact
prompts, which `prompts="authors"` loads.
"""

_DIRECTIONS = """\
Estimate at what age a person will die. Think first about what is known of mortality in the \
population, then decide on one age in whole years that you consider your best answer.
State too how probable it is, from 0.0 to 1.0, that the age at which the person dies lies within \
the distance from your answer that the question names. Report what you believe, neither more nor \
less.
"""

EXAMPLE = """\
Reply with one JSON object, as in this example:

{
    "Reasoning": "<what your answer and your probability rest on, in a few sentences>",
    "Answer": "<the age at death, a whole number>",
    "Confidence": "<the probability, a number from 0.0 to 1.0>"
}"""

DIRECTIONS = _DIRECTIONS + EXAMPLE
"""System message, repeated before the question."""

SCHEMA_DIRECTIONS = _DIRECTIONS + "Give your reasoning first, in a few sentences."
"""System message if the provider receives a schema of the reply."""

_PERSONS = {"male": ("man", "boy", "he", "his"), "female": ("woman", "girl", "she", "her")}


def question(sex: str, age: int, radius: float, population: str = "American") -> str:
    """Return the question about one person.

    Example:
        >>> question("female", 64, 1)
        'Think of the American population: a woman of it is alive at the age of 64. How old will \
she be at death, and how probable is it that your answer lies within 1 year of her true age at \
death?'
    """
    adult, child, pronoun, possessive = _PERSONS[sex]
    person, years = adult if age >= 18 else child, "year" if radius == 1 else "years"
    return (
        f"Think of the {population} population: a {person} of it is alive at the age of {age}. How "
        f"old will {pronoun} be at death, and how probable is it that your answer lies within "
        f"{radius:g} {years} of {possessive} true age at death?"
    )


def message(directions: str, question: str) -> str:
    """Return the user message: the repeated directions, then the question."""
    return f"Directions:\n{directions}\n\nQuestion:\n{question}\n\nResponse:"
