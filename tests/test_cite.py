"""What is cited of judgments, and what is told of how they came about."""

from __future__ import annotations

import os
import re
from itertools import chain
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from inspect_ai.model import GenerateConfig, ModelConfig, ModelUsage

from build import column_of
from conftest import CHECKOUT, run_respondent
from inspect_confidence import InvalidArgument, __version__, ingest
from inspect_confidence.cli import cite as command
from inspect_confidence.commands.cite import cite
from inspect_confidence.datasets.hub import PUBLISHED
from inspect_confidence.datasets.life_tables import SSA_2022
from inspect_confidence.datasets.question_sets import ITEMS
from inspect_confidence.privacy import SECRET_NAME, model_arguments, model_name, setting_text
from inspect_confidence.references import DATASETS, OWN, TASKS, bibtex, entries, escaped
from inspect_confidence.studies import all_studies

VERBATIM = ("url", "doi", "eprint")


def fields(entry: str) -> dict[str, str]:
    """An entry's fields, with its kind and key; fails where it isn't well-formed BibTeX."""
    head, *lines, last = entry.split("\n")
    form = re.fullmatch(r"@([a-z]+)\{([\w-]+),", head)
    assert form, head
    assert last == "}"
    field_values = {"kind": form[1], "key": form[2]}
    for line in lines:
        field = re.fullmatch(r"  ([a-z]+) = \{(.*)\},", line)
        assert field, line
        name, value = field[1], field[2]
        assert name not in field_values
        assert value
        plain = re.sub(r"\\[&%$#_{}]|\\text\w+\{\}", "", value)
        assert plain.count("{") == plain.count("}"), line
        if name not in VERBATIM:
            assert not re.search(r"[\\&%$#_~^]", plain), line
        field_values[name] = value
    return field_values


def test_references_are_bibtex() -> None:
    """Every entry has a title, a place to find it, and an arXiv id of the right form."""
    cited = set(chain.from_iterable((*DATASETS.values(), *TASKS.values())))
    cited |= {fields(study.reference)["key"] for study in all_studies() if study.reference}
    software = {"inspect_confidence", "inspect_ai"}
    assert {*entries()} == cited | software
    for key in entries():
        entry = fields(bibtex(key))
        assert entry["key"] == key
        assert entry["title"].startswith("{"), key
        assert "version" not in entry, key
        assert {"url", "doi", "booktitle"} & set(entry) or key == "inspect_confidence", key
        if "eprint" in entry:
            assert re.fullmatch(r"\d{4}\.\d{5}", entry["eprint"]), key
            assert entry["url"].endswith(entry["eprint"]), key
            # An arXiv id's first two digits are the year it was put there; books come later.
            assert 2000 + int(entry["eprint"][:2]) in (int(entry["year"]), int(entry["year"]) - 1)
    # A key that stands twice would be one entry here and two in the file.
    text = (CHECKOUT / "src/inspect_confidence/references.bib").read_text("utf-8")
    assert text.count("\n@") + 1 == len(entries())


def test_data_sets_and_names_in_latex() -> None:
    """Every data set is cited or our own; special characters show as they are."""
    names = {"scioly", "mmlu", "gsm8k", "truthfulqa", *ITEMS, *PUBLISHED, SSA_2022}
    assert names <= set(DATASETS)
    assert not OWN & set(DATASETS)
    assert escaped(r"a_b & 5% {x} #1 $2 ~ ^ \n") == (
        r"a\_b \& 5\% \{x\} \#1 \$2 \textasciitilde{} \textasciicircum{} \textbackslash{}n"
    )
    assert fields(bibtex("inspect_ai", version="1_0 & 2%"))["version"] == r"1\_0 \& 2\%"


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> EvalLog:
    """Three items at two levels, with a prompt from a file, by a simulated respondent."""
    folder = tmp_path_factory.mktemp("private")
    prompt = folder / "wording.txt"
    prompt.write_text("A {level}% interval of exponents for: {question}", "utf-8")
    return run_respondent(
        "calibrated", folder / "logs", items=3, levels="80,90", prompt=str(prompt)
    )


