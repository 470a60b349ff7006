"""Keys and home folders are removed from texts that are printed or exported."""

from __future__ import annotations

import pytest

from inspect_confidence.redaction import failure, without_keys


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("api_key=abc123", "api_key=[removed]"),
        ("variant=api_key%3Dabc123;level=90", "variant=api_key%3D[removed];level=90"),
        ('{"my_password": "a-b-c", "n": 3}', '{"my_password": "[removed]", "n": 3}'),
        ("read /home/someone/logs/a.eval", "read ~/logs/a.eval"),
        ("read C:\\Users\\someone\\logs", "read ~\\logs"),
        ("max_tokens=100 in /data/logs", "max_tokens=100 in /data/logs"),
        # As short as such texts can be.
        ("a:b@c", "[removed]"),
        ("/home/a", "~"),
    ],
)
def test_named_secrets_and_home_folders_are_removed(text: str, shown: str) -> None:
    """Other settings and paths stay."""
    assert without_keys(text) == shown


@pytest.mark.parametrize("before", range(985, 1000))
def test_a_key_at_the_end_of_the_part_that_is_searched_is_not_cut(before: int) -> None:
    """The request before the key is left out, so that the end of that part is shown."""
    request = "".join(f"{number} " for number in range(before))[: before - 1]
    shown = failure(f"{request} sk-abcdefghijklmnopqrstuvwx", request)
    assert "sk-" not in shown
    assert shown.startswith("[...]")
