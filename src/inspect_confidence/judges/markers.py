"""Epistemic markers and decisiveness of a sentence, found by patterns and a lexicon.

An epistemic marker is a word or phrase by which the speaker says how sure or unsure they are of
the sentence's claim. By decision, these are no markers: hearsay ("reportedly", "is said to"), which
names the origin of a claim; words of amount ("about 5", "roughly") and of habit ("usually"); other
people's reported or quoted beliefs ("Romans believed", "he said that it might"). An impersonal
present "is believed to" counts as the speaker's own.

Limits: permission and ability are distinguished from possibility only by the surrounding words
("may be used" against "may be Paris"); titles at a sentence's beginning ("Maybe Baby") are taken
for markers; irony isn't recognised; the list of Chinese markers is short.
"""

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from operator import itemgetter

from inspect_confidence.judges.marker_standards import decisiveness_of, lexicon, plain, standard_of
from inspect_confidence.judges.own_words import plain_line, words

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
"""Words of degree after a verb; before a noun some are none, as in "so certain plants"."""
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
    r"(?:seen|found|made|done|taken|said|written|eaten|put|read|heard|bought|sold|given|shown"
    r"|thought|held|sent|kept|grown|able|[a-z]+[bcdghiklnprstvz]ed)"
)
"""Participles after which "may be" is a permission or an ability, as in "may be used"."""
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


def degrees(upper: int = 3) -> str:
    """Return a pattern of up to `upper` words of degree, each followed by a blank."""
    return rf"(?:{_WORD_DEGREE} ){{0,{upper}}}"


def own_degrees(upper: int = 3, *, lower: int = 0) -> str:
    """Return a pattern of `lower` to `upper` words that are degrees in any position."""
    return rf"(?:(?:{_OWN_DEGREE}) ){{{lower},{upper}}}"


def not_after(words: str) -> str:
    """Return a pattern of a position that follows none of these words."""
    return "".join(rf"(?<! {word} )" for word in words.split())


def not_before(words: str) -> str:
    """Return a pattern of a position that precedes none of these words."""
    return rf"(?! (?:{'|'.join(words.split())}) )"


def before(words: str) -> str:
    """Return a pattern of a position that precedes one of these words or signs."""
    return rf"(?= (?:{'|'.join(words.split())}) )"


CHANCES_OF = (
    r"(?:no|little|any|zero|every|some|not much(?: of a)?|not a|an?|the"
    rf"|(?:an? )?{degrees(2)}{GOOD})"
)


_NOT_BEFORE_SURE = "is are be was were he she they you who a the makes make"
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
    rf"{not_after(_NOT_BEFORE_SURE)}{own_degrees(4, lower=1)}{SURE}"
    rf"{not_before('plants people things kinds types')}",
    r"(?<! are )unsure",
    # I think, I'd guess, we don't believe
    rf"(?:i|we) (?:{DID} ){{0,4}}{THINK}"
    rf"{not_before('of about in me you him to how when out back')}",
    rf"(?:i|we) (?:{DID} ){{0,3}}(?:expect|feel|understand|conclude)"
    rf"{before('that like it this there he she')}",
    rf"i (?:{DID} )?know{before('that it this')}",
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
    rf"{not_after('is are was were he she they')}"
    r"(?:(?:about|around|at least|over|only|roughly) )?[0-9.]+% (?:or so )?"
    r"(?:sure|certain|confident|certainty|confidence|likely|convinced)"
    rf"{not_before('interval intervals level limit region band')}",
)
PATTERNS = tuple(
    re.compile(rf"(?<= )(?:{pattern})(?= )")
    for pattern in (*_SPEAKER, *_MODALS, *_LIKELY, *_MATTERS, *_CHANCES)
)


