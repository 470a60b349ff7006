"""A sentence -> its epistemic markers, and how probable it says its claim is. Needs no model.

An epistemic marker is a word or phrase by which the speaker says how sure or unsure they are of
what the sentence claims. These are none, by decision: hearsay ("reportedly", "is said to"), which
tells where a claim is from; words of amount ("about 5", "roughly") and of habit ("usually"); what
others think or say, where it is reported ("Romans believed", "he said that it might") or quoted.
An impersonal "is believed to" without a time past is the speaker's own.

Limits: permission and ability are told from possibility by the words around them alone ("may be
used" against "may be Paris"); titles at a sentence's beginning ("Maybe Baby") can't be told from
markers; irony isn't seen; Chinese is a short list.
"""

import csv
import functools
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from io import StringIO

_OWN_DEGREE = (
    r"not at all|not all that|not (?:so|too)|very|quite|fairly|highly|rather|somewhat|pretty"
    r"|extremely|reasonably|relatively|really|almost|nearly|virtually|practically|all but"
    r"|absolutely|completely|totally|entirely|fully|perfectly|moderately|increasingly|most"
    r"|far from|by no means|incredibly|exceedingly|overwhelmingly|utterly|hardly|scarcely|not"
    r"|[0-9.]+%|terribly|overly|particularly|mostly|wholly|largely"
)
_WORD_DEGREE = (
    rf"(?:{_OWN_DEGREE}|so|too|only|still|also|more than|at all|just|now|always|exactly|yet"
    r"|all that|that|about|at least|over)"
)
"""After a verb; before a noun, some of them are no degrees: "so certain plants"."""
SURE = r"(?:sure|certain|confident|positive|convinced)"
IT = r"(?:(?:it|that|this|which|there) )"
BE = r"(?:is|was|be|are|were|been|remains|seems|appears|looks|would be|may be|might be)"
DID = (
    r"(?:would|do|did|only|must|should|might|may|will|have to|tend to|seem to|am|really|personally"
    r"|also|still|just|honestly|strongly|firmly|truly|always|vaguely|highly|seriously|very much"
    r"|rather|certainly|myself|now|currently|generally|sort of|kind of|fully|not|hardly|sincerely"
    r"|somewhat|actually|therefore|tentatively|can only|could only)"
)
THINK = (
    r"(?:think|believe|suspect|guess|assume|suppose|doubt|imagine|reckon|presume|gather|infer"
    r"|wager|bet|speculate|surmise|deduce|figure|wonder|recall|remember|guessing|assuming|thinking"
    r"|speculating|presuming|betting|venture|daresay|dare say|hazard a guess|lean(?:ing)? towards?"
    r"|lean(?:ing)? to|fancy|guarantee|estimate)"
)
DONE = (
    r"(?:used|called|seen|found|made|done|taken|said|written|eaten|solved|put|read|heard|bought"
    r"|sold|given|shown|thought|held|sent|kept|grown|able"
    r"|[a-z]+(?:at|is|iz|ifi|er|ain|ect|ur|ac|uc|iv|t|n|r|s|l|k|p|i|b|d|v|c|h|g)ed)"
)
"""What makes "may be" a permission or an ability: "may be used"."""
GOOD = (
    r"(?:good|slim|slight|small|fair|high|low|decent|strong|reasonable|real|remote|great|excellent"
    r"|outside|poor|faint|tiny|big|solid|distinct|moderate|minimal|even|limited|better than even"
    r"|[0-9.]+%)"
)
CHANCE = r"(?:chance|chances|probability|possibility|likelihood|odds)"
ADVERB = (
    r"(?:probably|possibly|perhaps|maybe|presumably|apparently|evidently|seemingly|ostensibly"
    r"|plausibly|conceivably|arguably|tentatively|certainly|definitely|surely|undoubtedly"
    r"|unquestionably|undeniably|indisputably|indubitably|incontrovertibly|unmistakably"
    r"|doubtless|doubtlessly|potentially|confidently)"
)
STRESS = r"(?:very|quite|most|almost|nearly|virtually|practically|just|pretty|all but)"


def words(text: str) -> frozenset[str]:
    """The words of a list that is written with blanks between."""
    return frozenset(text.split())


