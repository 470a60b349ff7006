"""Readers of decisions: whether a model keeps its answer, and whether it bets on it."""

import re

from inspect_confidence.answers.clean import CUT, clean, is_cut, is_refusal, without_thoughts
from inspect_confidence.answers.reading import ambiguous, invalid
from inspect_confidence.answers.status import ParseFailure

# ruff: noqa: RUF001 # full-width colons, as they are written

_KEEP = {True: r"keep(?:ing|s)?|kept|保留|坚持", False: r"withdraw(?:ing|s|n)?|withdrew|撤回|放弃"}
_BET = {
    True: r"(?<!no[ _-])(?<!not )bet(?:ting|s)?|(?<!不)下注",
    False: r"no[ _-]?bet(?:s|ting)?|(?:not|never|cannot|(?:wo|do|would|ca)n't) bet(?:ting)?|不下注",
}
_NEGATED = re.compile(
    r"(?:\b(?:not|never|cannot|without|unable|unwilling|reluctant|against|foolish|unwise"
    r"|(?:rather|better) than|instead of|no (?:longer|reason|need|wish|desire|intention|point)"
    r"|(?:refus|declin|hesita|avoid)\w*)\b|n't\b)"
    r"(?:(?!\b(?:but|so|and)\b)[^.,;:!?\n])*$|不[^。，,;；]{0,4}$",
    re.IGNORECASE,
)
"""A denial in the clause before a word: "I don't want to"."""
_NO_DECISION = re.compile(
    r"(?<=keep) (?:\w+ing\b|in mind\b|track\b|calm\b|quiet\b)|(?<=keeps) (?:\w+ing\b|in mind\b)"
    r"|(?<=ing) (?:is|would|might|could|costs?|means?|seems?|loses?)\b",
    re.IGNORECASE,
)
"""Words after one of the words that make it no decision: "keep thinking", "betting is risky"."""
_OPPOSITE = re.compile(r" (?:\w+ ){0,2}against\b", re.IGNORECASE)
"""Words after "bet" by which the bet is on the opposite."""
_UNDECIDED = re.compile(r"\b(?:if|whether|unless|either|or)\b|\?|还是", re.IGNORECASE)
_LABEL = re.compile(r"[^:：=\n]{0,40}[:：=] ?")
_LABEL_END = re.compile(r"\W{0,2}[:：=]")
_YES_OR_NO = re.compile(
    r"\W{0,2}[:：=]\W{0,3}(?:(?P<yes>yes|true|是)|no|false|否)\W*$", re.IGNORECASE
)
_EDGES = " .,;!*_\"'()[]<>{}。！"
_TEMPLATE = {
    "keep": re.compile(r"keep (?:or|/) ?withdraw", re.IGNORECASE),
    "bet": re.compile(r"bet (?:or|/) ?no[ _-]?bet", re.IGNORECASE),
}


def read_keep(reply: str, *, truncated: bool = False) -> bool | ParseFailure:
    r"""Read whether a reply keeps an answer (KEEP, True) or withdraws it (WITHDRAW, False).

    A line that is one of the words, behind a label or not, counts before prose. In prose a word
    counts if no other one contradicts it and it is neither negated nor a condition. A failure is
    `no_response`, `refusal`, `truncated`, `echo`, `ambiguous` or `invalid_response_format`.

    Example:
        >>> read_keep("Decision: WITHDRAW\nBet: NO_BET"), read_keep("I will keep my answer.")
        (False, True)
        >>> read_keep("KEEP or WITHDRAW").status
        'echo'
    """
    return _read_decision(reply, _KEEP, "keep", truncated)


def read_bet(reply: str, *, truncated: bool = False) -> bool | ParseFailure:
    r"""Read whether a reply bets on an answer (BET, True) or does not (NO_BET, False).

    Rules and failures are those of `read_keep`.

    Example:
        >>> read_bet("Decision: KEEP\nBet: NO_BET"), read_bet("**BET**")
        (False, True)
        >>> read_bet("Decision: KEEP").status
        'invalid_response_format'
    """
    return _read_decision(reply, _BET, "bet", truncated)