_NEVER_MARKERS = (
    "make sure", "makes sure", "making sure", "made sure", "make certain", "made certain",
    "be sure to", "sure thing", "to be sure", "sure enough", "slowly but surely", "a certain",
    "for certain reasons", "in no way", "can think", "as possible", "if possible", "likely story",
    "probable cause", "by any chance", "no way to",
)  # fmt: skip
_CONTEXT_LAST_WORDS = words(
    "chance chances sure certain confident positive convinced possible impossible clear "
    "obvious evident likely unlikely probable improbable plausible conceivable doubtful "
    "dubious questionable debatable unclear uncertain believed thought assumed presumed "
    "suspected be have been to like seems appears definite guaranteed not well probability "
    "possibility confidence may might could that if though it"
)
"""Last words of forms that are markers only if a pattern finds them."""
_CONTEXT_FORMS = frozenset(
    {
        "of course", "any chance", "a chance", "some chance", "small chance", "a guess", "no way",
        "some doubt", "some likelihood", "is guaranteed", "can not possibly", "could not possibly",
        "the likelihood is", "with confidence",
    }
)  # fmt: skip
"""Further forms that are markers only if a pattern finds them."""
_SINGLE_WORD_MARKERS = words("perhaps maybe afaik iirc fifty-fifty 50-50 50/50 toss-up")
"""Single words that are always markers, besides the adverbs in the patterns."""


@functools.cache
def _lexicon_pattern() -> re.Pattern[str]:
    """Return the pattern of the lexicon's forms that are markers in every context."""
    forms = (form for form in lexicon() if form.isascii() and _stands_alone(form.split()))
    return re.compile(rf"(?<= )(?:{_alternatives(forms)})(?= )")


@functools.cache
def _chinese_pattern() -> re.Pattern[str]:
    """Return the pattern of the lexicon's Chinese markers in a sentence as written."""
    forms = (form for form in lexicon() if not form.isascii())
    return re.compile(f"(?:{_alternatives(forms)})(?!性)")  # 可能性 is the noun, no marker


def _alternatives(forms: Iterable[str]) -> str:
    """Return a pattern of any of the forms, the longest first so that it is preferred."""
    return "|".join(map(re.escape, sorted(forms, key=len, reverse=True)))


def _stands_alone(form: list[str]) -> bool:
    """Return whether a marker's form, as a list of words, is a marker in every context."""
    if len(form) == 1:
        return form[0] in _SINGLE_WORD_MARKERS
    # `PATTERNS` finds the remaining forms in contexts that make them markers: "it is possible".
    is_speaker_verb = form[0] in ("i", "we") and len(form) == 2
    # "for sure" and "if possible" need no context.
    needs_context = form[0] == "possible" or (
        form[-1] in _CONTEXT_LAST_WORDS
        and form[0] not in ("for", "from", "i", "if", "in", "unless", "with")
    )
    return not (is_speaker_verb or needs_context or " ".join(form) in _CONTEXT_FORMS)


def marker_spans(line: str) -> list[tuple[int, int]]:
    """Return the spans of the markers (such as "probably") on a line of lower-case words.

    Of overlapping matches the leftmost one counts, and the longest of those. The line has a blank
    before and after each word.
    """
    for phrase in _NEVER_MARKERS:  # such as "make sure", masked by underscores
        line = line.replace(f" {phrase} ", f" {'_' * len(phrase)} ")
    spans: list[tuple[int, int]] = []
    for pattern in (*PATTERNS, _lexicon_pattern()):
        spans.extend(match.span() for match in pattern.finditer(line))
    retained: list[tuple[int, int]] = []
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not retained or start >= retained[-1][1]:
            retained.append((start, end))
    return retained


_LONGEST_MARKER = 120
"""Maximum number of characters of a marker."""


@dataclass(frozen=True)
class Marker:
    """An epistemic marker in a sentence.

    Attributes:
        text: The marker as in the sentence, in lower case.
        standard: Standard form of the marker's group.
        decisiveness: Probability that the standard form expresses, in [0, 1].
        start: Index of its first character in the sentence.
        end: Index after its last character.
    """

    text: str
    standard: str
    decisiveness: float
    start: int
    end: int


