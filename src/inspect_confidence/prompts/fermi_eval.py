"""FermiEval's wording.

Source: our own. The study describes what it asks for (the two exponents of an interval at a
stated level) and gives no text.
"""

INTERVAL = """\
{question}

The answer is a power of ten, rounded to a whole exponent. State a {level}% confidence interval \
for its exponent: two exponents of ten such that you are {level}% sure that the true exponent \
lies between them, ends included.

Reply with these two lines and nothing else:
Lower: <exponent>
Upper: <exponent>"""

INTERVAL_FIELDS = frozenset({"question", "level"})
