"""Files that say which form stands for each hedge marker."""

import json
from collections.abc import Mapping
from pathlib import Path

from inspect_confidence.arguments import read_text
from inspect_confidence.errors import InvalidArgument


def read_forms(path: Path) -> dict[str, str]:
    """The forms in a json file.

    Raises:
        InvalidArgument: It holds something else.
    """
    try:
        forms = json.loads(read_text(path))
    except ValueError as error:
        raise InvalidArgument(f"{path.name} is not JSON: {error}.") from None
    texts = isinstance(forms, dict) and all(isinstance(form, str) for form in forms.values())
    if not texts:
        raise InvalidArgument(f"{path.name} is no JSON object of a form for each marker.")
    return dict(forms)


def write_forms(forms: Mapping[str, str], path: Path) -> None:
    """Write forms as `read_forms` takes them.

    Raises:
        InvalidArgument: The file can't be written.
    """
    try:
        path.write_text(json.dumps(forms, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise InvalidArgument(f"{path} can't be written: {error.strerror}.") from None