def test_what_is_cited_of_a_run(log: EvalLog) -> None:
    """Package as in CITATION.cff with the log's version, study, and Inspect with its own."""
    citation_file = yaml.safe_load((CHECKOUT / "CITATION.cff").read_text("utf-8"))
    run_entry = fields(cite(log.location).bibtex[0])
    assert run_entry == {
        "kind": "software",
        "key": "inspect_confidence",
        "author": "{" + escaped(citation_file["authors"][0]["name"]) + "}",
        "title": "{" + escaped(citation_file["title"]) + "}",
        "version": __version__,
        "note": citation_file["abstract"],
    }
    cited = list(map(fields, cite(log.location).bibtex))
    assert column_of(cited, "key") == [
        *("inspect_confidence", "epstein2025fermieval", "inspect_ai")
    ]
    assert cited[-1]["version"] == log.eval.packages["inspect_ai"]


def test_settings_are_those_of_the_log(log: EvalLog) -> None:
    """Model, arguments, versions, items and counts, in one paragraph."""
    (setting,) = cite(log.location).settings
    assert "\n" not in setting
    assert setting.startswith("fermi_eval (version 1-A) asked respondent/calibrated in one run on ")
    assert log.eval.created[:10] in setting
    # Inspect records the package where it is installed from this checkout.
    for name, version in log.eval.packages.items():
        assert f"{name} {version}" in setting
    assert "items=3; levels=80,90; method=direct; prompt=wording.txt; seed=0" in setting
    assert "Generation settings: the provider's defaults." in setting
    assert "Items: 3 of bundled (2 train, 1 test), one epoch." in setting
    assert "Judgments: 6, of which 6 could be read and 0 could not." in setting


def test_runs_of_one_second_are_in_one_order_whatever_the_files_times(
    log: EvalLog, tmp_path: Path
) -> None:
    """By model, then by id; two copies of a folder with other times give the same text."""
    models = ["respondent/unsure", "respondent/calibrated", "respondent/calibrated"]
    texts = set()
    for order in ((0, 1, 2), (2, 0, 1)):
        folder = tmp_path / "".join(map(str, order))
        for time, number in enumerate(order, start=1):
            header = log.eval.model_copy(
                update={"model": models[number], "task_id": f"id{number}", "eval_id": f"id{number}"}
            )
            samples = []
            for sample in log.samples or []:
                samples.append(sample.model_copy(update={"uuid": f"{number} {sample.uuid}"}))
            copy = log.model_copy(update={"eval": header, "samples": samples})
            path = folder / f"2026-01-01T00-00-00-00-00_fermi-eval_id{number}.eval"
            folder.mkdir(exist_ok=True)
            write_eval_log(copy, str(path))
            os.utime(path, (time, time))
        (setting,) = cite(folder).settings
        texts.add(setting)
    (text,) = texts
    assert "asked respondent/calibrated and respondent/unsure in 3 runs" in text


@pytest.fixture
def private(log: EvalLog, tmp_path: Path) -> Path:
    """The same log of a model on disk, with a key, addresses, folders and a retry that failed."""
    edited = read_eval_log(log.location)
    edited.eval.model = "vllm//home/somebody/models/llama"
    edited.eval.model_args = {
        **{"api_key": "sk-SECRET", "azure_auth": "SECRET", "default_headers": {"x": "SECRET"}},
        **{"server": "https://SECRET.example", "model_path": "/home/somebody/llama-8b"},
        **{"nested": {"deep": "SECRET"}, "device": "cuda"},
    }
    edited.eval.task_args["system"] = "C:\\Users\\somebody\\polite.txt"
    edited.eval.config.epochs = 2
    edited.eval.model_roles = {
        "grader": ModelConfig(
            model="openai/gpt-4o",
            config=GenerateConfig(temperature=0.5, extra_headers={"x": "SECRET"}),
            base_url="https://SECRET.example",
            args={"api_key": "SECRET"},
        )
    }
    edited.plan.config = GenerateConfig(
        temperature=0.7, extra_body={"k": "SECRET"}, max_connections=3
    )
    edited.eval.metadata = {**(edited.eval.metadata or {}), "excluded": {"duplicate": 4}}
    write_eval_log(edited, str(tmp_path / "2026_edited.eval"))
    failed = read_eval_log(log.location)
    failed.status = "error"
    failed.eval.created = "2001-01-01T00:00:00+00:00"
    write_eval_log(failed, str(tmp_path / "2001_failed.eval"))
    return tmp_path