def degrees(most: int = 3, *, least: int = 0) -> str:
    """A pattern for words of degree, each with a blank after it."""
    return rf"(?:{_WORD_DEGREE} ){{{least},{most}}}"


def own_degrees(most: int = 3, *, least: int = 0) -> str:
    """The same of words that are degrees wherever they stand."""
    return rf"(?:(?:{_OWN_DEGREE}) ){{{least},{most}}}"


def not_after(words: str) -> str:
    """A pattern for a place that none of some words is before."""
    return "".join(rf"(?<! {word} )" for word in words.split())


def not_before(words: str) -> str:
    """A pattern for a place that none of some words follows."""
    return rf"(?! (?:{'|'.join(words.split())}) )"


def before(words: str) -> str:
    """A pattern for a place that one of some words or signs follows."""
    return rf"(?= (?:{'|'.join(words.split())}) )"


CHANCES_OF = (
    r"(?:no|little|any|zero|every|some|not much(?: of a)?|not a|an?|the"
    rf"|(?:an? )?{degrees(2)}{GOOD})"
)


Token = tuple[str, int, int]
"""A word as written, and where it begins and ends."""

_CLAUSE_ENDS = frozenset('.!?:;"“”()[]{}*#>|•…—–\n«»„_-')  # noqa: RUF001 # dashes
_STOPS = frozenset({";", ".", "!", "?", "but", "however", "although", "though", "—", "–"})  # noqa: RUF001
_OPEN = {"“": "”", "«": "»", "„": "“", "「": "」", "『": "』", '"': '"'}
_SAID = words(
    "said says claimed claims believed believes thought thinks argued argues insisted insists "
    "wondered asked reported announced declared predicted suspected suspects feared hoped "
    "assumed asserted asserts told warned concluded speculated doubted guessed supposed "
    "maintained"
)
_SAY = words(
    "say claim believe think argue suspect insist assume assert doubt speculate guess maintain"
)
_LINKS = words("that he she they it there the a an this these we i his her their its whether if")
_AUXILIARY = words(
    "have has had also once long often still now then always once originally even widely "
    "generally firmly strongly first later"
)
_NOT_SUBJECTS = words(
    "i we to would should could can may might must will is are was were be been being not do "
    "does did you let if _ , ( as so , i' what than"
)


def own_words(plain: Sequence[str], found: Sequence[Token]) -> list[str]:
    """The plain words with a sign before names, and a sign in the place of others' words."""
    return _without_reported(_without_quoted(_without_names(plain, found)))


def _without_names(plain: Sequence[str], found: Sequence[Token]) -> list[str]:
    """Capitals within a clause make a name; "May" at its beginning is one unless "be" follows."""
    named, is_first = list(plain), True
    for place, (token, _, _) in enumerate(found):
        if token[:1].isalpha():
            following = plain[place + 1] if place + 1 < len(plain) else ""
            is_title = token[0].isupper() and token[1:] == token[1:].lower() and len(token) > 1
            is_own = is_first and (plain[place] != "may" or following in ("be", "have"))
            if is_title and not is_own and not token.startswith(("I'", "I’")):  # noqa: RUF001
                named[place] = "^" + plain[place]
            is_first = False
        elif token[:1] in _CLAUSE_ENDS:
            is_first = True
    return named


def _without_quoted(plain: list[str]) -> list[str]:
    """Quotations put out of the way, unless all is one quotation."""
    inside: list[tuple[int, int]] = []
    begun, closing = -1, ""
    for place, word in enumerate(plain):
        if begun < 0 and word in _OPEN:
            begun, closing = place, _OPEN[word]
        elif begun >= 0 and word == closing:
            inside.append((begun, place))
            begun = -1
    quoted = {place for start, end in inside for place in range(start, end + 1)}
    if not any(word[0].isalnum() for at, word in enumerate(plain) if at not in quoted):
        return plain
    return ["_" if place in quoted else word for place, word in enumerate(plain)]


def _without_reported(plain: list[str]) -> list[str]:
    """What others say or believe, from after the verb to the end of its clause."""
    left, is_reported = list(plain), False
    for place, word in enumerate(plain):
        if is_reported:
            is_reported = word not in _STOPS
            if is_reported:
                left[place] = "_"
        elif word in _SAID or word in _SAY:
            following = plain[place + 1] if place + 1 < len(plain) else ""
            is_reported = (
                following.lstrip("^") in _LINKS or following.startswith("^")
            ) and _is_others(plain[:place][-6:], word in _SAY)
    return left


