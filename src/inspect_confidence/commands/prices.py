"""Prices of models from the user's file, Inspect's model data, or this package's dated list."""

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

MAX_PRICE = 1e9
"""Limit of dollars per million tokens, so that sums don't overflow."""
_Dollars = Annotated[float, Field(ge=0, le=MAX_PRICE)]

_SIMULATED_PROVIDERS = ("respondent/", "mockllm/")
_DATE_SUFFIX = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$")
"""Date at the end of a model's name: `-20240718`, `-2024-07-18` or `-latest`."""


@dataclass(frozen=True)
class Price:
    """Dollars per million tokens of a model, and their source."""

    cost: ModelCost
    source: str


def is_simulated(model: str) -> bool:
    """Return whether a model is simulated on this machine: it costs nothing, and answers at once.

    Example:
        >>> is_simulated("respondent/candid"), is_simulated("openai/gpt-4o-mini")
        (True, False)
    """
    return model.startswith(_SIMULATED_PROVIDERS)


def price_of(model: str, cost_file: str | None = None) -> Price | None:
    """Return the price of a model, or None if it is unknown.

    The user's file comes first, then Inspect's model data, then this package's list. In the list, a
    dated name (`openai/gpt-4o-mini-2024-07-18`) has the price of the undated name unless it has its
    own. Simulated models cost nothing. A `cost_file` without valid prices is refused.
    """
    if cost_file:
        prices = read_prices(cost_file)
        if model in prices:
            return Price(prices[model], f"prices from {Path(cost_file).name}")
    if is_simulated(model):
        free = ModelCost(input=0, output=0, input_cache_write=0, input_cache_read=0)
        return Price(free, "simulated models cost nothing")
    info = get_model_info(model)
    if info and info.cost:
        return Price(info.cost, "prices from Inspect's model data")
    list_prices = _list_prices()
    return list_prices.get(model) or list_prices.get(_DATE_SUFFIX.sub("", model))


class _Price(ModelCost):
    """Dollars per million tokens in Inspect's fields, each within bounds."""

    model_config = ConfigDict(strict=True, extra="forbid")

    input: _Dollars
    output: _Dollars
    input_cache_write: _Dollars
    input_cache_read: _Dollars


def read_prices(file: str) -> dict[str, ModelCost]:
    """Read prices by model from a file for Inspect's option --model-cost-config.

    Raises:
        InvalidArgument: The file can't be read, or a price is missing, negative or not a number.
    """
    path = Path(file)
    try:
        value = read_json(path) if path.suffix == ".json" else read_yaml(path)
        return dict(check_shape(file, value, dict[str, _Price]))
    except InvalidArgument as error:
        raise InvalidArgument(
            f"{error.message} Write for each model, as openai/gpt-4o-mini: "
            "{input: 0.15, output: 0.6, input_cache_write: 0.15, input_cache_read: 0.075}."
        ) from None


@cache
def _list_prices() -> dict[str, Price]:
    """Return the prices of this package's list by model; those of cached input default to input."""
    data: dict[str, Any] = yaml.safe_load(
        files("inspect_confidence.commands").joinpath("prices.yaml").read_text(encoding="utf-8")
    )
    prices = {}
    # As `{input: 2.5, output: 10, source: openai}`, with a key of `data["sources"]`.
    for model, price in data["models"].items():
        cost = ModelCost(
            input=price["input"],
            output=price["output"],
            input_cache_write=price.get("cache_write", price["input"]),
            input_cache_read=price.get("cache_read", price["input"]),
        )
        source = data["sources"][price["source"]]
        prices[model] = Price(cost, f"list price of {source['date']}, {source['address']}")
    return prices
