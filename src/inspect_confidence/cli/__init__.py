"""The command line: from logs to judgments, results, comparisons, reports and exports."""

import click

from inspect_confidence import __version__
from inspect_confidence.cli._canonicalize import canonicalize
from inspect_confidence.cli._check import check
from inspect_confidence.cli._cite import cite
from inspect_confidence.cli._compare import compare
from inspect_confidence.cli._export import export
from inspect_confidence.cli._judgments import judgments
from inspect_confidence.cli._plan import plan
from inspect_confidence.cli._report import report
from inspect_confidence.cli._summarize import summarize


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def main() -> None:
    """Confidence of language models: judgments, results and reports from Inspect's logs.

    PATH is a log, a folder of logs (anywhere Inspect reads), or a csv or parquet file of judgments.
    """


for command in (canonicalize, check, cite, compare, export, judgments, plan, report, summarize):
    main.add_command(command)