def _is_others(before: Iterable[str], is_plural: bool) -> bool:
    """Whether the words before a verb end with a subject that isn't the speaker."""
    subject = next((word for word in reversed(list(before)) if word not in _AUXILIARY), "")
    if subject in _NOT_SUBJECTS or (not subject[:1].strip("^").isalpha() and subject[:1] != "^"):
        return False
    return (
        not is_plural
        or subject.endswith(("s", "people"))
        or subject in ("they", "some", "many", "most", "who")
    )


_TOKEN = re.compile(
    r"[0-9]++(?:[.,][0-9]++){0,20}+[ ]?(?:%|per ?cent\b)"
    r"|[^\W_]+(?:['’`´\-/‑][^\W_]+)*['’]?|[^\s\w]|_"  # noqa: RUF001 # apostrophes
)
_APOSTROPHES = str.maketrans("’`´‑", "'''-")  # noqa: RUF001 # as they are written
_WHOLE = {
    "can't": "can not",
    "cannot": "can not",
    "won't": "will not",
    "shan't": "shall not",
    "ain't": "is not",
    "let's": "let us",
    "isnt": "is not",
    "dont": "do not",
    "doesnt": "does not",
    "im": "i am",
    "ive": "i have",
    "gonna": "going to",
}
_ENDINGS = {"'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would"}
_IS = words("it that this there here what which who he she where how answer guess one everything")


