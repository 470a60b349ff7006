"""Prompts for a judge of sentences and replies.

Source: this project. A user's file can replace any template; it has the same fields.
"""

import json
from collections.abc import Mapping

from inspect_confidence.arguments import fingerprint

TEMPLATES: Mapping[str, str] = {
    "markers": """\
A language model answered a question. Here is one sentence of its answer.

Sentence: {sentence}

List the epistemic markers in it: the words or phrases by which the speaker says how sure or \
unsure they are of what the sentence claims, such as "probably", "I think", "it is likely", \
"I'm not sure" or "certainly". Copy each as it stands in the sentence, as short as it can be while \
still whole. Leave out words that express something else ("in May", "certain plants", "make \
sure"), and markers of other people who are only quoted or reported.

Reply with a JSON object: {{"markers": ["...", "..."]}}, or {{"markers": []}} if there are none.""",
    "decisiveness": """\
A language model answered a question. Here is one sentence of its answer.

Sentence: {sentence}

How probable does the speaker take the sentence's claim to be, judging by the wording alone? Don't \
judge whether the claim is true. A plain assertion is 1.0, "it is about as likely as not" is 0.5, \
and a claim said to be very unlikely is near 0.0.

Reply with a JSON object: {{"decisiveness": <a number from 0.0 to 1.0>}}""",
    "consistency": """\
A language model was asked a question twice.

Question: {question}

A sentence of its first answer: {sentence}

Its second answer: {reply}

Does the second answer agree with what the sentence claims? Leave out of account how sure either \
is; compare only what they claim.
yes: the second answer says the same, or it follows from it.
no: the second answer contradicts it, for example by giving another answer.
n/a: neither; for example the second answer declines, or says nothing about this claim.

Reply with a JSON object: {{"agreement": "yes"}}, {{"agreement": "no"}} or \
{{"agreement": "n/a"}}""",
    "correctness": """\
Question: {question}

Accepted answers, any of which is right: {answers}

A language model's answer: {reply}

Is the model's answer right? Leave out of account how sure it is.
correct: its answer is one of the accepted ones, in whatever words.
incorrect: its answer is another one, or it leaves open which of several it is.
punt: it gives no answer, for example because it declines or says only that it doesn't know.

Reply with a JSON object: {{"verdict": "correct"}}, {{"verdict": "incorrect"}} or \
{{"verdict": "punt"}}""",
    "sentence": """\
A language model was asked a question several times.

Question: {question}

A sentence of its first answer: {sentence}

Its other answers:
{replies}

1. List the epistemic markers in the sentence: the words or phrases by which the speaker says how \
sure or unsure they are of its claim, copied as they stand, as short as they can be while whole; \
not words that express something else, and not those of people who are only quoted.
2. How probable does the speaker take the sentence's claim to be, judging by the wording alone, \
from 0.0 to 1.0? A plain assertion is 1.0.
3. For each of the other answers: does it agree with what the sentence claims, however sure either \
is? "yes" if it says the same or that follows from it, "no" if it contradicts it, "n/a" if neither.

Reply with a JSON object: {{"markers": ["..."], "decisiveness": <number>, "agreement": \
["yes", "no", ...]}} with one entry of agreement for each other answer, in order.""",
}

STANDARDS = """\
These phrases express how sure a speaker is. Group those that differ only in form: inflection, \
contraction, spelling, pronoun ("it's likely", "it is likely that"; "I'd guess", "my guess is"). \
Phrases that differ in strength or meaning stay apart.

{markers}

Reply with a JSON object that maps each phrase to the form that stands for its group."""


def fingerprint_of(replaced: Mapping[str, str]) -> str:
    """Return the fingerprint of the templates that replace the package's; empty if none do."""
    return fingerprint(json.dumps(replaced, sort_keys=True)) if replaced else ""
