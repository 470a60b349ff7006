"""Wordings of the study of words of estimative probability.

Source: the study, to the letter, except two parts of this project's: an alternative Chinese
instruction, and the sentence that introduces the numbers in two of three scenarios.
"""

_ENGLISH = (
    "Format your answer as a float value between 0 and 1, and make your answer short.\n"
    'Given the statement "{statement}", with what probability do you think {clause}?'
)

ELICITATION = {
    "study": {
        "en": _ENGLISH,
        "zh": (
            "你的输出只有0到1之间的带有两位小数的浮点值。"
            "回答问题时直接给出最终答案,不要加入中间思考过程,不要重复问题\n"
            "根据陈述“{statement}”,您认为{clause}的概率是多少?"
        ),
    },
    "ours": {
        "en": _ENGLISH,
        "zh": (
            "请用0到1之间的浮点数作答，回答要简短。\n"  # noqa: RUF001 # Chinese punctuation
            "已知陈述“{statement}”，你认为{clause}的概率是多少？"  # noqa: RUF001 # Chinese punctuation
        ),
    },
}
"""Templates by author and language, with the instruction and the question on separate lines.

The study's Chinese instruction asks for more than its English one: two decimals, no reasoning, no
repetition. The instruction of `ours` is a translation of the English one, so that the two languages
can be compared under the same instruction.
"""

CHOICE = (
    "Complete the following sentence using one of the choices, listed in descending order of "
    "likelihood, that best fits the sentence: {choices}. {situation} {sentence}"
)

CHOICE_COT = (
    "First compute the associated probability. Then complete the following sentence using one of "
    "the choices, listed in descending order of likelihood, that best fits the sentence: "
    "{choices}. Give your final choice after “I choose:”. {situation} {sentence}"
)

SITUATIONS = {
    "height": "I randomly picked 20 specimens from an unknown population. I recorded their "
    "heights, which are {numbers}.",
    "score": "20 test scores were randomly picked from a class. The scores are {numbers}.",
    "sound": "20 sound measurements were randomly picked from a room. The decibel levels recorded "
    "are {numbers}.",
}
"""Introduction of the numbers by scenario.

Source: the study for `height`. The other two are this project's, in words of the study's recorded
replies, which don't repeat the study's own introduction.
"""

SENTENCES = {
    "height": "Based on this information, if I randomly pick one additional specimen from the same "
    "population, the specimen’s height _ {interval}.",  # noqa: RUF001 # the study's apostrophe
    "score": "Based on this information, if one additional score was randomly picked from the same "
    "class, the score _ {interval}.",
    "sound": "Based on this information, if one additional sound measurement was randomly picked "
    "from the same room, the decibel level recorded _ {interval}.",
}
"""Sentence to complete, by scenario.

Source: the study, as printed for `height`, as its recorded replies repeat it for the other two.
"""

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
"""The study's two sets of choices; the set of three is taken from its recorded replies."""
