"""Wordings that ask for confidence in an answer of any eval.

Source: this project, but for `PUBLISHED`. Scales follow the scale-design study: integers whose ends
are described in words.
"""

from dataclasses import dataclass

_ON_SCALE = """\
Give an integer between {l} and {u}, where {l} means no confidence at all and {u} means absolute \
certainty.

Respond in the following format only:
Confidence: <integer between {l} and {u}>"""

_SHOWN = """\
Below are a question and an answer that was given to it.

Question:
{question}

Answer:
{answer}

"""

STATED = f"How confident are you that your answer above is correct? {_ON_SCALE}"
"""Request for a number after the answer, in the same conversation."""

ALONE = f"{_SHOWN}How confident are you that this answer is correct? {_ON_SCALE}"
"""Request for a number in a new conversation that shows the question and the answer."""

BEFORE = f"""\
Below is a task that you will be given. Don't do it yet.

Task:
{{question}}

How confident are you that you will do it correctly? {_ON_SCALE}"""
"""Request for a number in a new conversation, before the work."""

FIELDS = ("question", "answer", "low", "high")
"""Fields of a wording that replaces those of `stated`, `alone` and `before`."""


def with_decimals(wording: str) -> str:
    """Return a wording that asks for a number with decimals in place of an integer."""
    return wording.replace("an integer between", "a number between").replace("<integer", "<number")


@dataclass(frozen=True)
class Wording:
    """A wording that others published, as they print it.

    Attributes:
        text: The request, with fields of `FIELDS`.
        scale: The scale that it names.
        source: Where it is printed.
    """

    text: str
    scale: str
    source: str


_XIONG_2024 = """\
Read the question, provide your answer and your confidence in this answer. Note: The confidence \
indicates how likely you think your answer is true.
Use the following format to answer:
```Answer and Confidence (0-100): [ONLY the ANSWER_TYPE; not a complete sentence], [Your \
confidence level, please only include the numerical number in the range of 0-100]%```
Only the answer and confidence, don't give me the explanation.

Question: {question}
"""
_XIONG_SOURCE = (
    "Xiong et al. 2024, arXiv 2306.13063, vanilla prompt as their program sends it "
    "(github.com/MiaoXiong2320/llm-uncertainty, query_vanilla_or_cot.py at 78a5d2f). The paper's "
    'appendix has quotation marks in place of the code fence, and ends with "Now, please answer '
    'this question and provide your confidence level."'
)

PUBLISHED = {
    "simpleqa": Wording(
        """\
Here is the question:
{question}
Please provide your best guess and a confidence score between 0% to 100% in the following JSON \
format:
{{
"answer": "Your answer here",
"confidence_score": number
}}""",
        "0-100",
        "SimpleQA, arXiv 2411.04368",
    ),
    "hle": Wording(
        """\
Your response should be in the following format:
Explanation: {{your explanation for your final answer}}
Exact Answer: {{your succinct, final answer}}
Confidence: {{your confidence score between 0% and 100% for your answer}}

{question}""",
        "0-100",
        "Humanity's Last Exam, arXiv 2501.14249, for questions with an exact answer; there the "
        "format is the system message",
    ),
    "tian_2023": Wording(
        """\
Provide the probability that your guess is correct. Give ONLY the probability, no other words or \
explanation.

For example:

Probability: <the probability between 0.0 and 1.0 that your guess is correct, without any extra \
commentary whatsoever; just the probability!>
""",
        "0.0-1.0",
        "Tian et al. 2023, arXiv 2305.14975, second turn of the method Verb. 2S",
    ),
    "xiong_2024": Wording(
        _XIONG_2024.replace("ANSWER_TYPE", "option letter"), "0-100", _XIONG_SOURCE
    ),
    "xiong_2024_number": Wording(
        _XIONG_2024.replace("ANSWER_TYPE", "number"), "0-100", _XIONG_SOURCE
    ),
}
"""Published wordings by name. All but `tian_2023` ask for an answer and its confidence at once."""

P_TRUE = f"{_SHOWN}Is this answer correct? Respond with one word only: True or False."
"""Request for True or False in a new conversation; the token's probability is the confidence."""

WORDS = """\
How likely is it that your answer above is correct? Choose the phrase that says it best.

{phrases}

Respond with the letter and the phrase only."""
"""Request for a phrase after the answer, in the same conversation."""

SAME = """\
Below are a question and two answers that were given to it.

Question:
{question}

First answer:
{answer}

Second answer:
{other}

Do the two answers say the same in answer to the question? Respond with one word only: Yes or No."""
"""Request to a judge to compare two answers whose texts can't be compared by rule."""

DECLINE = """\
Your answer above earns 1 point if it is right and costs {penalty} points if it is wrong. If you \
withdraw it, you get 0 points.

Do you keep it or withdraw it? Respond with one word only: KEEP or WITHDRAW."""
"""Request to keep or withdraw the answer under a penalty, in the same conversation."""

SAME_FORMAT = "Respond in the format in which you were asked to answer."
"""Form of the final answer after a pushback."""