@dataclass(frozen=True)
class Line:
    """The plain words of a sentence, with a blank before and after each.

    Attributes:
        text: The words.
        starts: Where each begins on the line.
        spans: Where each stood in the sentence.
    """

    text: str
    starts: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where the words between two places of the line stood in the sentence."""
        first = bisect_right(self.starts, start) - 1
        last = bisect_right(self.starts, max(start, end - 1)) - 1
        return self.spans[first][0], self.spans[last][1]


def plain_line(sentence: str, *, own: bool = True) -> Line:
    """The line of a sentence; whole, with names and quotations, if `own` is not set."""
    found = [(one.group(), one.start(), one.end()) for one in _TOKEN.finditer(sentence)]
    words = [token.translate(_APOSTROPHES).lower() for token, _, _ in found]
    if own:
        words = own_words(words, found)
    placed: list[tuple[str, int, int]] = []
    for word, (_, start, end) in zip(words, found, strict=True):
        placed += [(part, start, end) for part in _written_out(word)]
    starts, at = [], 1
    for part, _, _ in placed:
        starts.append(at)
        at += len(part) + 1
    text = " " + "".join(f"{part} " for part, _, _ in placed)
    return Line(text, tuple(starts), tuple((start, end) for _, start, end in placed))


def _written_out(word: str) -> list[str]:
    if word in _WHOLE:
        return _WHOLE[word].split()
    if word.endswith("n't") and len(word) > 3:
        return [word[:-3], "not"]
    for ending, full in _ENDINGS.items():
        if word.endswith(ending) and len(word) > len(ending):
            return [word[: -len(ending)], full]
    if word.endswith("'s") and word[:-2] in _IS:
        return [word[:-2], "is"]
    if word[0].isdigit() and word.endswith(("%", "cent")):
        return [re.sub(r"\s*(?:%|per ?cent)$", "%", word).replace(",", "")]
    return [" ".join(word.strip("'").split()) or "'"]


_OTHERS = "are be was were he she they you who a the makes make"
_ENDS = r"that whether if how as , \. ! ; but who when where"
_SPEAKER = (
    # I am not entirely sure; I can't be certain; "pretty sure", said of oneself
    rf"(?:i|we) (?:can )?(?:not )?(?:{DID} )?(?:am|are|feel|remain|be) {degrees(4)}"
    rf"(?:{SURE}|unsure|uncertain|skeptical|sceptical|doubtful|inclined to (?:think|believe|say)"
    r"|tempted to say|willing to bet)",
    r"(?:(?:i|we) )?(?:can|could) not (?:really |honestly )?(?:be|say|tell|know) "
    rf"{degrees()}(?:sure|certain|for (?:sure|certain)|with (?:[a-z]+ )?certainty)",
    r"(?:(?:i|we) )?do not (?:really )?know for (?:sure|certain|a fact)",
    r"i (?:(?:really|honestly|simply|just) )?do not (?:really )?know",
    rf"{not_after(_OTHERS)}{not_after('he is')}{not_after('she is')}{not_after('who is')}"
    rf"{own_degrees(4, least=1)}{SURE}(?! (?:plants|people|things|kinds|types) )",
    r"(?<! are )unsure",
    # I think, I'd guess, we don't believe
    rf"(?:i|we) (?:{DID} ){{0,4}}{THINK}"
    rf"{not_before('of about in me you him to how when out back')}",
    rf"(?:i|we) (?:{DID} ){{0,3}}(?:expect|feel|understand|conclude)"
    rf"{before('that like it this there he she')}",
    rf"i (?:{DID} )?know{before('that it this')}",
    r"i (?:(?:really|honestly) )?(?:would|will|am inclined to|might|would have to|would probably) "
    r"(?:say|argue|go with|opt for|pick|bet on)",
    r"i can (?:confirm|assure you)",
)
_MODALS = (
    r"(?<!'s )"
    + not_after(
        "in of last next early late mid by since the you one some people i we his her their its "
        "with all military a your my until this"
    )
    + r"(?:may|might)(?: or (?:may|might) not)?"
    r"(?: (?:also|very|well|even|possibly|perhaps|actually"
    r"|not(?= (?:be|have|exist|even|actually|always|necessarily))|have|still|only|in fact)){0,3}"
    rf"(?: be(?! {DONE} ))?(?= [a-z^0-9])(?! (?:be|as well|of|and|or|day|in|on|not) )",
    r"could(?: (?:also|very|well|even|possibly|perhaps|potentially|just|easily|actually)){0,3}"
    rf" (?:be(?! {DONE} )|have been(?! {DONE} )|refer|mean|stand for|depend)",
    r"(?:can|could) not possibly (?:be|have)|could (?:very )?(?:well|possibly|conceivably)",
    r"(?:(?<= it )|(?<= that )|(?<= this )|(?<= he )|(?<= she )|(?<= answer ))"
    rf"(?:must|should|ought to|has to|can not) be(?! (?:{DONE}|careful) )",
    r"must have(?= (?:been|had|[a-z]+(?:ed|en|wn|lt|nt|me|ne)) )|(?:can|could) not have been",
)
_LIKELY = (
    rf"(?:{STRESS} ){{0,2}}(?<! not ){ADVERB}",
    r"(?:probably|likely)(?: (?:is|was|are|were|will|does|did|do|has|can))? not",
    rf"(?:{IT}{BE} {degrees()}|{own_degrees()}){not_after('more less as equally how least')}likely"
    rf"(?: not)?{not_before('as than story')}",
    rf"(?:{IT}{BE} {degrees()}|{own_degrees()}){not_after('an the')}unlikely",
    rf"(?:{IT}{BE} )?(?:more|less) (?:likely|probable){before('that , it is')}|more than likely",
    r"(?:it is )?(?:more (?:likely|probable) than not|(?:about )?as likely as not|equally likely)",
)
_MATTERS = (
    rf"{IT}(?:is|was|seems|appears) {degrees()}(?:un)?certain{before(_ENDS + ' to')}",
    r"(?:is|are|was|were) (?:almost|nearly|virtually|practically|all but|not|far from|by no means) "
    rf"(?:yet )?certain{before(_ENDS + ' to')}",
    r"(?:is|are|was|seems) (?:almost )?(?:sure|certain|bound|guaranteed) to(?= [a-z])"
    rf"{not_before('the a an each it')}",
    rf"{IT}{BE} {degrees()}(?:(?:im)?probable|(?:im)?plausible|(?:in)?conceivable|doubtful"
    r"|dubious|questionable|debatable|unclear)",
    rf"{own_degrees()}(?:(?:im)?probable|(?:im)?plausible|conceivable){not_before('cause')}",
    r"(?:is|was|seems|remains) "
    rf"{degrees(2)}(?:doubtful|dubious|uncertain|unclear){before(_ENDS)}",
    rf"{IT}{BE} (?:hardly |barely |certainly |definitely |of course )?{degrees()}(?:im)?possible"
    rf"{before(_ENDS + ' it he she the this there')}",
    r"(?:is|was) (?:not impossible|(?:hardly|barely|scarcely) (?:possible|likely))"
    rf"{not_before('to for')}",
    r"(?:is|was|seems) (?:(?:very|quite|entirely|also|not) ){0,2}possible that",
    rf"(?:quite|very|entirely|highly) possible{not_before('to')}",
    r"(?:(?<= a )|(?<= one ))possible (?:answer|candidate|explanation|reason|cause)",
    rf"{IT}is {degrees()}(?:clear|obvious|evident){before('that , from')}",
    r"(?:(?:it )?is )?(?:(?:very|quite|really|a bit) )?"
    r"(?:hard|difficult|impossible|tough|not possible) to "
    rf"(?:say|know|tell|be (?:{degrees(2)})(?:sure|certain))"
    r"(?: for (?:sure|certain)| with (?:[a-z]+ )?certainty)?",
    r"(?:it|there|this|that) (?:would |does )?(?:seem|appear)s?(?: to me)?"
    rf"{not_before('in on at only twice first near once')}(?: that| to (?:be|have)?| as if| like)?",
    r"(?:seems?|appears?) (?:to(?: be| have)?|that|like|as if)(?= [a-z^0-9])(?! me )",
    r"(?:it )?looks (?:as if|as though)|it looks like",
    r"(?:is|are) (?:(?:now|widely|generally|commonly|often|usually) ){0,2}"
    r"(?:believed|thought|presumed|assumed|suspected)(?= (?:to|that) )",
    # Boosters that are manners as well
    r"(?:clearly|obviously)(?= , )|(?:(?<= is )|(?<= was )|(?<= are )|(?<=^ ))"
    rf"(?:clearly|obviously){not_before('visible defined marked written stated seen and audible')}",
    r"of course(?! ! )",
)
_CHANCES = (
    r"(?:there (?:is|was|are|exists) |with |i (?:would )?(?:give|see|say|put) (?:it |this |that )?)"
    rf"(?:(?:still|also|almost|virtually|practically|hardly|barely|only|really|very|about) ){{0,2}}"
    rf"{CHANCES_OF} {CHANCE}{not_before('to encounter meeting')}",
    rf"(?:an? )?{own_degrees(2)}{GOOD} (?:chance|probability|likelihood|possibility)"
    rf"{before('that of it he she this')}",
    r"(?:(?:almost|virtually|practically) )?(?:no|little|every) (?:chance|possibility|likelihood)"
    rf"{not_before('to')}",
    r"(?:the )?(?:chances|odds)(?: (?:of|that|for) (?:\S+ ){1,8}?| )(?:are|is|were|seem) "
    rf"{degrees(2)}(?:{GOOD}|about even|roughly even){not_before('if though')}",
    rf"(?:the )?(?:chances|odds) are{not_before('against')}|the likelihood is(?= that )",
    r"(?:about|roughly|an) (?:even|better than an even)(?: chances?| odds)?"
    rf"{not_before('the if though numbers number')}",
    r"(?:(?:slightly|somewhat|a bit|a little) )?better than (?:an )?even(?: chances?| odds)?",
    rf"{not_after('are was were he she they')}{not_after('he is')}{not_after('she is')}"
    r"(?:(?:about|around|at least|over|only|roughly) )?[0-9.]+% (?:or so )?"
    r"(?:sure|certain|confident|certainty|confidence|likely|convinced)"
    rf"{not_before('interval intervals level limit region band')}",
)
PATTERNS = tuple(
    re.compile(rf"(?<= )(?:{pattern})(?= )")
    for pattern in (*_SPEAKER, *_MODALS, *_LIKELY, *_MATTERS, *_CHANCES)
)


UNKNOWN = 0.5
"""The decisiveness of a marker of which nothing is known."""

_DEGREES = {
    "very": "very extremely incredibly exceedingly exceptionally really overwhelmingly awfully so "
    "damn increasingly too",
    "highly": "highly",
    "quite": "quite",
    "fairly": "fairly reasonably relatively rather pretty somewhat moderately mostly largely kinda "
    "decently",
    "almost": "almost nearly virtually practically near",
    "absolutely": "absolutely completely totally entirely fully 100% perfectly wholly utterly dead",
}
_DEGREE = {word: kind for kind, forms in _DEGREES.items() for word in forms.split()}
_TOWARDS_END = {"very": 0.6, "highly": 0.65, "quite": 0.3, "almost": -0.05, "absolutely": 0.75}
"""How much of the way to 0 or 1, whichever is nearer, a degree moves a number."""
_NOT_VERY = 0.4
"""What "not very" leaves of a number."""
_FAIRLY = 0.75
"""How much of its way from 0.5 "fairly" leaves."""

_LEAD = re.compile(
    r"(?:and|but|so|well|though|although|then|just|also|still|only|here) "
    r"|(?:it|that|this|there|which|what|he|she|they|answer) "
    r"(?:is|was|are|were|would be|will be|may be|might be|has|"
    r"(?:would )?(?:seems?|appears?|looks?|remains?)(?: to be)?) (?!(?:to|that|like|as)\b)"
    r"|(?:is|was|are|were|be|being|with|the|a|an|some|at) "
    r"|(?:i|we) (?:(?:am|are|feel|was|were|remain|would be|can be) |(?=(?:can|could|do) not ))"
)
_TAIL = re.compile(
    r" (?:for (?:sure|certain)|with (?:[a-z]+ )?certainty"
    r"|that|to|of|be|is|was|are|been|have|about|whether|if|it|this|as|in|me|for|the|but|and|,"
    r"|do|does|will|did|has|[^\w\s%]+)$"
)
_WE = re.compile(r"^we (?=[a-z])")
_BETWEEN = re.compile(
    r"^(i|we) (?:(?:really|personally|also|still|just|only|honestly|do(?! not)|would|myself"
    r"|always|certainly|now|currently|generally|sort of|kind of|kinda|must|should|have to|"
    r"would have to|will) )+(?=[a-z])"
)
_PERCENT = re.compile(
    r"^(?:(?:about|around|at least|over|only|roughly|maybe|say|some|approximately) )*"
    r"([0-9]+(?:\.[0-9]+)?)% (?:or so )?(sure|certain|confident|confidence|certainty|likely|chance"
    r"|probability|likelihood|possibility|convinced|positive)$"
)
_CHANCES_ARE = re.compile(
    r"^(?:the )?(?:chances|odds) (?:(?:of|that|for) .* )?(?:are|is|were|seem) ((?:[a-z]+ )?[a-z]+)$"
)
_IMPERSONAL = re.compile(
    r"^(?:it )?(?:is|are) (?:(?:now|widely|generally|commonly|often|usually) )*"
    r"(?:believed|thought|presumed|assumed|suspected)(?: to| that)?$"
)
_IN_ONE_WORD = (("all but ", "almost "), ("not at all ", "not too "), ("all that ", "too "))
_OF_ONESELF = frozenset({"sure", "certain", "confident", "confidence", "certainty", "convinced"})
_NEGATED_VERB = re.compile(
    r"^(probably|likely|most likely) (?:is|was|are|will|does|did|do|has|can) not$"
)


@functools.cache
def lexicon() -> dict[str, tuple[str, float]]:
    """By plain marker: its standard form, and that one's decisiveness."""
    path = resources.files("inspect_confidence.datasets") / "bundled" / "markers.csv"
    rows = csv.DictReader(StringIO(path.read_text(encoding="utf-8")))
    return {plain(row["marker"]): (row["standard"], float(row["decisiveness"])) for row in rows}


