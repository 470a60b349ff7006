"""Readers of replies: each turns a text into a typed answer or a `ParseFailure`.

The readers do not depend on Inspect, and no text makes them raise an error. `truncated` says that
the reply was cut off. A number or word at the very end may then be incomplete and is not read. A
`ParseFailure` has a status and a reason.
"""

from inspect_confidence.answers.amount import StatedAmount as StatedAmount
from inspect_confidence.answers.amount import read_amount as read_amount
from inspect_confidence.answers.choices import StatedChoice as StatedChoice
from inspect_confidence.answers.choices import read_choice as read_choice
from inspect_confidence.answers.exponents import StatedExponent as StatedExponent
from inspect_confidence.answers.exponents import StatedInterval as StatedInterval
from inspect_confidence.answers.exponents import read_exponent as read_exponent
from inspect_confidence.answers.exponents import read_interval as read_interval
from inspect_confidence.answers.objects import JsonReply as JsonReply
from inspect_confidence.answers.objects import OptionProbabilities as OptionProbabilities
from inspect_confidence.answers.objects import age_in as age_in
from inspect_confidence.answers.objects import letter_in as letter_in
from inspect_confidence.answers.objects import probabilities_in as probabilities_in
from inspect_confidence.answers.objects import probability_in as probability_in
from inspect_confidence.answers.objects import read_json as read_json
from inspect_confidence.answers.objects import verdict_in as verdict_in
from inspect_confidence.answers.probability import StatedProbability as StatedProbability
from inspect_confidence.answers.probability import read_probability as read_probability
from inspect_confidence.answers.scale import StatedConfidence as StatedConfidence
from inspect_confidence.answers.scale import confidence_of as confidence_of
from inspect_confidence.answers.scale import read_confidence as read_confidence
from inspect_confidence.answers.status import ANSWER_STATUSES as ANSWER_STATUSES
from inspect_confidence.answers.status import INSTRUMENT_STATUSES as INSTRUMENT_STATUSES
from inspect_confidence.answers.status import READ_STATUSES as READ_STATUSES
from inspect_confidence.answers.status import REPLY_STATUSES as REPLY_STATUSES
from inspect_confidence.answers.status import RUN_STATUSES as RUN_STATUSES
from inspect_confidence.answers.status import STATUSES as STATUSES
from inspect_confidence.answers.status import FailureStatus as FailureStatus
from inspect_confidence.answers.status import ParseFailure as ParseFailure
from inspect_confidence.answers.status import Status as Status
from inspect_confidence.answers.status import reply_failure as reply_failure
from inspect_confidence.answers.token_confidence import NO_TOKENS as NO_TOKENS
from inspect_confidence.answers.token_confidence import TokenConfidence as TokenConfidence
from inspect_confidence.answers.token_confidence import read_p_true as read_p_true
from inspect_confidence.answers.token_confidence import (
    read_token_confidence as read_token_confidence,
)
from inspect_confidence.answers.tokens import AnswerToken as AnswerToken
from inspect_confidence.answers.tokens import IntegerDistribution as IntegerDistribution
from inspect_confidence.answers.tokens import TokenChoice as TokenChoice
from inspect_confidence.answers.tokens import read_age_token as read_age_token
from inspect_confidence.answers.tokens import read_answer_token as read_answer_token
from inspect_confidence.answers.tokens import read_integer_distribution as read_integer_distribution
from inspect_confidence.answers.word_choice import WordChoice as WordChoice
from inspect_confidence.answers.word_choice import first_letter as first_letter
from inspect_confidence.answers.word_choice import read_word_choice as read_word_choice
