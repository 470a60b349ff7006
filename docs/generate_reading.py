"""Writes docs/reading.md from the labelled replies of tests/ and what the readers make of them."""

import re
import sys
from collections import Counter
from pathlib import Path
from textwrap import fill
from typing import Any, get_args

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from answers.as_written import (
    LETTERS,
    LabelledOutcome,
    LabelledReply,
    Values,
    labelled_replies,
    outcomes,
    read,
    tally,
)
from inspect_confidence.answers import ParseFailure
from inspect_confidence.answers.status import ReplyStatus

_HEAD = """\
# What is read of a reply, and what is not

Every task reads replies in four steps:

1. **Clean.** Remove thoughts (marked reasoning), special tokens, a continued conversation, markup,
   LaTeX and entities. Signs, dashes and digits of other scripts get one spelling.
2. **Labels.** Find statements after "Answer:", "Confidence:" or "Lower:", in JSON (also broken),
   tags, tables, boxes and sentences such as "the answer is", in English and Chinese.
3. **Numbers.** Turn `0.7`, `70%`, `7/10`, `10^5`, `1,000`, `½`, `seventy`, 七成 into exact numbers.
4. **Form.** Take the answer that the task asked for, or report a failure with a status.

By these rules:

- **Thoughts are never answers**: text between thought tags, in an analysis channel, before a lone
  closing tag, or after a tag that is never closed.
- **The last statement of an answer counts** if the earlier ones agree with it, if it is called
  final, or if words such as "actually" withdraw the earlier ones. Otherwise two different answers
  are `ambiguous`.
- **A labelled or leading answer counts**, whatever numbers the explanation around it contains.
- **A reply that was cut off** gives an answer only if the answer is certainly whole.

Nothing is guessed:

- **Not read** are a range instead of one number, words such as "high", a number that could be on
  two scales (85% on a scale to 20), a letter with the text of another choice, and refusals, with or
  without a number.
- **Read** is an unusual number with one possible meaning: as a probability, a whole number from 11
  to 100 is a percentage (70 is 70%); as an exponent of ten, 1,000,000 is 6.

## Statuses

A reply that can't be read has a status and a reason. It is counted in `format_failure_rate` and
[left out](judgments.md#judgments) of other metrics.

| status | when | example |
|---|---|---|
"""
_STATUSES: dict[str, tuple[str, int]] = {
    "invalid_response_format": ("no answer of the requested form: a word, a range, nothing", 54),
    "refusal": ("the reply declines", 575),
    "no_response": ("empty, or only thoughts", 330),
    "truncated": ("cut off before a complete answer", 683),
    "out_of_range": ("an impossible number", 981),
    "echo": ("the prompt's template, or its list of choices", 283),
    "ambiguous": ("more than one reading", 571),
}
"""When, and the line of the example in `tuned`."""
_TABLES: dict[str, tuple[int, ...]] = {
    "A choice and a confidence on a scale": (38, 28, 588, 72),
    "A number and a confidence on a scale": (629, 113),
    "An interval of exponents of ten": (710, 665, 174, 703),
    "An exponent of ten": (197, 191, 213),
    "A probability": (245, 258, 221, 261, 800),
    "A word for a probability": (277, 289, 292),
    "An age, a verdict, a confidence": (451, 883),
    "A probability for each option": (935, 421),
    "What a judge says": (497, 514, 548, 517),
}
"""Lines of `tuned`, shown in this order."""
_FORMS = {
    "scale": "choice and confidence",
    "scale_math": "number and confidence",
    "interval": "interval",
    "exponent": "exponent",
    "integer": "exponent, bare",
    "probability": "probability",
    "word": "word",
    "life": "age and confidence",
    "options": "choice and probabilities",
    "true_false": "verdict and confidence",
    "given": "confidence alone",
    "judge_markers": "a judge's markers",
    "judge_decisiveness": "a judge's decisiveness",
    "judge_agreement": "a judge's agreement",
    "judge_verdict": "a judge's verdict",
    "judge_sentence": "all of a judge's at once",
}
_LONGEST = 90
_EXAMPLES = """\
## Examples by form

⏎ is a line break, … omitted text, and *cut* means that the model ran out of tokens. The readers'
result in the last column equals the label.
"""
_SAID = """\
{total:,} artificial replies in the style of ten model families test the readers (the programs that
read answers). They were written and labelled in rounds, without knowledge of the readers. The table
shows each round as read before the readers were corrected with it:"""
_ROUNDS = """\
| at first sight | readable | left unread | misread | unreadable, read all the same |
|---|---|---|---|---|
| second round | 422 | 2 (0.5%) | 0 | 0 |
| third | 657 | 21 (3.2%) | 3 | 1 |
| fourth | 821 | 10 (1.2%) | 0 | 1 |
| fifth | 797 | 8 (1.0%) | 0 | 2 |
| sixth | 659 | 14 (2.1%) | 1 | 0 |
| seventh, hard probabilities and integers | 227 | 22 (9.7%) | 4 | 2 |
| eighth, probabilities and integers | 211 | 5 (2.4%) | 0 | 2 |
| ninth, integers | 118 | 5 (4.2%) | 0 | 5 |
| tenth, integers | 147 | 3 (2.0%) | 2 | 1 |"""
_SINCE = """\
The present readers, corrected with all rounds of artificial replies, leave {unread} of {readable}
readable answers in the last five rounds unread (**{share:.1%}**) and misread {misread}. Another
{unreadable} answers have no certain meaning and should not be read; {guessed} of them are. For
example, if the question asks for an exponent of ten, a bare 1000000000 is taken for the value
itself and read as 9.

The table has these answers by form, failures in brackets."""
_FIGURES = """\
## How much is left unread

{said}

| answers of the form | readable | unreadable |
|---|---|---|
"""


