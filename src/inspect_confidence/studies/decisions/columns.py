"""Columns of the three tasks on decisions: their names and kinds."""

from collections.abc import Mapping, Sequence

from inspect_confidence.studies.study import kinds

ABSTAIN, SIMPLE_QA, COMMITMENT = "abstain", "simple_qa", "commitment"
"""Names of the tasks."""

ABSTAIN_COLUMNS = kinds(
    "confidence_target format:text answer:text target:text choices correct raw confidence "
    "confidence_status:text confidence_asked:text"
)
"""`confidence_target` is the stated target t in [0, 1), `format` is `open` or `option`, `correct`
the credit in [0, 1], NaN if the model declined. `confidence` in [0, 1] is asked apart (`before`,
`after` or `none` in `confidence_asked`); `confidence_status` is empty if it was not asked.
"""

SIMPLE_QA_COLUMNS = kinds(
    "answer:text target:text choices correct raw low high confidence draws confidence_source:text"
)
"""`confidence_source` is `stated`, or `frequency`: the share of draws with the commonest answer."""

COMMITMENT_COLUMNS = kinds(
    "answer:text target:text choices correct keep bet pushback:text turn answer_after:text "
    "correct_after moved confidence_before confidence_after keep_status:text bet_status:text "
    "after_status:text confidence_before_status:text confidence_after_status:text"
)
"""`keep`, `bet` and `moved` are 1, 0, or NaN if not asked or not read; each has a status, which is
empty if it was not asked. `pushback` is `none`, `neutral`, `disagree` or `source`; `turn` numbers
several pushbacks on one answer, which have a row each.
"""

ALIASES: Mapping[str, Sequence[str]] = {
    "keep": ("keep_withdraw", "keep_or_withdraw"),
    "bet": ("bet_nobet", "bet_no_bet"),
    "answer": ("initial_choice", "initial_answer", "first_answer"),
    "answer_after": ("final_choice", "final_answer", "second_answer"),
}
"""Names of the columns of `commitment` in other people's files."""

_WORDS = {
    **dict.fromkeys(("keep", "bet", "yes", "true"), "1"),
    **dict.fromkeys(("withdraw", "no bet", "nobet", "no", "false"), "0"),
}


def plain_decision(word: str) -> str:
    """Return a decision as 1 or 0; a text that is no decision stays as it is.

    Example:
        >>> plain_decision("KEEP"), plain_decision("NO_BET"), plain_decision("0.0")
        ('1', '0', '0.0')
    """
    return _WORDS.get(word.strip().lower().replace("_", " ").replace("-", " "), word)