@functools.cache
def _standards() -> dict[str, float]:
    return dict(lexicon().values())


def plain(text: str) -> str:
    """A marker's words in lower case, contractions written out."""
    return plain_line(text, own=False).text.strip()


def standard_of(marker: str) -> str:
    """The standard form of a plain marker; the marker, cleaned, if it isn't known.

    Done over and over until nothing changes, so that a standard form stands for itself.
    """
    seen: list[str] = []
    while marker not in seen:
        seen.append(marker)
        marker = plain(_step(marker))
    return min(seen[seen.index(marker) :])


def decisiveness_of(standard: str) -> float:
    """How probable a standard form says that something is."""
    if standard in _standards():
        return _standards()[standard]
    if stated := _PERCENT.match(standard):
        return min(float(stated[1]) / 100, 1.0)
    degree, _, head = standard.partition(" ")
    if degree == "not" and head:
        return _denied(head)
    return _moved(_value(head), _DEGREE[degree]) if degree in _DEGREE and head else UNKNOWN


def _denied(head: str) -> float:
    kind, _, rest = head.partition(" ")
    if kind == "entirely" and rest:
        return UNKNOWN
    return _NOT_VERY * _value(rest) if kind == "very" and rest else 1 - _value(head)


def _moved(value: float, degree: str) -> float:
    if degree == "fairly":
        return 0.5 + _FAIRLY * (value - 0.5)
    moved = _TOWARDS_END[degree]
    return value + moved * (1 - value) if value >= 0.5 else value * (1 - moved)


