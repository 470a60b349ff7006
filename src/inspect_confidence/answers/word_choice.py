"""Text -> the one of the shown phrases that completes a sentence, or a typed failure.

The choices are shown as lines, "A.is likely to be". Some models repeat them, in an order of their
own, which is no answer.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from inspect_confidence.answers.clean import clean, folded, is_refusal
from inspect_confidence.answers.labels import stated_in
from inspect_confidence.answers.reading import ambiguous, invalid
from inspect_confidence.answers.status import Unreadable

I_CHOOSE = re.compile(r"\bi(?:'d|'ll| would| will| now| thus| therefore)? choose\b", re.I)
CUE = re.compile(
    rf"(?:{I_CHOOSE.pattern}|\b(?:correct|right|best|most \w{{1,20}}) (?:completion|choice|option)"
    r"(?: of the sentence)?(?: is| would be| should be)\b|\banswer(?: is\b| would be\b|(?= ?:)))",
    re.I,
)
DISAGREE = "letter and text disagree"
_REASON = r"(?:[0-9]|(?i:because|since|as|for|given|based|this|the|there|in|of|so|from|with)\b)"
_EXPLAINED = rf"[\])\"'.:;,* ]*+(?:\Z|[\n(–—-]|{_REASON})"  # noqa: RUF001 # dashes
_OR = r"[\])\"',. ]*+(?:(?:or|and)\b|[/&])\W{0,2}"
_LEAD = r"\W{0,8}(?i:(?:the )?(?:option|choice|letter|answer)(?: is)?\b\W{0,4})?"
_DENIED = re.compile(
    r"(?:\b(?:not|never|neither|nor|cannot|rather than|instead of)\b|n't)[^.,;:!?\n]*$", re.I
)
_NOT = re.compile(r"\s*not\b", re.I)
_EDGES = " \n\"'.,:;!?*()[]"


@dataclass(frozen=True)
class Named:
    """A choice as it is named.

    Attributes:
        letter: The index of its letter, if it has one.
        text: The index of its text, if it has one; -1 for a text that is no choice's.
        is_denied: Whether the text around it denies it.
        end: Where it ends.
    """

    letter: int | None
    text: int | None
    is_denied: bool
    end: int

    @property
    def is_listed(self) -> bool:
        """Whether a choice's text has a letter, right or wrong."""
        return self.letter is not None and self.text not in (None, -1)

    @property
    def disagrees(self) -> bool:
        """Whether letter and text are of different choices."""
        return self.is_listed and self.letter != self.text


def letters(choices: Sequence[str]) -> str:
    """A pattern for one of the choices' letters; there are none beyond Z."""
    return f"[A-{ascii_uppercase[: len(choices)][-1]}]" if choices else "(?!)"


class Names:
    """The choices of a question, ready to be recognised."""

    def __init__(self, choices: Sequence[str]) -> None:
        self._size = len(choices)
        full = [_spelled(choice) for choice in choices]
        forms = _forms([(text,) for text in full])
        self._forms = _forms([_shorter(text) for text in full]) | forms
        one, phrase, short = letters(choices), _any_of(forms), _any_of(self._forms)
        self._item = re.compile(
            rf"(?<![\w'])(?P<letter>{one}|(?i:{one})(?=[.):]))(?![\w'])[\W_]{{0,6}}"
            rf"(?P<of>(?i:{short}))(?![\w'-])"
            rf"|(?<![\w'])(?P<lone>{one})[.):\]](?P<else>(?!{_EXPLAINED}))?"
            rf"|(?i:\b(?:option|choice)) [(\"']?(?P<option>{one})(?![\w'])"
            rf"|(?<![\w'-])(?P<text>(?i:{phrase}))(?![\w'-])(?: ?\((?P<last>{one})\))?"
        )
        self._bare = re.compile(
            rf"{_LEAD}(?P<bare>{one}|(?i:{one})(?=\W*\Z))(?![\w'-])"
            rf"(?:{_OR}(?P<second>{one})(?![\w'])|(?={_EXPLAINED}))"
        )

    def named(self, text: str) -> list[Named]:
        """The choices that are named, in their order."""
        found = []
        for start in (0, *(cue.end() for cue in CUE.finditer(text))):
            if bare := self._bare.match(text, start):
                for group in filter(bare.group, ("bare", "second")):
                    denied, end = _is_denied(text, bare), bare.end(group)
                    letter = ascii_uppercase.index(bare[group].upper())
                    found.append(Named(letter, None, denied, end))
        bare_ends = {one.end for one in found}
        for item in self._item.finditer(text):
            if item.end("lone") not in bare_ends and item.end("option") not in bare_ends:
                found.append(self._item_named(text, item))
        return sorted(found, key=lambda one: one.end)

    def _item_named(self, text: str, item: re.Match[str]) -> Named:
        letter = item["letter"] or item["lone"] or item["option"] or item["last"]
        phrase = item["of"] or item["text"] or item["else"]
        index = None if phrase is None else self._forms.get(_spelled(phrase), -1)
        at = ascii_uppercase.index(letter.upper()) if letter else None
        return Named(at, index, _is_denied(text, item), item.end())

    def only(self, text: str, named: list[Named]) -> int | Unreadable:
        """The only choice that is named, or why there is none."""
        if any(one.is_denied for one in named):
            return ambiguous("a choice is denied")
        if any(one.disagrees for one in named):
            return ambiguous(DISAGREE)
        indices = {one.letter if one.text is None else one.text for one in named}
        if len(indices - {-1}) > 1 or len({one.letter for one in named} - {None}) > 1:
            return ambiguous("different choices")
        if -1 in indices:
            return invalid("a letter with another text")
        alone = map(_spelled, (text, CUE.split(text)[-1]))
        indices = indices or {self._forms[form] for form in alone if form in self._forms}
        only = indices.pop() if len(indices) == 1 else None
        return invalid("no choice's letter or text") if only is None else only


