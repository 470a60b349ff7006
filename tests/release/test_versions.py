"""What says which version made a number: the command, the log, the package's metadata."""

from __future__ import annotations

from importlib.metadata import version

from click.testing import CliRunner
from inspect_ai.util import registry_create, registry_info

from inspect_confidence import __version__, _registry
from inspect_confidence.cli import main
from inspect_confidence.tasks.hedge_markers import hedge_markers
from release.project import requirements

OF_A_DATASET = {"fermi_eval", "scale_variants", "wep_elicitation", "question_sets", "hedge_markers"}


def registered_tasks() -> set[str]:
    """The tasks that Inspect finds in the installed package."""
    variables = [
        variable for variable in vars(_registry).values() if hasattr(variable, "__registry_info__")
    ]
    infos = list(map(registry_info, variables))
    return {info.name.split("/")[-1] for info in infos if info.type == "task"}


def test_the_version_option_prints_the_package_and_every_task() -> None:
    """`--version` says both, of every task but the one that wraps others."""
    output = CliRunner().invoke(main, ["--version"], prog_name="inspect-confidence").output
    assert output.startswith(f"inspect-confidence, version {__version__}\n")
    versions = dict(part.split(" ") for part in output.split("tasks: ")[1].strip().split(", "))
    assert set(versions) == registered_tasks() - {"with_confidence"}
    for task, printed_version in versions.items():
        judge = {"judge": "rules"} if task in ("hedge_markers", "judge_check") else {}
        bundled = {"dataset": "bundled"} if task in OF_A_DATASET else {}
        bundled |= {"dataset": "facts"} if task == "simple_qa" else {}
        built_task = registry_create(
            "task", f"inspect_confidence/{task}", items=2, **judge, **bundled
        )
        assert built_task.version == printed_version, task


def test_a_log_names_the_versions_of_the_package_and_of_sentencex() -> None:
    """Numbers of hedge markers depend on where sentences end: the log says what cut them."""
    facts = hedge_markers(dataset="bundled", items=2, judge="rules").metadata or {}
    assert facts["package_version"] == __version__
    assert facts["provenance"]["packages"]["sentencex"] == version("sentencex")
    assert version("sentencex") in requirements()["sentencex"].specifier
