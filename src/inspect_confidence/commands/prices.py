"""What models cost: the user's file, Inspect's own data, or a dated list of this package's."""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import yaml
from inspect_ai.model import ModelCost, get_model_info
from pydantic import ConfigDict, Field

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.user_files import check_shape, read_json, read_yaml

DEAREST = 1e9
"""Dollars a million tokens at most, so that no sum of dollars overflows."""
_Dollars = Annotated[float, Field(ge=0, le=DEAREST)]

_FREE = ("respondent/", "mockllm/")
_DATED = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$")


@dataclass(frozen=True)
class Price:
    """Dollars a million tokens of a model, and where that is from."""

    cost: ModelCost
    source: str


def price_of(model: str, cost_file: str | None = None) -> Price | None:
    """The price of a model as Inspect names it, or None where none is known.

    A dated name (`openai/gpt-4o-mini-2024-07-18`) has the price of the undated one unless it is
    listed itself. Simulated models cost nothing.

    Raises:
        InvalidArgument: The file can't be read as prices.
    """
    given = read_prices(cost_file) if cost_file else {}
    if model in given:
        return Price(given[model], f"prices from {Path(cost_file or '').name}")
    if model.startswith(_FREE):
        free = ModelCost(input=0, output=0, input_cache_write=0, input_cache_read=0)
        return Price(free, "simulated models cost nothing")
    info = get_model_info(model)
    if info and info.cost:
        return Price(info.cost, "prices from Inspect's model data")
    listed = _listed()
    return listed.get(model) or listed.get(_DATED.sub("", model))


class _Cost(ModelCost):
    """Dollars a million tokens, as Inspect has them, each a number within bounds."""

    model_config = ConfigDict(strict=True, extra="forbid")

    input: _Dollars
    output: _Dollars
    input_cache_write: _Dollars
    input_cache_read: _Dollars


def read_prices(file: str) -> dict[str, ModelCost]:
    """Prices by model from a file such as Inspect's --model-cost-config takes.

    Raises:
        InvalidArgument: The file can't be read, or a price is missing or not a number from 0 on.
    """
    path = Path(file)
    try:
        value = read_json(path) if path.suffix == ".json" else read_yaml(path)
        return dict(check_shape(file, value, dict[str, _Cost]))
    except InvalidArgument as error:
        raise InvalidArgument(
            f"{error.message} Give for each model, as openai/gpt-4o-mini: "
            "{input: 0.15, output: 0.6, input_cache_write: 0.15, input_cache_read: 0.075}."
        ) from None


@cache
def _listed() -> dict[str, Price]:
    there: dict[str, Any] = yaml.safe_load(
        files("inspect_confidence.commands").joinpath("prices.yaml").read_text(encoding="utf-8")
    )
    return {
        model: Price(
            ModelCost(
                input=one["input"],
                output=one["output"],
                input_cache_write=one.get("cache_write", one["input"]),
                input_cache_read=one.get("cache_read", one["input"]),
            ),
            f"list price of {there['sources'][one['source']]['date']}, "
            f"{there['sources'][one['source']]['address']}",
        )
        for model, one in there["models"].items()
    }