def _is_denied(text: str, match: re.Match[str]) -> bool:
    before = _DENIED.search(text[max(0, match.start() - 60) : match.start()])
    return bool(before or _NOT.match(text, match.end()))


def _spelled(text: str) -> str:
    return " ".join(folded(text).casefold().split()).strip(_EDGES)


def _shorter(text: str) -> set[str]:
    """A phrase without its verb: "is likely to be" is "likely"."""
    ends = {text, text.removesuffix(" to be"), text.removesuffix(" be")}
    return {end.removeprefix(verb) for end in ends for verb in ("", "is ", "are ", "will be ")}


def _forms(spellings: Sequence[Iterable[str]]) -> dict[str, int]:
    """The choice of each spelling that only one has."""
    owners: dict[str, set[int]] = {}
    for index, texts in enumerate(spellings):
        for text in texts:
            owners.setdefault(text, set()).add(index)
    return {text: min(owner) for text, owner in owners.items() if text and len(owner) == 1}


def _any_of(forms: Iterable[str]) -> str:
    """A pattern for any of the spellings, the longest first."""
    ordered = sorted(forms, key=len, reverse=True)
    return "|".join(re.escape(form).replace(r"\ ", r"\s+") for form in ordered) or "(?!)"


_ALTERNATIVE = re.compile(r"\b(?:or|and|but|not)\b", re.I)
_MARKS = re.compile("[\x02\x03]")
_UNFINISHED = re.compile(r"\s?\S*")
_ALONE = re.compile(r"\W*(?:(?:option|choice) )?\(?[A-Z][.):]")
_SENTENCE = re.compile(r"(?<=[a-z0-9][.!?]) (?=[A-Z][a-z])")


@dataclass(frozen=True)
class WordChoice:
    """A choice as it was made.

    Attributes:
        index: Which one, from 0; the letter A is 0.
    """

    index: int