_REAL = """
## Replies of a real model

822 replies of SmolLM2-135M-Instruct at temperature 0.7 to this package's prompts were labelled by
hand, from prompt and reply alone. Most have no answer of the requested form. The table counts
values (an answer and its confidence are two), without 71 that two careful people may read
differently. The columns "now" come from readers that were corrected with these labels; they don't
estimate the errors on another model's replies.

| task | readable | unread before | now | misread before | now |
|---|---|---|---|---|---|
| `wep_elicitation` | 53 | 8 | 1 | 20 | 0 |
| `scale_variants` (answer) | 34 | 5 | 1 | 0 | 0 |
| `fermi_eval` (interval) | 3 | 3 | 0 | 3 | 1 |
| `life_eval` (age) | 7 | 2 | 1 | 6 | 1 |
| `life_eval` (confidence) | 1 | 1 | 0 | 2 | 0 |
| `question_sets` (answer) | 28 | 2 | 0 | 17 | 1 |
| `wep_choice` | 9 | 0 | 0 | 5 | 0 |
| `with_confidence`, alone | 11 | 4 | 0 | 1 | 0 |
| `with_confidence`, stated | 7 | 2 | 0 | 3 | 0 |
| `with_confidence`, words | 5 | 0 | 0 | 14 | 0 |
| `hedge_markers` (markers) | 12 | 0 | 0 | 0 | 0 |
| **all** | 170 | 27 (16%) | 3 (1.8%) | 71 | 3 |
"""


def page() -> str:
    """The whole page."""
    tuned = labelled_replies("tuned")
    statuses = [status(name, tuned) for name in get_args(ReplyStatus)]
    tables = [
        f"### {title}\n\n{table([tuned[line - 1] for line in lines])}"
        for title, lines in _TABLES.items()
    ]
    return _HEAD + "\n".join([*statuses, _RUN, figures(), _REAL, _EXAMPLES, *tables])


_RUN = """
If the run gave no reply, the status is `sample_error`, `limit_reached` or `content_filter`. If a
judge's reply can't be read, it is `grader_failed`, which doesn't count against the model judged.
"""


def status(name: str, tuned: list[LabelledReply]) -> str:
    """Its row of the table: the example must have it, by label and by reading."""
    when, line = _STATUSES[name]
    one = tuned[line - 1]
    for value, found in read(one).items():
        is_it = isinstance(found, ParseFailure) and found.status == name
        if is_it and one.labels[value] == {"status": name}:
            return f"| `{name}` | {when} | {reply(one)} |"
    raise ValueError(f"line {line} isn't an example of {name}: {read(one)}")


