"""The command that says what a run would cost."""

from collections.abc import Sequence

import click


@click.command()
@click.argument("task")
@click.option("-T", "arguments", multiple=True, metavar="NAME=VALUE", help="A task argument.")
@click.option("--model", help="For the price, where Inspect's model cost data has the model.")
@click.option("--epochs", default=1, show_default=True)
@click.option(
    "--model-cost-config",
    type=click.Path(exists=True, dir_okay=False),
    envvar="INSPECT_EVAL_MODEL_COST_CONFIG",
    help="YAML or JSON file with model prices, as `inspect eval` takes it.",
)
def plan(
    task: str,
    arguments: Sequence[str],
    model: str | None,
    epochs: int,
    model_cost_config: str | None,
) -> None:
    """Print what a run would ask and cost, without calling a model."""
    from inspect_confidence._plan import plan_run

    click.echo(plan_run(task, arguments, model, epochs, model_cost_config))