def read_word_choice(
    reply: str,
    choices: Sequence[str],
    *,
    chain_of_thought: bool = False,
    truncated: bool = False,
) -> WordChoice | Unreadable:
    """Read which of the shown phrases a reply chooses, by its letter, its text or both.

    Args:
        reply: The reply's text.
        choices: The phrases in the order of their letters, without letters.
        chain_of_thought: Whether the last "I choose" decides and what precedes it is reasoning.
        truncated: Whether the model was cut off; a choice where the text ends may then be the
            beginning of another or of a list, and is not read.

    Returns:
        The choice, or why there is none: `no_response`, `refusal`, `truncated`, `echo` (the list
        repeated, and none chosen), `ambiguous` or `invalid_response_format`.

    Example:
        >>> phrases = ["is likely to be", "is maybe", "is unlikely to be"]
        >>> read_word_choice("C.is unlikely to be", phrases)
        WordChoice(index=2)
        >>> read_word_choice("A.is unlikely to be", phrases).reason
        'letter and text disagree'
    """
    if not reply.strip():
        return Unreadable("no_response", "the reply is empty")
    stated = stated_in(reply)
    objects = [one.value for one in stated.under("answer", "choice") if one.strength == "object"]
    text = _MARKS.sub(" ", stated.text).strip() or " ".join(objects)
    known, size = Names(choices), len(choices)
    if not text:
        reason = "the reply is empty but for markup and reasoning"
        return Unreadable("truncated" if truncated else "no_response", reason)
    found: int | Unreadable = invalid("no final choice")
    regions = _regions(
        text, [*objects, *(one.value for one in stated.under("answer"))], chain_of_thought
    )
    for region in regions:
        named = known.named(region)
        found = _chosen(region, named, known, size)
        if isinstance(found, int) or found.status != "invalid_response_format":
            break
    if truncated and (isinstance(found, Unreadable) or _is_open(text, region, named, reply)):
        return Unreadable("truncated", "the reply is cut off before a choice was made")
    if isinstance(found, int):
        only_text = named and all(one.letter is None for one in named)
        if not (only_text and is_refusal(text) and not CUE.search(text)):
            return WordChoice(found)
    elif found.status != "invalid_response_format" or not is_refusal(text):
        return found
    return Unreadable("refusal", "the reply declines to answer")


def _regions(text: str, stated: Sequence[str], chain_of_thought: bool) -> list[str]:
    """Where the choice is looked for, the surest place first.

    Reasoning names choices that it doesn't make: behind it the last "I choose" decides, else a
    labelled answer, else the last line.
    """
    chosen = list(I_CHOOSE.finditer(text))
    lines = text.split("\n")
    if not chain_of_thought:
        alone = [line for line in lines if _ALONE.match(line)]
        first = (
            alone
            if len(alone) == 1 and len(lines) > 1 and alone[0] in (lines[0], lines[-1])
            else []
        )
        return [*stated[-1:], *first, text]
    if chosen:
        return [text[chosen[-1].end() :]]
    return [*stated[-1:], lines[-1], _SENTENCE.split(lines[-1])[-1]]


def _chosen(text: str, named: list[Named], known: Names, size: int) -> int | Unreadable:
    listed = {one.text for one in named if one.is_listed}
    if len(listed) < 2:
        return known.only(text, named)
    if len(listed) == 2 < size and _ALTERNATIVE.search(text):
        return ambiguous("different choices")
    after = CUE.split(text)[-1] if CUE.search(text) else ""
    named_after = known.named(after)
    if len({one.text for one in named_after if one.is_listed}) < 2:
        found = known.only(after, named_after)
        # A list in another order has other letters.
        is_letter = named_after and all(one.text is None for one in named_after)
        if isinstance(found, int) and is_letter and any(one.disagrees for one in named):
            return ambiguous(DISAGREE)
        if isinstance(found, int) or (found.status == "ambiguous" and found.reason != DISAGREE):
            return found
        if found.status == "ambiguous":
            return Unreadable("echo", f"{len(listed)} of {size} choices repeated; {found.reason}")
    return Unreadable("echo", f"{len(listed)} of {size} choices repeated")


def _is_open(text: str, region: str, named: list[Named], reply: str) -> bool:
    """Whether the text may go on with more of a choice, or with a list of them."""
    if not text.endswith(region) or not named or reply.endswith("\n"):
        return not named
    if not _UNFINISHED.fullmatch(region, named[-1].end):
        return False
    return named[-1].text is None or region[-1:] not in set(".!?")


def first_letter(
    reply: str, choices: Sequence[str], *, chain_of_thought: bool = False
) -> int | None:
    """The first letter that a reply names: the rule that reproduces the study's own figures.

    A repeated list counts as its first letter, and the article "A" at the start as a choice.

    Args:
        reply: The reply's text.
        choices: The phrases in the order of their letters.
        chain_of_thought: Whether to look only behind the last "I choose".

    Returns:
        The letter's index, from 0; None if there is no such letter, or no "I choose".

    Example:
        >>> first_letter("A.is unlikely to be B.is maybe", ["is likely to be", "is maybe"])
        0
    """
    text = _MARKS.sub(" ", clean(reply))
    chosen = list(I_CHOOSE.finditer(text))
    if chain_of_thought and not chosen:
        return None
    region = text[chosen[-1].end() :] if chain_of_thought else text
    one = letters(choices)
    found = re.search(rf"\A\W*+{one}(?![\w'])|(?<![\w'.]){one}(?=[.):\]]|\W*+\Z)", region)
    return ascii_uppercase.index(found[0][-1]) if found else None