def _value(head: str) -> float:
    return lexicon()[head][1] if head in lexicon() else decisiveness_of(head)


def _step(marker: str) -> str:
    """A form nearer to the standard: that of the lexicon, or by the first rule that changes it."""
    if marker in lexicon():
        return lexicon()[marker][0]
    rules = (_named_alike, _without_edges, _without_between, _with_degree)
    return next((new for rule in rules if (new := rule(marker)) not in ("", marker)), marker)


def _named_alike(marker: str) -> str:
    """Percentages, impersonal beliefs, chances, and "probably isn't"."""
    if stated := _PERCENT.match(marker):
        is_own, is_likely = stated[2] in _OF_ONESELF, stated[2] == "likely"
        return f"{float(stated[1]):g}% {'sure' if is_own else 'likely' if is_likely else 'chance'}"
    if odds := _CHANCES_ARE.match(marker):
        listed = f"chances are {odds[1]}"
        return listed if listed in lexicon() and marker != listed else f"{odds[1]} chance"
    marker = _NEGATED_VERB.sub(r"\1 not", marker)
    return "is believed" if _IMPERSONAL.match(marker) else marker


def _without_edges(marker: str) -> str:
    bare = _LEAD.sub("", marker, count=1) if _LEAD.match(marker) else ""
    return bare or _TAIL.sub("", marker)


