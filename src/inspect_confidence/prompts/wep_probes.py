"""The wording of the study of words of estimative probability.

Source: the English instruction and question are the study's protocol, to the letter. The Chinese
ones, and the prompts for choosing words, are our own to the same structure: the study's text of
them was not at hand.
"""

ELICITATION = {
    "en": (
        "Format your answer as a float value between 0 and 1, and make your answer short.\n"
        'Given the statement "{statement}", with what probability do you think {clause}?'
    ),
    "zh": (
        "请用0到1之间的浮点数作答，回答要简短。\n"  # noqa: RUF001 # Chinese punctuation
        "已知陈述“{statement}”，你认为{clause}的概率是多少？"  # noqa: RUF001 # Chinese punctuation
    ),
}
"""Templates by language; the Chinese one is ours."""

CHOICE = """\
{situation}

Complete the following sentence with one of the choices. Answer with the choice only.

{sentence}

{choices}"""

CHOICE_COT = """\
{situation}

Complete the following sentence with one of the choices. Think step by step, then end your answer \
with "I choose: " followed by your choice.

{sentence}

{choices}"""

SITUATIONS = {
    "height": "The heights of 20 specimens, in centimetres, are: {numbers}. One more specimen is "
    "picked at random from the same population.",
    "score": "The last 20 scores of a player are: {numbers}. The player plays one more game.",
    "sound": "20 measurements of the sound level in a room, in decibels, are: {numbers}. One more "
    "measurement is taken in the same room.",
}
"""What the numbers are, by scenario."""

SENTENCES = {
    "height": "The height of this specimen ___ {interval}.",
    "score": "The score of this game ___ {interval}.",
    "sound": "The sound level of this measurement ___ {interval}.",
}

CHOICES = {
    5: (
        "is almost certainly",
        "is likely to be",
        "is maybe",
        "is unlikely to be",
        "is almost certainly not",
    ),
    3: ("is likely to be", "is maybe", "is unlikely to be"),
}
"""The study's two sets of choices, as its recorded replies show them."""
