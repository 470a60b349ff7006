"""The wording that asks for confidence in an answer of any eval. All of it is our own.

Scales are put as the scale-design study puts them: integers, whose ends are said in words.
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
"""After the answer, in the same conversation."""

ALONE = f"{_SHOWN}How confident are you that this answer is correct? {_ON_SCALE}"
"""In a new conversation, which shows question and answer."""

BEFORE = f"""\
Below is a task that you will be given. Don't do it yet.

Task:
{{question}}

How confident are you that you will do it correctly? {_ON_SCALE}"""
"""In a new conversation, before the work."""

P_TRUE = f"{_SHOWN}Is this answer correct? Respond with one word only: True or False."
"""In a new conversation; the probability of True is that of its token."""

WORDS = """\
How likely is it that your answer above is correct? Choose the phrase that says it best.

{phrases}

Respond with the letter and the phrase only."""
"""After the answer, in the same conversation."""

SAME = """\
Below are a question and two answers that were given to it.

Question:
{question}

First answer:
{answer}

Second answer:
{other}

Do the two answers say the same in answer to the question? Respond with one word only: Yes or No."""
"""To a judge, of two answers whose texts can't be compared."""
