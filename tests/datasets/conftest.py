"""Where the tests of data sets find them: the real files, or none and no network."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import Mock

import pytest

from inspect_confidence.datasets.cache import CACHE_VARIABLE


@pytest.fixture
def published(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The published files, used as the cache."""
    monkeypatch.setenv(CACHE_VARIABLE, str(shared_data))
    return shared_data


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that the user stands in, which is the cache folder too, and no network."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PWD", str(tmp_path))
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    monkeypatch.setattr("requests.Session.send", Mock(side_effect=ConnectionError("no network")))
    return tmp_path
