"""Finds what a reply states, and under which label: lines, JSON, tags, tables, prose -> statements.

A label is a word of the field with a colon, a verb or a line to itself; a JSON key is a label in
quotation marks. What a label may be called is one table, in four languages.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from inspect_confidence.answers.clean import (
    BOX,
    BOX_END,
    CUT,
    clean,
    first_turn,
    single_blanks,
    without_thoughts,
)

# ruff: noqa: RUF001 # dashes, colons and quotation marks, as they are written

Strength = Literal["object", "final", "line", "inline", "prose"]

_OF_CONFIDENCE = (
    r"(?:[ _-](?:level|score|rating|estimate|value|percentage|probability|interval level)"
    r"|[ ](?:in|of|for)[ ](?:this|my|the|that)[ ](?:final[ ])?"
    r"(?:answer|choice|response|prediction|estimate)(?:[ ]being[ ]correct)?)*+"
)
_OF_BOUND = (
    r"(?:[ _-](?:bound|limit|end|endpoint|value|exponent|estimate|point|power|interval|range|ci"
    r"|confidence(?=[ _-])|credible|of|for|the|on|my|[0-9]{1,2}(?:\.[0-9]+)?%)(?![\w-]))*+"
)
NAMES: dict[str, str] = {
    "confidence": rf"(?:level[ ]of[ ])?(?:confidence|certainty){_OF_CONFIDENCE}(?![ ]intervals?)"
    r"|置信度|置信水平|信心(?:水平|程度|指数)?|把握|konfidenz(?:wert)?|zuversicht|sicherheit|confiance",
    "answer": r"answers?(?:[ _](?:choice|option|letter))?|(?<=correct )(?:option|choice)"
    r"|(?<=best )(?:option|choice)|(?<=right )(?:option|choice)|selected[ _](?:answer|option)|ans"
    r"|最终答案|答案|选择|(?:endgültige |finale )?antwort|réponse(?:[ ]finale)?|end?ergebnis"
    r"|ergebnis|résultat(?:[ ]final)?",
    "choice": r"(?:choice|option|selection|selected|response|prediction|predicted[ _]age|estimate"
    r"|my[ ]pick|result|conclusion)",
    "probability": r"probability(?:[ ](?:estimate|score|value))?|likelihood|chances?|概率|几率|机率"
    r"|可能性|wahrscheinlichkeit|probabilité|proba?\.",
    "age": r"(?<!current )(?<!present )(?:predicted |estimated |expected )?age(?: (?:at"
    r"|of) death)?|lifespan|预期寿命|死亡年龄",
    "lower": rf"(?:exponent[ _])?lower(?![ ]than){_OF_BOUND}|下限|下界|unter(?:e[rs]?|grenze)"
    rf"{_OF_BOUND}(?:[ ](?:grenze|schranke))?|borne[ ]inférieure|inférieure?|minimal",
    "upper": rf"(?:exponent[ _])?upper{_OF_BOUND}|上限|上界|ober(?:e[rs]?|grenze){_OF_BOUND}"
    r"(?:[ ](?:grenze|schranke))?|borne[ ]supérieure|supérieure?|maximal",
    "low": rf"(?:low|min(?:imum)?|lowest){_OF_BOUND}",
    "high": rf"(?:high|max(?:imum)?|highest){_OF_BOUND}",
    "interval": r"(?:confidence[ ]|credible[ ]|prediction[ ])?(?:interval|range)|ci",
    "exponent": r"exponents?(?:[ ](?:of[ ](?:10|ten)|is))?|exposant|hochzahl|指数",
    "reason": r"reason(?:ing|s)?|explanations?|rationale|justification|analysis|thoughts?|notes?"
    r"|solution|steps?|解释|理由|推理|说明|begründung|erklärung|explication|raisonnement",
    "markers": r"(?:epistemic[ ])?markers",
    "decisiveness": r"decisiveness(?:[ ]score)?",
    "agreement": r"agreements?|consistency",
    "verdict": r"verdict|judg(?:e)?ment",
}
"""What a label may be called. The first name that fits counts."""

_ADJECTIVE = (
    r"(?:(?:final|numerical|numeric|correct|best|right|overall|estimated|stated|my|single)[ _])"
    r"{0,3}+"
)
_NOTE = r"[\"']?(?P<note>[ ]?[(\[][^()\[\]\n]{0,80}[)\]])?[\"']?"
_MARK = r"(?P<mark>[ ]?(?::=|[:：=→]|->)+|[ ]?[≈~]|[ ]?\||[ ]?[–—]|[ ]-(?=[ ])|(?P<bare>(?=[ ]?$)))"
_VERB = (
    r"(?P<verb>[ ](?:is|are|would[ ]be|should[ ]be|must[ ]be|was|ist|lautet|beträgt|liegt[ ]bei"
    r"|est(?:[ ]de)?)\b(?:[ ]that\b)?"
    r"|(?<=[一-龥])(?:是|为|约为|应为))?+"
)
_LABEL = re.compile(
    r"(?<![A-Za-z0-9_-])(?<!wrong )(?<!incorrect )(?P<lead>"
    + _ADJECTIVE
    + r")(?:"
    + "|".join(f"(?P<{key}>{names})" for key, names in NAMES.items())
    + rf")(?![a-z0-9-])(?<!\.){_NOTE}{_VERB}(?:{_MARK}|(?P<next>(?=[ ]?~?-?[0-9])|))",
    re.IGNORECASE | re.MULTILINE,
)
_LINE_START = re.compile(
    r"[^\w\n]*(?:(?:so|thus|therefore|hence|and|here is|here's|my|the|your|with|step \d+"
    r"|\d+)[,.):]*[ ]+)"
    r"{0,3}",
    re.IGNORECASE,
)
_OPENING = 60
"""Characters before a label at most where it still begins its line."""
_EMPTY = re.compile(r"[\s|:=\"'*.,]*")
_BOXED = re.compile(f"{BOX}(?P<inside>[^{BOX}{BOX_END}]*){BOX_END}")
_SINGLE = re.compile(r"[ ]?[(\[][ ]?-?\w{1,20}%?[ ]?[)\]]")


@dataclass(frozen=True)
class Statement:
    """What stands after a label.

    Attributes:
        key: Which label, a key of `NAMES` or the lower-case key of an object.
        strength: "object" for JSON; "final" for what is called so; "line" at a line's start;
            "inline" within one; "prose" with a verb for its colon.
        value: What is stated, on one line.
        start: Where the label begins.
        end: Where the value ends.
        heading: Whether the label is alone on its line, and the value is the next line.
        note: What stood in brackets at the label.
        is_open: Whether the reply ends within the value, as far as can be told.
        raw: The value as it was written, lists as JSON.
    """

    key: str
    strength: Strength
    value: str
    start: int
    end: int
    heading: bool = False
    note: str = ""
    is_open: bool = False
    raw: str = ""


@dataclass(frozen=True)
class Stated:
    """A cleaned reply and what is stated in it.

    Attributes:
        text: Its lines; objects are out of it.
        statements: In their order.
        objects: How many objects there were.
        is_open: Whether the last of them isn't closed.
    """

    text: str
    statements: list[Statement]
    objects: int = 0
    is_open: bool = False

    def under(self, *keys: str) -> list[Statement]:
        """The statements under any of these labels."""
        return [one for one in self.statements if one.key in keys]


def stated_in(reply: str, literal: tuple[str, ...] = (), *, cut: bool = False) -> Stated:
    """What a reply states; texts that are to be taken literally have no labels in them.

    A reply that is cut off where a number or a word may go on ends in `CUT`.
    """
    # Objects first, since cleaning takes marks out of their strings.
    pieces: list[str] = []
    found: list[tuple[int, list[tuple[str, str, bool]]]] = []
    whole = without_thoughts(reply)
    reply, reached = first_turn(whole), 0
    cut = cut and reply == whole
    for start, end, members in _objects(reply):
        pieces.append(reply[reached:start])
        found.append((len(pieces), members))
        reached = end
    pieces.append(reply[reached:])
    text, statements = "", []
    for index, piece in enumerate(pieces):
        if index:
            at = len(text)
            for _, members in (one for one in found if one[0] == index):
                for key, value, is_open in members:
                    inside = labelled(clean(f"\n{value}")) if key == "answer" else []
                    kept = [one for one in inside if one.strength != "prose"]
                    shown = clean(f": {value}").removeprefix(":").strip()
                    statements.append(
                        Statement(key, "object", shown, at, at, is_open=is_open, raw=value)
                    )
                    statements += [
                        Statement(one.key, "object", one.value, at, at, note=one.note)
                        for one in kept
                    ]
        cleaned = clean(piece) if piece.strip() else ""
        cleaned += CUT if cut and cleaned and index == len(pieces) - 1 else ""
        for phrase in literal:
            cleaned = cleaned.replace(phrase, phrase.replace(":", " ").replace("=", " "))
        text = f"{text}\n{cleaned}" if text and cleaned else text or cleaned
        shift = len(text) - len(cleaned)
        statements += [_moved(one, shift) for one in labelled(cleaned)]
    whole = reply[reply.find("{") :] if found else ""
    is_open = whole.count("{") + whole.count("[") > whole.count("}") + whole.count("]")
    return Stated(text, statements, len(found), is_open)


def _moved(one: Statement, by: int) -> Statement:
    return Statement(
        one.key, one.strength, one.value, one.start + by, one.end + by, one.heading, one.note
    )


def labelled(text: str) -> list[Statement]:
    """The statements of a clean text; one in prose may overlap with an explicit one's value."""
    labels = [(at, strength) for at in _LABEL.finditer(text) if (strength := _strength(text, at))]
    found: list[Statement] = []
    explicit = following = len(text)
    for label, strength in reversed(labels):
        # "Answer: The answer is B" has a value that prose doesn't end.
        stop = following if strength == "prose" else explicit
        found.append(_statement(text, strength, label, stop))
        following = label.start()
        explicit = explicit if strength == "prose" else following
    found += [*_loose_boxes(text, found), *_by_letter(text)]
    return sorted(found, key=lambda statement: statement.start)


