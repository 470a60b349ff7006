"""Named presets of the simulated respondents."""

from collections.abc import Mapping

from inspect_confidence.respondents.actuary import Actuary
from inspect_confidence.respondents.estimator import Estimator
from inspect_confidence.respondents.examinee import Examinee
from inspect_confidence.respondents.grader import Grader
from inspect_confidence.respondents.hedger import Hedger
from inspect_confidence.respondents.metacognitive import Metacognitive
from inspect_confidence.respondents.surveyed import Chooser, Surveyed
from inspect_confidence.respondents.utterance import Respondent
from inspect_confidence.respondents.versatile import Versatile

CANDID = Versatile(
    (
        Estimator(),
        Metacognitive(accuracy=0.7, meta_d=2.0),
        Examinee(accuracy=0.7, meta_d=2.0, before_noise=0.0),
        Actuary(sensitivity=1.0),
        Surveyed(),
        Chooser(),
        Hedger(stability=1.0, variety=0.4),
        Grader(),
    )
)
"""Respondent to every task that is about as confident as it is accurate."""

BOASTFUL = Versatile(
    (
        Estimator(tunnel=0.65),
        Metacognitive(accuracy=0.7, meta_d=0.5, bias=1.5, anchor_share=0.3),
        Examinee(accuracy=0.7, meta_d=0.5, bias=1.5, heeds=False, caves=0.5),
        Actuary(sensitivity=0.2, bias=0.2),
        Surveyed(shift=15.0),
        Chooser(noise=0.2),
        Hedger(stability=0.2, variety=0.4),
        Grader(),
    )
)
"""Respondent with the same accuracy as `CANDID` that overstates its confidence."""

PRESETS: Mapping[str, Respondent] = {
    "calibrated": Estimator(),
    "overconfident": Estimator(shrink=0.36),
    "tunnel": Estimator(tunnel=0.65),
    "erratic": Estimator(error_rate=0.2),
    "metacognitive": Metacognitive(),
    "examinee": Examinee(),
    "actuary": Actuary(),
    "hedger": Hedger(variety=0.4),
    "judge": Grader(),
    "surveyed": Surveyed(),
    "chooser": Chooser(),
    "candid": CANDID,
    "boastful": BOASTFUL,
}
"""Respondents by name; `overconfident` covers 65% at a nominal 99%, as in the FermiEval study."""
