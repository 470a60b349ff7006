"""Wordings that ask for confidence in an answer of any eval.

Source: this project. Scales follow the scale-design study: integers whose ends are described in
words.
"""

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