_LETTER_LINE = re.compile(
    r"^[^\w\n]*(?:option |choice )?\(?(?P<letter>[A-Z])\)?(?:[.)][^\n:|]{0,80})?"
    r"[^\w\n.]*[:=|–—-]+ ?(?P<value>[^\w\n]{0,4}\.?[0-9][^\n]*)",
    re.MULTILINE,
)


_LETTERS = re.compile(
    r"(?<![\w.])(?P<letter>[A-Z])\)? ?[:=] ?(?P<value>\.?[0-9][0-9.]*(?: ?%)?)(?=[,;.\s]|$)"
)


def _by_letter(text: str) -> list[Statement]:
    """Lines that give a number to letters, from A on: `A: 0.7`, `| B | 30% |`."""
    lines = list(_LETTER_LINE.finditer(text)) or list(_LETTERS.finditer(text))
    letters = "".join(line["letter"] for line in lines)
    if len(lines) < 2 or letters != "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: len(letters)]:  # a list
        return []
    return [
        Statement(one["letter"].lower(), "line", one["value"].strip(" |"), one.start(), one.end())
        for one in lines
    ]


def _key(label: re.Match[str]) -> str:
    return next(key for key in NAMES if label[key] is not None)


def _strength(text: str, label: re.Match[str]) -> Strength | None:  # noqa: PLR0911 # a ladder
    key, mark = _key(label), (label["mark"] or "").strip()
    begin = text.rfind("\n", max(0, label.start() - _OPENING), label.start()) + 1
    starts = label.start() - begin <= _OPENING and bool(
        _LINE_START.fullmatch(text, begin, label.start())
    )
    colon = bool(mark) and mark[0] in ":：=→-≈~" and mark != "-"
    is_bound = key in ("lower", "upper", "low", "high", "exponent", "interval")
    is_mine = "my" in label["lead"].lower() or bool(
        text[max(0, label.start() - 3) : label.start()].lower() == "my "
    )
    if label["verb"] and not colon:
        if key == "confidence":
            # "The confidence level is 95%" is statistics.
            first = not re.search(r"\w", text[begin : label.start()]) if starts else False
            return "line" if first or is_mine else None
        return "prose" if key != "reason" else None
    if is_bound and (
        mark
        or (
            label["next"] is not None
            and re.match(r" ?~?-?[0-9]", text[label.end() : label.end() + 3])
        )
    ):
        return "line" if starts else "inline"
    if is_bound and re.match(" of ", text[label.end() : label.end() + 4]):
        return "prose"
    number_next = key == "confidence" and re.match(r" [0-9]", text[label.end() : label.end() + 2])
    # Without a colon, and within a line, the word is no label.
    if not (colon or (starts and (mark or label["bare"] is not None or number_next))):
        return None
    if key == "reason":
        return "line" if starts else None
    if key == "choice" and not starts:
        return None
    if "final" in label["lead"].lower() or label[key].startswith("最终"):
        return "final"
    return "line" if starts or is_mine or key == "answer" else "inline"


