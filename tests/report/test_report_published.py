"""Own figures beside published ones: same metric and condition, whatever the variant."""

from inspect_confidence.report.tables import beside
from inspect_confidence.results import Result, results_frame

_NAN = float("nan")


def _row(task: str, metric: str, condition: str, value: float) -> Result:
    return Result(task, "mine", "anything", condition, metric, value, _NAN, _NAN, 5, "")


def test_published_figures_of_another_variant_stand_beside() -> None:
    """LifeEval's slopes were published with the authors' prompts; ours are shown above them."""
    own = results_frame([_row("life_eval", "hard_easy_slope", "variant=prompts%3Dours", 0.5)])
    table = beside(own)
    assert table is not None
    said = [[cell.text for cell in line] for line in table.lines]
    own_line = ["hard_easy_slope", "-", "anything", "mine", "prompts=ours", "own", "0.500"]
    assert said[0][:7] == own_line
    assert table.lines[0][6].row == 0
    models = {line[3]: line[6] for line in said[1:]}
    # The study prints .996 for Claude Haiku 3.
    assert models["Claude Haiku 3"] == "0.996"
    assert {line[5] for line in said[1:]} == {"published"}
    assert all(line[7] != "-" for line in said[1:])


def test_other_conditions_stay_out() -> None:
    """A level that the study has no figure of has nothing beside it."""
    own = results_frame([_row("fermi_eval", "coverage", "level=50;method=direct", 0.5)])
    assert beside(own) is None
