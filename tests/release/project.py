"""What pyproject.toml says of the package, for the tests of what is published."""

from __future__ import annotations

import tomllib
from typing import Any

from packaging.requirements import Requirement

from build import records_by
from conftest import CHECKOUT


def pyproject() -> dict[str, Any]:
    """The whole file."""
    return tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))


def requirements(extra: str | None = None) -> dict[str, Requirement]:
    """By name what the package needs, or what one of its extras adds."""
    project = pyproject()["project"]
    texts = project["optional-dependencies"][extra] if extra else project["dependencies"]
    return records_by(map(Requirement, texts), "name")


def lowest(requirement: Requirement) -> str:
    """The lowest version that a requirement with one bound allows."""
    (bound,) = requirement.specifier
    assert bound.operator in (">=", "=="), requirement
    return bound.version