def _statement(text: str, strength: Strength, label: re.Match[str], stop: int) -> Statement:
    note, key = label["note"] or "", _key(label)
    end = text.find("\n", label.end(), stop)
    end = stop if end < 0 else end
    value, heading = text[label.end() : end], False
    if _EMPTY.fullmatch(value):
        if label["bare"] is not None and _SINGLE.fullmatch(note):
            return Statement(key, strength, note.strip(" ()[]"), label.start(), end)
        heading = True
        if end < stop:
            begin = end + 1
            end = text.find("\n", begin, stop)
            # A label on the next line has a value of its own.
            end = stop if end < 0 else end
            value = text[begin:end]
            if end == stop < len(text) and _LINE_START.fullmatch(value):
                value = ""
    box = _BOXED.search(value)
    value = box["inside"] if box else value.replace(BOX, " ").replace(BOX_END, " ")
    return Statement(key, strength, value.strip(), label.start(), end, heading, note)


def _loose_boxes(text: str, labelled: list[Statement]) -> list[Statement]:
    """Boxes that aren't the value of a label, each an answer of its own."""
    taken: set[int] = set()
    for statement in labelled:
        if statement.strength != "prose" and statement.key != "reason":
            first = _BOXED.search(text, statement.start, statement.end)
            taken |= {first.start()} if first else set()
    return [
        Statement("answer", "line", box["inside"].strip(), box.start(), box.end())
        for box in _BOXED.finditer(text)
        if box.start() not in taken and box["inside"].strip()
    ]