def _read_decision(  # noqa: PLR0911 # each has a reason of its own
    reply: str, words: dict[bool, str], name: str, truncated: bool
) -> bool | ParseFailure:
    """Read a decision from a reply, perhaps truncated, or why there is none.

    `words` has the pattern of the words for True (to keep, or to bet) and for False. `name`, "keep"
    or "bet", tells which template of the prompt the reply may repeat.
    """
    text = clean(reply)
    if not text:
        return ParseFailure("no_response", "the reply is empty")
    if truncated and is_cut(without_thoughts(reply)):
        text += CUT  # the last word may go on
    lines = text.split("\n")
    decisions: set[bool] = set()  # of lines that state one
    for line in lines:
        decisions |= _decisions_of_line(line, words)
    if len(decisions) == 1:
        return decisions.pop()
    if decisions:
        return ambiguous("both words")
    if _TEMPLATE[name].search(text):
        return ParseFailure("echo", "the reply is the prompt's template")
    mentioned = _mentioned_decisions(lines, words)
    if len(mentioned) == 1 and None not in mentioned:  # None: a word that is negated or uncertain
        return bool(mentioned.pop())
    if truncated:
        return ParseFailure("truncated", "the reply is cut off before a decision was stated")
    if mentioned:
        return ambiguous("not certainly one of the words")
    if is_refusal(" ".join(text.split())):
        return ParseFailure("refusal", "the reply declines to decide")
    return invalid("none of the words asked for")


def _decisions_of_line(line: str, words: dict[bool, str]) -> set[bool]:
    """Return the decisions that a line states by one of the words alone.

    The word may have a label before it, or be one part of a line with commas. `words` has by
    decision the pattern of its words: `{True: "keep|kept", False: "withdraw"}`.
    """
    decisions: set[bool] = set()
    for part in re.split(r"[,;，；]| and | & ", line):
        label = _LABEL.match(part)  # "Decision: "
        for text in (part, part[label.end() :] if label else part):
            for decision, pattern in words.items():
                if re.fullmatch(rf"(?:{pattern})", text.strip(_EDGES), re.IGNORECASE):
                    decisions.add(decision)
    return decisions


def _mentioned_decisions(lines: list[str], words: dict[bool, str]) -> set[bool | None]:
    """Return the decisions that the words in the lines stand for.

    `words` has a pattern by decision. The set has None for a word that is negated, a bet on the
    opposite, or in a line with a condition, an alternative or a question. Left out are a word that
    the end of the reply may have cut off, a label without a value ("Keep:"), and a word in another
    sense ("keep thinking").
    """
    mentioned: set[bool | None] = set()
    for line in lines:
        reached = 0
        for match, decision in _words_in(line, words):
            if match.start() < reached:  # "bet" within "wouldn't bet"
                continue
            reached = match.end()
            before = line[max(0, match.start() - 60) : match.start()]
            after = line[match.end() :]
            if label := _YES_OR_NO.match(after):  # the word is a label: "Keep: yes"
                mentioned.add(decision if label["yes"] else not decision)
            # Neither "Keep:" nor "keep thinking".
            elif not (_LABEL_END.match(after) or _NO_DECISION.match(line, match.end())):
                is_uncertain = _UNDECIDED.search(line) or _NEGATED.search(before)
                mentioned.add(None if is_uncertain or _OPPOSITE.match(after) else decision)
    return mentioned


def _words_in(line: str, words: dict[bool, str]) -> list[tuple[re.Match[str], bool]]:
    """Return the words of a line with their decisions, in order; at one place the longer first."""
    matches = []
    for decision, pattern in words.items():
        # Not before `CUT`, the mark of a cut-off end, where the word may go on.
        word = re.compile(rf"(?<![a-z])(?:{pattern})(?![a-z{CUT}])", re.IGNORECASE)
        matches += [(match, decision) for match in word.finditer(line)]
    return sorted(matches, key=lambda pair: (pair[0].start(), -pair[0].end()))
