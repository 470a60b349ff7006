"""Wordings of FermiEval.

Source: this project. The study describes its request (two exponents of an interval at a stated
level) and doesn't publish its text.
"""

INTERVAL = """\
{question}

The answer is a power of ten, rounded to a whole exponent. State a {level}% confidence interval \
for its exponent: two exponents of ten such that you are {level}% sure that the true exponent \
lies between them, ends included.

Reply with these two lines and nothing else:
Lower: <exponent>
Upper: <exponent>"""

POINT = """\
{question}

The answer is a power of ten, rounded to a whole exponent. Give your best estimate of its exponent.

Reply with this line and nothing else:
Exponent: <integer>"""

INTEGER = """\
{question}

The answer is a power of ten, rounded to a whole exponent. Reply with that exponent as one integer \
and nothing else: no words, no spaces, no other characters."""

TRACE = """\
{question}

The answer is a power of ten, rounded to a whole exponent. Think it through step by step: name the \
quantities that it depends on and estimate each. Don't state the exponent yet."""

TRACE_ANSWER = """\
Now reply with the exponent of ten of the answer as one integer and nothing else: no words, no \
spaces, no other characters."""
