"""How far a model's words lie from people's: a table of coloured cells."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from inspect_confidence.plots._cells import Table, cells
from inspect_confidence.plots._fit import kept
from inspect_confidence.plots._rows import drawn, groups
from inspect_confidence.plots._style import styled
from inspect_confidence.plots._word_settings import settings_in_order

_METRICS = {
    "kl_divergence": "Kullback-Leibler divergence from people (nats)",
    "jensen_shannon": "Jensen-Shannon divergence from people (nats)",
    "wasserstein": "distance from people (percentage points)",
}
_COLUMNS = ("setting", "language", "variant", "model", "dataset")
_MOST_WORDS, _MOST_COLUMNS = 40, 10


@styled
def divergence(rows: pd.DataFrame) -> Figure:
    """Divergence of each word from people, the setting (and what else differs) in columns.

    A table a metric, in blocks of up to five columns. Cells without a value are blank.

    Args:
        rows: Results of `wep_elicitation`; its rows of `kl_divergence`, `jensen_shannon` and
            `wasserstein` against people are drawn.

    Returns:
        The figure.

    Raises:
        InvalidArgument: There is no such row.
    """
    against = rows["condition"].map(lambda text: "versus=human" in text.split(";"))
    parts = ("setting", "language", "word")
    there = drawn(rows[against.astype(bool)], "wep_elicitation", list(_METRICS), parts)
    names, more = kept(list(dict.fromkeys(there["word"])), _MOST_WORDS, "words")
    there = settings_in_order(there)
    titled = groups(there.assign(setting=there["setting"].replace("all", "all settings")), _COLUMNS)
    columns, left = kept(list(titled), _MOST_COLUMNS, "columns")
    tables = []
    for metric, title in _METRICS.items():
        values = [
            some[some["metric"] == metric].drop_duplicates("word").set_index("word")["value"]
            for _, some in columns
        ]
        if any(map(len, values)):
            table = np.column_stack([one.reindex(names).to_numpy(float) for one in values])
            write = "{:.1f}".format if metric == "wasserstein" else "{:.2f}".format
            labels = [label for label, _ in columns]
            tables.append(Table(title, table, names, labels, write, (more + left).strip()))
    return cells(tables)