def find_markers(sentence: str) -> list[Marker]:
    """Find a sentence's markers in order; of overlapping ones the leftmost, the longest of those.

    Example:
        >>> [marker.standard for marker in find_markers("It's very likely Lyon, but I'm not sure.")]
        ['very likely', 'not sure']
        >>> find_markers("Make sure that certain plants bloom in May.")
        []
    """
    line = plain_line(sentence)
    # The plain form of each marker, and its start and end in the sentence.
    matches = []
    for start, end in marker_spans(line.text):
        matches.append((plain(line.text[start:end]), line.span(start, end)))
    matches += [(match.group(), match.span()) for match in _chinese_pattern().finditer(sentence)]
    markers = []
    for form, (start, end) in sorted(matches, key=itemgetter(1)):
        standard = standard_of(form)
        text = sentence[start:end].lower()
        markers.append(
            Marker(text, standard, decisiveness=decisiveness_of(standard), start=start, end=end)
        )
    return markers


def marker_texts(sentence: str) -> list[str]:
    """Return the texts of a sentence's markers in lower case, each once, in order."""
    return list(dict.fromkeys(marker.text for marker in find_markers(sentence)))


def standard_marker(text: str) -> str:
    """Return the standard form of a marker; an unknown or overlong one is returned cleaned.

    Example:
        >>> [standard_marker(text) for text in ("It's likely that", "we’re fairly sure")]
        ['likely', 'pretty sure']
    """  # noqa: RUF002 # as it is written
    words = plain(text)
    return standard_of(words) if len(words) <= _LONGEST_MARKER else words


def sentence_decisiveness(sentence: str) -> float:
    """Return the probability of the sentence's claim by its wording: 1 for a plain assertion.

    Of several markers the least decisive counts: agreeing hedges ("I think it's probably") are not
    weaker together, and "certainly possible" is no more than possible. A negative assertion without
    a marker is also 1; "probably not" is .25, people's median in the survey of `wep_elicitation`.

    Example:
        >>> [sentence_decisiveness(text) for text in ("Paris.", "I think it's probably Paris.")]
        [1.0, 0.7]
    """
    return min((marker.decisiveness for marker in find_markers(sentence)), default=1.0)


_BARE = frozenset(
    {"perhaps", "maybe", "possibly", "might", "may", "could", "conceivably", "i guess"}
)
"""Markers of low decisiveness that don't change the claim."""
_DENIES = r"(?:\b(?:not?|never|nor|neither|hardly|barely|without|cannot)\b|n['’]t\b|[不没无])"  # noqa: RUF001
_DENIED = re.compile(rf"{_DENIES}\W*$", re.IGNORECASE)


def without_marker(text: str) -> str:
    """Return a text's claim without its marker, to compare claims of different decisiveness.

    Several different markers stay, since "probably Fyn, possibly Ely" isn't "possibly Fyn, probably
    Ely". A marker that denies something or is denied also stays.

    Example:
        >>> without_marker("Perhaps it is Fyn."), without_marker("It is probably Fyn.")
        ('it is Fyn.', 'it is Fyn.')
        >>> without_marker("It is unlikely to be Fyn.")
        'it is unlikely to be Fyn.'
    """
    markers = find_markers(text)
    standards = {marker.standard for marker in markers}
    if len(standards) == 1 and not any(_changes_claim(marker, text) for marker in markers):
        for marker in reversed(markers):
            text = f"{text[: marker.start]} {text[marker.end :]}"
    # All commas go but those within numbers such as 1,000, and blanks before other signs.
    plain = " ".join(re.sub(r"(?<!\S),|,(?=\s|$)", " ", text).split())
    return re.sub(r"\s+(?=[.!?;:])", "", plain[:1].lower() + plain[1:])


def _changes_claim(marker: Marker, text: str) -> bool:
    """Return whether the claim would change without the marker: it is weak, denies or is denied."""
    is_weak = marker.decisiveness <= 0.5 and marker.standard not in _BARE
    denies = re.search(_DENIES, marker.text, re.IGNORECASE)
    return bool(is_weak or denies or _DENIED.search(text[: marker.start]))