def test_what_is_told_of_private_runs(private: Path) -> None:
    """No key, address or folder, files by their last name; a retried run is one."""
    citation = cite(private)
    settings_text = "\n".join([*citation.bibtex, *citation.settings])
    assert "SECRET" not in settings_text
    assert "somebody" not in settings_text
    assert str(private) not in settings_text
    assert "vllm/llama in one run" in settings_text
    assert "system=polite.txt" in settings_text
    assert (
        "Model arguments: device=cuda; model_path=llama-8b; server=(an address)." in settings_text
    )
    assert "The grader was openai/gpt-4o (temperature=0.5)." in settings_text
    # The body of the requests may change replies: it is told by a fingerprint, without its content.
    assert re.search(r"extra_body=\(set; sha256 [0-9a-f]{12}\); temperature=0.7;", settings_text)
    assert "temperature=0.7; all others the provider's defaults." in settings_text
    assert "2 epochs. 4 of bundled were not asked: duplicate." in settings_text
    (settings_text,) = cite(private).settings
    assert "2001" not in settings_text
    assert "did not finish" not in settings_text


def test_time_counts_each_log_of_a_retried_run_and_tokens_the_newest(
    log: EvalLog, tmp_path: Path
) -> None:
    """The log of a retry has the tokens of the samples that it takes over, but not their time."""
    usage = ModelUsage(input_tokens=30, output_tokens=3, total_tokens=33)
    for hour, minutes in ((1, 50), (1, 50), (3, 10)):  # a copy takes no further time
        part = read_eval_log(log.location)
        part.eval.created = f"2026-01-01T0{hour}:00:00+00:00"
        part.stats.started_at = part.eval.created
        part.stats.completed_at = f"2026-01-01T0{hour}:{minutes}:00+00:00"
        part.stats.model_usage = {part.eval.model: usage}
        part.stats.role_usage = {}
        number = len(list(tmp_path.iterdir()))
        write_eval_log(part, str(tmp_path / f"{number}.eval"))
    (settings_text,) = cite(tmp_path).settings
    assert "in one run on 2026-01-01" in settings_text
    assert " 30 tokens in, 3 out" in settings_text
    assert "; 60 minutes of wall time." in settings_text


SETTINGS = [
    ("80,90", "80,90"),
    ([80, 90.5], "80,90.5"),
    (True, "True"),
    ("/home/a,b/items.txt", "items.txt"),
    ("../mine/items.txt", "items.txt"),
    ("C:\\Users\\a b\\items.txt", "items.txt"),
    ("./mine/a.csv,cais/mmlu,C:\\b.csv", "a.csv,cais/mmlu,b.csv"),
    (".\\mine\\a.csv", "a.csv"),
    ("~/items.txt", "items.txt"),
    ("cais/mmlu", "cais/mmlu"),
    ("Answer yes/no.", "Answer yes/no."),
    ("</answer>", "</answer>"),
    ("Say ~50% or 3/4, no more.", "Say ~50% or 3/4, no more."),
    ("see /home/somebody/notes.txt", "see notes.txt"),
    ("sk-ant-api03-aaaaaaaaaaaaaaaa", "[removed]"),
    ("see https://me.example/x now", "see [removed] now"),
    ("s3://bucket/items.txt", "(an address)"),
    # The first 12 digits of sha256, by sha256sum.
    ("line\n", "(text; sha256 c73b73af8851)"),
]