def table(shown: list[LabelledReply]) -> str:
    """Replies and what is read of them; the label must say the same."""
    has_scale = "low" in shown[0].asked
    head = ("scale", "reply", "read as") if has_scale else ("reply", "read as")
    lines = [head, ["---"] * len(head)]
    for one in shown:
        if not set(outcomes(one).values()) <= {"read", "left"}:
            raise ValueError(f"not read as it is labelled: {one.reply!r}: {read(one)}")
        scale = [f"{one.asked['low']}-{one.asked['high']}"] if has_scale else []
        lines.append([*scale, reply(one), said(one, read(one))])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def said(one: LabelledReply, found: Values) -> str:
    """What was read, value by value; one failure for all if it is the same."""
    failures = {value for value in found.values() if isinstance(value, ParseFailure)}
    if len(failures) == 1 and all(isinstance(value, ParseFailure) for value in found.values()):
        return failed(failures.pop())
    named = [(name if len(found) > 1 else "", shown(one, name, it)) for name, it in found.items()]
    return "; ".join(" ".join(filter(None, pair)) for pair in named)


def shown(one: LabelledReply, name: str, found: Any) -> str:
    """An answer as a person writes it, with what it stands for in the question."""
    asked = one.asked
    if isinstance(found, ParseFailure):
        return failed(found)
    if name == "word":
        return f'"{asked["choices"][found]}"'
    if name == "answer" and "options" in asked:
        return f"{found} ({asked['options'][LETTERS.index(found)]})"
    if name == "confidence" and "low" in asked and not asked["low"] <= found <= asked["high"]:
        return f"{found} (outside the scale)"
    if name == "interval":
        return " to ".join(map(plain, found.values()))
    return (", ".join(map(plain, found)) or "none") if isinstance(found, list) else plain(found)


def plain(found: float | str) -> str:
    """A word, or a number without trailing zeros."""
    if isinstance(found, str):
        return found
    return str(found).lower() if isinstance(found, bool) else f"{float(found):.10g}"


def failed(found: ParseFailure) -> str:
    """The status and its reason, without the judge's reply, which stands beside it."""
    return f"**`{found.status}`**: {found.reason.partition(' in the judge')[0]}"


def reply(one: LabelledReply) -> str:
    """The reply as code on one line, its beginning and end if it is long."""
    text = re.sub(r"[ \t]*\n[ \t]*", "⏎", one.reply)
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 2 :]}"
    # Neither a bar nor a backtick can stand in code within a table, for all who read Markdown.
    code = f"`{text}`" if not set("|`") & set(text) else f"<code>{escaped(text)}</code>"
    return f"{code} *cut*" if one.cut else code


def escaped(text: str) -> str:
    """With nothing in it that Markdown or HTML could take for markup."""
    return re.sub(r"[!-/:-@\[-`{-~]", lambda sign: f"&#{ord(sign[0])};", text)


def figures() -> str:
    """What became of the last round, form by form."""
    unseen = labelled_replies("unseen")
    counts = tally(unseen)
    every = sum(counts.values(), Counter())
    said = _SAID.format(total=len(labelled_replies("tuned")) + len(unseen))
    since = _SINCE.format(
        readable=readable(every),
        unreadable=every["left"] + every["guessed"],
        share=every["unread"] / readable(every),
        unread=every["unread"],
        misread=every["misread"],
        guessed=every["guessed"],
    )
    lines = [line(shown, counts[form]) for form, shown in _FORMS.items()]
    table = "\n".join([*lines, line("**all**", every)])
    told = "\n\n".join(
        [fill(said, 100), _ROUNDS, *(fill(part, 100) for part in since.split("\n\n"))]
    )
    return f"{_FIGURES.format(said=told)}{table}\n"


def readable(counts: Counter[LabelledOutcome]) -> int:
    """How many answers a person can read."""
    return counts["read"] + counts["unread"] + counts["misread"]


def line(name: str, counts: Counter[LabelledOutcome]) -> str:
    """A row of the figures: how many answers, and how many failures if there are any."""
    failures = {"unread": counts["unread"], "misread": counts["misread"]}
    readable_cell = _with_failures(readable(counts), failures)
    unreadable = counts["left"] + counts["guessed"]
    unreadable_cell = _with_failures(unreadable, {"read all the same": counts["guessed"]})
    return f"| {name} | {readable_cell} | {unreadable_cell} |"


def _with_failures(total: int, failures: dict[str, int]) -> str:
    texts = [f"{count} {failure}" for failure, count in failures.items() if count]
    return f"{total} ({', '.join(texts)})" if texts else str(total)


if __name__ == "__main__":
    (Path(__file__).parent / "reading.md").write_text(page(), encoding="utf-8")
