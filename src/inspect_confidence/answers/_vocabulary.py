"""The words that matter to a reader of replies; `_scan` says what their codes stand for."""

_WORDS = {
    "L": "lower",
    "U": "upper",
    "l": "low min minimum lowest",
    "u": "high max maximum highest",
    "E": "exponent exponents exp",
    "e": "answer estimate estimates guess result",
    "B": "bound bounds limit limits end endpoint power value interval range ci",
    "C": "confidence credible prediction",
    "N": "a an the of on for is are be was would at as my i i'd it it's its lies so say "
    "with ten base log10",
    "S": "hundred thousand million billion trillion quadrillion quintillion percent lakh crore "
    "thousands millions billions trillions hundreds dozen dozens pct",
    "!": "not cannot can't isn't doesn't don't won't never neither nor no outside without wasn't",
    "F": "final",
    "T": "between from",
    "&": "and",
    "t": "to through",
    "~": "about approximately approx around roughly circa",
}
_CODES = {word: code for code, words in _WORDS.items() for word in words.split()}


def word_code(word: str) -> str:
    """The code of a word in any case: `w` for one that isn't known."""
    lowered = word.lower()
    return "!" if lowered.endswith("n't") else _CODES.get(lowered, "w")