def test_settings_and_names_as_text() -> None:
    """Numbers and words as they are; of places the last part; nothing that may be secret."""
    for value, expected in SETTINGS:
        assert setting_text(value) == expected
    settings = {
        **{"max_tokens": 5, "device": "cuda", "organization": "sk-ant-api03-aaaaaaaaaaaaaaaa"}
    }
    expected_settings = {"max_tokens": "5", "device": "cuda", "organization": "[removed]"}
    for name in (
        *("passwd", "db_pwd", "cookie", "apikey", "hf_token", "AUTH", "account_id", "gcp_project"),
    ):
        assert SECRET_NAME.search(name), name
        assert model_arguments({name: "hunter2", **settings}) == expected_settings, name
    for name, expected in {
        "openai/gpt-4o": "openai/gpt-4o",
        "hf/meta-llama/Llama-3": "hf/meta-llama/Llama-3",
        "azureai/https://me.azure.com/x": "azureai/[removed]",
        "vllm//home/somebody/llama": "vllm/llama",
        "hf/./models/llama": "hf/llama",
        "hf/C:\\models\\llama": "hf/llama",
        "mockllm": "mockllm",
    }.items():
        assert model_name(name) == expected


def test_a_missing_grade_is_no_unread_reply(tmp_path: Path) -> None:
    """Counts of replies that could not be read have no judgment without a grade."""
    path = tmp_path / "answers.csv"
    rows = ["item,model,confidence,correct,status"]
    for item, status in enumerate(["ok", "declined", "scoring_failed", "refusal", "echo"]):
        rows.append(f"{item},m,0.5,{1 if status == 'ok' else ''},{status}")
    path.write_text("\n".join(rows), "utf-8")
    (setting,) = cite([path]).settings
    assert setting.endswith(
        "Judgments: 5, of which 2 could be read (1 declined the question), 2 could not "
        "(1 refusal, 1 echo) and 1 have no reply or no grade (1 scoring_failed)."
    )


def test_files_of_judgments(tmp_path: Path) -> None:
    """A file tells models and counts; its data sets are cited, or named as unknown."""
    path = tmp_path / "answers.csv"
    path.write_text(
        "item,low,high,confidence,correct,target,model,dataset,status\n"
        "a,0,100,0.9,1,A,m/1,mmlu,ok\n"
        "b,0,100,0.8,0,A,m/1,mine.csv,ok\n"
        "c,0,100,,,A,m/1,mmlu+gsm8k,refusal\n",
        "utf-8",
    )
    citation = cite([path])
    keys = [fields(entry)["key"] for entry in citation.bibtex]
    assert keys == [
        *("inspect_confidence", "dai2026rescaling", "cobbe2021gsm8k", "hendrycks2021mmlu")
    ]
    # The version that computes the numbers of the file.
    assert fields(citation.bibtex[0])["version"] == __version__
    assert citation.unknown == ["mine.csv"]
    assert citation.settings == [
        "scale_variants: 3 judgments of m/1 were read from files, which don't record how "
        "confidence was elicited. Judgments: 3, of which 2 could be read and 1 could not (1 "
        "refusal)."
    ]


def test_a_store_without_its_logs_says_that_they_are_gone(log: EvalLog, tmp_path: Path) -> None:
    """Judgments of a store are not called judgments of files when its log is deleted."""
    logs, store = tmp_path / "logs", tmp_path / "store"
    logs.mkdir()
    copy = logs / Path(log.location).name
    copy.write_bytes(Path(log.location).read_bytes())
    ingest(logs, store)
    assert cite(store).settings == cite(log.location).settings
    copy.unlink()
    (settings,) = cite(store).settings
    assert settings == (
        "fermi_eval: 6 judgments of respondent/calibrated were read from a store, and the log of "
        "this run can't be read any more: the settings are unknown. Judgments: 6, of which 6 could "
        "be read and 0 could not."
    )


def test_nothing_to_cite_is_refused(tmp_path: Path) -> None:
    """A folder without judgments is an error."""
    with pytest.raises(InvalidArgument, match="No judgments"):
        cite(tmp_path)


def test_command(log: EvalLog) -> None:
    """It prints both parts, or the one that was asked for."""
    for words, entries_too, settings in (
        ([], True, True),
        (["--only", "bibtex"], True, False),
        (["--only", "settings"], False, True),
    ):
        done = CliRunner().invoke(command, [log.location, *words])
        assert done.exit_code == 0, done.output
        assert ("@software{inspect_confidence," in done.stdout) == entries_too, words
        assert ("fermi_eval (version 1-A)" in done.stdout) == settings, words
