"""The settings in which contexts speak, in the study's order."""

import pandas as pd

SETTINGS = ("concise", "extended", "female", "male")

_ORDER = {name: place for place, name in enumerate((*SETTINGS, "", "all"))}


def settings_in_order(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows by setting, all of them together last."""
    return rows.sort_values(
        "setting",
        key=lambda names: names.map(lambda name: _ORDER.get(name, len(SETTINGS))),
        kind="stable",
    )
