"""Readers of replies: text in, a typed answer or a typed failure out. Pure; no Inspect.

No text raises anything. `truncated` says that the model was cut off: what stands where the text
ends may then go on, and is not read. A failure is `ParseFailure`, with a status and a reason.
"""

from inspect_confidence.answers.amount import StatedAmount, read_amount
from inspect_confidence.answers.choices import StatedChoice, read_choice
from inspect_confidence.answers.exponents import (
    StatedExponent,
    StatedInterval,
    read_exponent,
    read_interval,
)
from inspect_confidence.answers.objects import (
    JsonReply,
    OptionProbabilities,
    age_in,
    letter_in,
    probabilities_in,
    probability_in,
    read_json,
    verdict_in,
)
from inspect_confidence.answers.probability import StatedProbability, read_probability
from inspect_confidence.answers.scale import StatedConfidence, confidence_of, read_confidence
from inspect_confidence.answers.status import (
    ANSWER_STATUSES,
    INSTRUMENT_STATUSES,
    REPLY_STATUSES,
    RUN_STATUSES,
    STATUSES,
    FailureStatus,
    ParseFailure,
    Status,
    reply_failure,
)
from inspect_confidence.answers.token_confidence import (
    TokenConfidence,
    read_p_true,
    read_token_confidence,
)
from inspect_confidence.answers.tokens import (
    AnswerToken,
    IntegerDistribution,
    TokenChoice,
    read_age_token,
    read_answer_token,
    read_integer_distribution,
)
from inspect_confidence.answers.word_choice import WordChoice, first_letter, read_word_choice

__all__ = [
    "ANSWER_STATUSES",
    "INSTRUMENT_STATUSES",
    "REPLY_STATUSES",
    "RUN_STATUSES",
    "STATUSES",
    "AnswerToken",
    "FailureStatus",
    "IntegerDistribution",
    "JsonReply",
    "OptionProbabilities",
    "ParseFailure",
    "StatedAmount",
    "StatedChoice",
    "StatedConfidence",
    "StatedExponent",
    "StatedInterval",
    "StatedProbability",
    "Status",
    "TokenChoice",
    "TokenConfidence",
    "WordChoice",
    "age_in",
    "confidence_of",
    "first_letter",
    "letter_in",
    "probabilities_in",
    "probability_in",
    "read_age_token",
    "read_amount",
    "read_answer_token",
    "read_choice",
    "read_confidence",
    "read_exponent",
    "read_integer_distribution",
    "read_interval",
    "read_json",
    "read_p_true",
    "read_probability",
    "read_token_confidence",
    "read_word_choice",
    "reply_failure",
    "verdict_in",
]  # fmt: skip