def _without_between(marker: str) -> str:
    """Without what is between "I" and the verb; "we" as "I"."""
    bare = _BETWEEN.sub(r"\1 ", marker)
    return bare if bare != marker else _WE.sub("i ", marker)


def _with_degree(marker: str) -> str:
    """One word for each kind of degree, before the standard form of what it belongs to."""
    for several, one in _IN_ONE_WORD:
        marker = marker.replace(several, one)
    first, _, rest = marker.partition(" ")
    if first == "not" and rest.partition(" ")[0] in (*_DEGREE, "that"):
        degree, _, head = rest.partition(" ")
        kind = {"absolutely": "entirely", "quite": "entirely"}.get(_DEGREE.get(degree, ""), "very")
        return f"not {kind} {head}"
    if first in _DEGREE and rest:
        head = lexicon()[rest][0] if rest in lexicon() else _step(rest)
        return f"{_DEGREE[first]} {rest if ' ' in head else head}"
    return marker


_NEVER = (
    "make sure", "makes sure", "making sure", "made sure", "make certain", "made certain",
    "be sure to", "sure thing", "to be sure", "sure enough", "slowly but surely", "a certain",
    "for certain reasons", "in no way", "can think", "as possible", "if possible", "likely story",
    "probable cause", "by any chance", "no way to",
)  # fmt: skip
_HEADS = words(
    "chance chances sure certain confident positive convinced possible impossible clear "
    "obvious evident likely unlikely probable improbable plausible conceivable doubtful "
    "dubious questionable debatable unclear uncertain believed thought assumed presumed "
    "suspected be have been to like seems appears definite guaranteed not well probability "
    "possibility confidence may might could that if though it"
)
"""Forms that end with one of these are markers only where a pattern finds them."""
_IN_CONTEXT = frozenset(
    {
        "of course", "any chance", "a chance", "some chance", "small chance", "a guess", "no way",
        "some doubt", "some likelihood", "is guaranteed", "can not possibly", "could not possibly",
        "the likelihood is", "with confidence",
    }
)  # fmt: skip
"""So are these."""
_ALONE = words("perhaps maybe afaik iirc fifty-fifty 50-50 50/50 toss-up")
"""Single words that are always markers; so are adverbs in the patterns."""


