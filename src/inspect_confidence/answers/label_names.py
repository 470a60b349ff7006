"""Names of labels and of keys of JSON objects: one table, in English and Chinese."""

import re
from functools import lru_cache

# ruff: noqa: RUF001 # dashes and colons, as they are written

_AFTER_CONFIDENCE = (
    r"(?:[ _-](?:level|score|rating|estimate|value|percentage|probability|interval level)"
    r"| (?:in|of|for) (?:this|my|the|that) (?:final )?"
    r"(?:answer|choice|response|prediction|estimate)(?: being correct)?"
    r"| that (?:my|the|this|that|it|i)(?:'s|'m)?(?: (?!not\b)[a-z]+){0,3}? (?:correct|right))*"
)
_AFTER_REASON = (
    r"(?: (?:of|for|behind) (?:the |my )?(?:answer|confidence|probability|choice|estimate))?"
)
_AFTER_BOUND = (
    r"(?:[ _-](?:bound|limit|end|endpoint|value|exponent|estimate|point|power|interval|range|ci"
    r"|confidence(?=[ _-])|credible|of|for|the|on|my|[0-9]{1,2}(?:\.[0-9]+)?%)(?![\w-]))*"
)
NAMES: dict[str, str] = {
    "interval": r"(?:confidence |credible |prediction )?(?:interval|range)(?: for the exponent)?|ci"
    r"|lower(?: bound)?(?:,| and|/) ?upper(?: bounds?)?",
    "confidence": rf"(?:level of )?(?:confidence|certainty){_AFTER_CONFIDENCE}(?! intervals?)"
    r"|置信度|置信水平|信心(?:水平|程度|指数)?|把握",
    "answer": r"answers?(?:[ _](?:choice|option|letter)| to (?:the|this|your) question)?|ans"
    r"|(?:answer|solution) to (?:the|this) (?:math )?problem"
    r"|(?:(?<=correct )|(?<=best )|(?<=right ))(?:option|choice)"
    r"|(?<=single )(?:number|value|figure)|selected[ _](?:answer|option)"
    r"|最终答案|答案|选择",
    "choice": r"(?:choice|option|selection|selected|response|prediction|predicted[ _]age|estimate"
    r"|my pick|result|conclusion)",
    "probability": r"probability(?: (?:estimate|score|value))?|likelihood|chances?|概率|几率|机率"
    r"|(?<!1-)(?<!1 - )(?<!1- )p(?=(?: ?\((?!(?:not|no) |[¬~!])[^()'\n]{0,40}\))? ?[=≈])|可能性",
    "age": r"(?<!current )(?<!present )(?<!years of )(?:(?:predict|estimat|expect)ed )?"
    r"age(?: (?:at|of) death)?"
    r"|lifespan|预期寿命|死亡年龄",
    "lower": rf"(?:exponent[ _])?lower(?! than){_AFTER_BOUND}|下限|下界|minimal",
    "upper": rf"(?:exponent[ _])?upper{_AFTER_BOUND}|上限|上界|maximal",
    "low": rf"(?:low|min(?:imum)?|lowest){_AFTER_BOUND}",
    "high": rf"(?:high|max(?:imum)?|highest){_AFTER_BOUND}",
    "exponent": r"exponents?(?: (?:of (?:the power of )?(?:10|ten)|is))?|order of magnitude|指数",
    "reason": r"(?:reason(?:ing|s)?|explanations?|rationale|justification|analysis|thoughts?"
    rf"|notes?){_AFTER_REASON}|solution|steps?|解释|理由|推理|说明",
    "markers": r"(?:epistemic )?markers",
    "decisiveness": r"decisiveness(?: score)?",
    "agreement": r"agreements?|consistency",
    "verdict": r"verdict|judg(?:e)?ment",
}
"""Patterns of the labels by key. The first pattern that matches counts."""

_ADJECTIVE = (
    r"(?:(?:final|numeric(?:al)?|correct|best|right|overall|estimated|stated|my|single)[ _]"
    r"|我的){0,3}"
)
_NOTE = r"[\"']?(?P<note>[ ]?[(\[][^()\[\]\n]{0,80}[)\]])?[\"']?"
_MARK = r"(?P<mark>[ ]?(?::=|[:：=→]|->)+|[ ]?[≈~]|[ ]?\||[ ]?[–—]|[ ]-(?=[ ])|(?P<bare>(?=[ ]?$)))"
_VERB = (
    r"(?P<verb>[ ](?:is|are|would[ ]be|should[ ]be|must[ ]be|was)\b(?:[ ]that\b)?|"
    r"(?<=[一-龥])(?:是|为|约为|应为))?"
)
LABEL = re.compile(
    rf"(?<![A-Za-z0-9_-])(?<!wrong )(?<!incorrect )(?P<lead>{_ADJECTIVE})(?:"
    + "|".join(f"(?P<{key}>{names})" for key, names in NAMES.items())
    + rf")(?![a-z0-9-]){_NOTE}{_VERB}(?:{_MARK}|(?P<number>(?=[ ]?~?-?[0-9]))|)",
    re.IGNORECASE | re.MULTILINE,
)
"""A label: its name, a note in brackets, and a mark, a verb or a number after it."""


def key_of(label: re.Match[str]) -> str:
    """Return the key of `NAMES` that a label stands for."""
    return next(key for key in NAMES if label[key] is not None)


_LETTER_KEY = re.compile(
    r"(?:p ?\(|(?:probability|prob|confidence)(?: of)? )(?P<of>[A-Za-z])\)?"
    r"|(?:option |choice )?\(?(?P<letter>[A-Za-z])"
    r"(?:[).:]?(?:[).:] .*)?| (?:probability|prob|confidence))",
    re.IGNORECASE,
)


@lru_cache(1000)
def plain_key(key: str) -> str:
    """Return the standard name of a JSON object's key: "confidence" for "Confidence Score".

    It is the name of the label that the key stands for, the letter of a choice ("a" for "P(A)"), or
    else the key itself in lower case.
    """
    key = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key)  # "predictedAge"
    key = " ".join(key.replace("_", " ").split()).strip(" *:")
    if letter := _LETTER_KEY.fullmatch(key):  # `of`: "P(A)"; `letter`: "A) Rome"
        return (letter["of"] or letter["letter"]).lower()
    match = LABEL.fullmatch(f"{key}:")
    return key_of(match) if match else key.casefold()
