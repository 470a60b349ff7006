"""Which data sets come from the Hugging Face hub."""

import re

from inspect_confidence.datasets._marker_sets import PUBLISHED

_ADDRESS = re.compile(r"https://huggingface\.co/datasets/([^/]+/[^/]+)/resolve/")


def hub_repository(dataset: str) -> str:
    """The repository that a data set's files come from; empty where they don't all come from one.

    Example:
        >>> hub_repository("mmlu"), hub_repository("bundled")
        ('cais/mmlu', '')
    """
    if dataset not in PUBLISHED:
        return ""
    found = [_ADDRESS.match(file.url) for file in PUBLISHED[dataset].files]
    names = {match[1] if match else "" for match in found}
    return names.pop() if len(names) == 1 else ""