@functools.cache
def _listed() -> re.Pattern[str]:
    forms = [
        form
        for form in sorted(lexicon(), key=len, reverse=True)
        if form.isascii() and _stands_alone(form.split())
    ]
    return re.compile(rf"(?<= )(?:{'|'.join(map(re.escape, forms))})(?= )")


def _stands_alone(form: list[str]) -> bool:
    if len(form) == 1:
        return form[0] in _ALONE
    is_short = form[0] in ("i", "we") and len(form) == 2
    is_open = form[0] == "possible" or (
        form[-1] in _HEADS and form[0] not in ("for", "from", "i", "if", "in", "unless", "with")
    )
    return not (is_short or is_open or " ".join(form) in _IN_CONTEXT)


@functools.cache
def chinese() -> re.Pattern[str]:
    """The Chinese markers, longest first."""
    forms = sorted((form for form in lexicon() if not form.isascii()), key=len, reverse=True)
    return re.compile(f"(?:{'|'.join(forms)})(?!性)")


def marker_places(line: str) -> list[tuple[int, int]]:
    """Where the markers are on a plain line: leftmost first, then longest; none overlap."""
    for phrase in _NEVER:
        line = line.replace(f" {phrase} ", f" {'_' * len(phrase)} ")
    found = [one.span() for pattern in (*PATTERNS, _listed()) for one in pattern.finditer(line)]
    kept: list[tuple[int, int]] = []
    for start, end in sorted(found, key=lambda place: (place[0], -place[1])):
        if start < end and (not kept or start >= kept[-1][1]):
            kept.append((start, end))
    return kept


_LONGEST = 120
"""Characters; what is longer is no marker."""


@dataclass(frozen=True)
class Marker:
    """An epistemic marker in a sentence.

    Attributes:
        text: As it stands in the sentence, in lower case.
        standard: The form that stands for its group.
        decisiveness: How probable the form says that something is, in [0, 1].
        start: Where it begins in the sentence.
        end: Where it ends, exclusive.
    """

    text: str
    standard: str
    decisiveness: float
    start: int
    end: int


def find_markers(sentence: str) -> list[Marker]:
    """The markers of a sentence in order; the longest where they overlap.

    Example:
        >>> [marker.standard for marker in find_markers("It's very likely Lyon, but I'm not sure.")]
        ['very likely', 'not sure']
        >>> find_markers("Make sure that certain plants bloom in May.")
        []
    """
    line = plain_line(sentence)
    found = []
    for start, end in marker_places(line.text):
        standard = standard_of(plain(line.text[start:end]))
        found.append(_marker(sentence, standard, *line.span(start, end)))
    if not sentence.isascii():
        found += [
            _marker(sentence, one.group(), *one.span()) for one in chinese().finditer(sentence)
        ]
    return sorted(found, key=lambda marker: marker.start)


def standard_marker(text: str) -> str:
    """The standard form of a marker, whoever found it; a marker not known is returned cleaned.

    Example:
        >>> [standard_marker(text) for text in ("It's likely that", "we’re fairly sure")]
        ['likely', 'pretty sure']
    """  # noqa: RUF002 # as it is written
    words = plain(text)
    return standard_of(words) if len(words) <= _LONGEST else words


def sentence_decisiveness(sentence: str) -> float:
    """How probable the sentence's claim is by its wording: 1 for a plain assertion.

    Of several markers the least decisive counts: hedges that agree ("I think it's probably") are no
    weaker together, and "certainly possible" is no more than possible. A negative plain assertion
    is as decisive as any; "probably not" says of the thing denied what people in the survey take it
    to say.

    Example:
        >>> [sentence_decisiveness(text) for text in ("Paris.", "I think it's probably Paris.")]
        [1.0, 0.7]
    """
    return min((marker.decisiveness for marker in find_markers(sentence)), default=1.0)


def _marker(sentence: str, words: str, start: int, end: int) -> Marker:
    standard = standard_of(words)
    return Marker(sentence[start:end].lower(), standard, decisiveness_of(standard), start, end)