_QUOTES = "\"'“”„‘’"
_NEXT = (
    r"(?=\s*(?:(?:,\s*)?(?:[\"'“”‘’][^\"'“”\n]{1,60}[\"'“”‘’]"
    r"|(?<=[,{\n])\s*[^\W\d][\w ]{0,40})\s*[:：]"
    r"|,?\s*[}\]]|,?\s*(?:```|$)|,?\s*//|,?\s*#|,?\s*/\*))"
)
_MEMBER = re.compile(
    r"(?:[\"'“”‘’](?P<key>[^\"'“”\n]{1,60})[\"'“”‘’]|(?<=[{,\n])\s*(?P<bare>[^\W\d][\w -]{0,40}))"
    r"\s*[:：]\s*(?:"
    rf"(?:\"(?P<double>(?:[^\"\\]|\\.)*+)\"|'(?P<single>(?:[^'\\]|\\.)*+)'"
    rf"|[“”„](?P<smart>[^“”\"]*+)[“”\"])"
    rf"{_NEXT}|(?P<list>\[[^\[\]{{}}]*\])"
    rf"|(?P<plain>[^\s{_QUOTES}{{}}\[\],][^\n{{}}\[\]]{{0,400}}?)(?:{_NEXT}|(?=[ ]*\n))"
    rf"|[{_QUOTES}](?P<broken>[^\n]{{0,2000}}?)[{_QUOTES}]{_NEXT}|(?P<cut>[^{{}}\[\]]{{0,2000}})\Z"
    rf"|(?P<none>))",
    re.DOTALL,
)
_COMMENT = re.compile(r"/\*.*?\*/|(?<![:\w\"'])//[^\n]*|(?<=[\d\"'])[ ]+#[^\n]*", re.DOTALL)
_OBJECT = re.compile(
    r"(?<![A-Za-z^_\\}])\{\s*(?=[\"'“”‘’{\[}]|[^\W\d][\w -]{0,40}\s*[:：]|//|/\*|#)"
)
_ENOUGH = 100_000
"""Characters of the longest object that is looked at."""


