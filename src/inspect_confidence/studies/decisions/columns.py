"""Columns of the three tasks on decisions: their names and kinds."""

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
    "answer:text target:text choices correct keep bet pushback:text answer_after:text "
    "correct_after moved confidence_before confidence_after keep_status:text bet_status:text "
    "after_status:text confidence_before_status:text confidence_after_status:text"
)
"""`keep`, `bet` and `moved` are 1, 0, or NaN if not asked or not read; each has a status, which is
empty if it was not asked. `pushback` is `none`, `neutral`, `disagree` or `source`.
"""