def _objects(reply: str) -> Iterator[tuple[int, int, list[tuple[str, str, bool]]]]:
    """Where objects stand, and their members: key, value, and whether the value may go on."""
    begin = _OBJECT.search(reply)
    at = begin.start() if begin else -1
    decoder = json.JSONDecoder(
        strict=False, parse_int=str, parse_float=str, object_pairs_hook=_Members
    )
    tries = 0
    while at >= 0 and tries < 50:
        tries += 1
        members: list[tuple[str, str, bool]] = []
        try:
            parsed, end = decoder.raw_decode(reply[at : at + _ENOUGH])
            members = [(key, value, False) for key, value in _walked(parsed)]
            end += at
        except (ValueError, RecursionError):
            end, members = _loose(reply, at)
        if members and any(is_known(key) for key, _, _ in members):
            yield at, end, members
            begin = _OBJECT.search(reply, end)
        else:
            begin = _OBJECT.search(reply, at + 1)
        at = begin.start() if begin else -1


class _Members(list[tuple[str, Any]]):
    """The members of an object, a key's every value."""


def _walked(parsed: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """The scalars of an object by key; a list of scalars as one text."""
    if isinstance(parsed, _Members):
        for name, value in parsed:
            yield from _walked(value, plain_key(str(name)))
        only = [value for _, value in parsed if not isinstance(value, _Members)]
        if key and len(parsed) == len(only) == 1:
            yield from _walked(only[0], key)
        elif key in _LISTS and only:
            yield key, json.dumps(only, ensure_ascii=False)
    elif isinstance(parsed, list):
        if any(isinstance(one, _Members) for one in parsed):
            for value in parsed:
                yield from _walked(value, "")
            if key in _LISTS:
                firsts = [one[0][1] if isinstance(one, _Members) and one else one for one in parsed]
                yield key, json.dumps(firsts, ensure_ascii=False)
        elif key:
            if key in _LISTS:
                yield key, json.dumps(parsed, ensure_ascii=False)
            else:
                yield key, _shown(parsed[0] if len(parsed) == 1 else parsed)
    elif key:
        yield key, _shown(parsed)


_LISTS = ("markers", "agreement")
"""Keys whose values are lists."""


def _shown(value: object) -> str:
    if isinstance(value, list):
        is_text = any(isinstance(one, str) and re.search(r"[^\W\d_]", one) for one in value)
        return (
            json.dumps(value, ensure_ascii=False)
            if is_text
            else f"[{', '.join(map(_shown, value))}]"
        )
    return "" if value is None else str(value)


def _loose(reply: str, start: int) -> tuple[int, list[tuple[str, str, bool]]]:
    """The members of an object that isn't strict JSON, up to what closes it or the text's end."""
    close = reply.rfind("}", start, start + _ENOUGH)
    end = close + 1 if close > start else min(len(reply), start + _ENOUGH)
    text = _COMMENT.sub(" ", single_blanks(reply[start:end]))
    members = []
    for found in _MEMBER.finditer(text):
        group = next(
            name
            for name in ("double", "single", "smart", "list", "plain", "broken", "cut", "none")
            if found[name] is not None
        )
        value = found[group].strip()
        if group in ("double", "single", "broken"):
            value = re.sub(r"\\([\"'\\/])", r"\1", value.replace("\\n", "\n"))
        is_open = group == "cut" or (close < start and found.end() >= len(text.rstrip()))
        members.append((plain_key(found["key"] or found["bare"]), value.lstrip(_QUOTES), is_open))
    return end, members


def plain_key(key: str) -> str:
    """The name under which an object's key is known: that of its label, a letter, or itself."""
    key = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key)
    key = " ".join(key.replace("_", " ").split()).strip(" *:")
    if letter := re.fullmatch(r"(?:option |choice )?\(?([A-Za-z])[).:]?(?:[).:] .*)?", key):
        return letter[1].lower()
    found = _LABEL.fullmatch(f"{key}:")
    return _key(found) if found else key.casefold()


def is_known(key: str) -> bool:
    """Whether a key is one that is asked for."""
    return key in NAMES or len(key) == 1
