"""Keys, addresses and local paths stay in the logs."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest
from inspect_ai import eval
from inspect_ai.log import read_eval_log, write_eval_log

from build import condition_values, texts_with
from export.judged import intervals
from inspect_confidence import read_judgments
from inspect_confidence.export import FORMATS, export
from inspect_confidence.export.material import clean as clean_material
from inspect_confidence.privacy import argument, model_name, scrub_value, scrubbed_names
from inspect_confidence.redaction import REMOVED, scrub
from inspect_confidence.results import Condition
from inspect_confidence.tasks.fermi_eval import fermi_eval

KEY = "sk-abcdefghijklmnopqrstuvwx"


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("see http://localhost:8000/v1?x=1 there", f"see {REMOVED} there"),
        ("s3://bucket/logs", REMOVED),
        (f"with {KEY}", f"with {REMOVED}"),
        ("hf_ABCDEFGHIJKLMNOPQRST", REMOVED),
        ("Authorization: Bearer abc.def", f"Authorization: {REMOVED}"),
        ("variant=api_key%3Dabc;x=1", f"variant=api_key%3D{REMOVED};x=1"),
        ("base_url=localhost:80/v1", f"base_url={REMOVED}"),
        ("/home/me/prompts/x.txt", "x.txt"),
        ("prompt=/home/me/x.txt;y", "prompt=x.txt;y"),
        ("~/x/y.csv", "y.csv"),
        ("C:\\Users\\me\\x.csv", "x.csv"),
        ("\\\\server\\share\\x.csv", "x.csv"),
        ("vllm//home/me/models/llama", "vllm/llama"),
        ("openai/gpt-4o", "openai/gpt-4o"),
        ("hf/org/model", "hf/org/model"),
        ("../../x", "../../x"),
        ("</script>", "</script>"),
        ("\\input{x}", "\\input{x}"),
        ("1/2 of 3/4", "1/2 of 3/4"),
        ("max_tokens=100", "max_tokens=100"),
    ],
)
def test_secrets_and_folders_are_removed_from_texts(text: str, clean: str) -> None:
    """What is secret is gone, what is not stays as it is."""
    assert scrub(text) == clean


def test_secrets_and_folders_are_removed_from_arguments() -> None:
    """Keys go with their values, nested ones too; models and judges on disk keep no folder."""
    arguments = {
        "prompt": "/home/my own/x.txt",
        "api_key": "a",
        "hf_token": "b",
        "max_tokens": 10,
        "nested": {"password": "c", "headers": {"x": "y"}, "level": 0.5},
        "several": ["/a/b/c.csv", None, True],
    }
    assert scrub_value(arguments) == {
        "prompt": "x.txt",
        "max_tokens": 10,
        "nested": {"level": 0.5},
        "several": ["c.csv", None, True],
    }
    # Two local models of one name in different folders stay two.
    names = scrubbed_names(["vllm//a/x/llama", "vllm//b/x/llama", "openai/gpt-4o"])
    assert len(set(names.values())) == 3
    assert names["openai/gpt-4o"] == "openai/gpt-4o"
    assert not texts_with(names.values(), "/a/")
    assert not texts_with(names.values(), "/b/")
    # A judge among a task's arguments, also nested, keeps no folder.
    judge = f"hf//home/{FOLDER}/judge"
    assert argument({"judge": judge, "more": [judge], "set": {"x": judge}, "items": 3}) == {
        "judge": "hf/judge",
        "more": ["hf/judge"],
        "set": {"x": "hf/judge"},
        "items": 3,
    }


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs of runs with an address, a prompt's path and a key of the user's own."""
    folder = tmp_path_factory.mktemp("a private place")
    prompt = folder / "x.txt"
    prompt.write_text("{question} {level}")
    for template in (str(prompt), None):
        (log,) = eval(
            fermi_eval(dataset="bundled", items=4, levels="90", prompt=template),
            model="respondent/calibrated",
            model_base_url="http://secret.internal:8000/v1",
            log_dir=str(folder / "logs"),
            display="none",
        )
        assert log.status == "success", log.error
        whole = read_eval_log(log.location)
        whole.eval.model_args = {
            "api_key": KEY,
            "base_url": "http://secret.internal:8000/v1",
            "model_path": "/home/private place/llama",
            "organization": f"ours {KEY}",
        }
        write_eval_log(whole, log.location)
    return folder / "logs"


@pytest.mark.parametrize("format", FORMATS)
def test_no_exported_file_holds_secrets_of_the_logs(
    logs: Path, tmp_path: Path, format: str
) -> None:
    """Of such logs no file in any format holds key, address or folder."""
    assert set(read_judgments(logs)["fermi_eval"]["variant"]) != {""}
    paths = export(logs, format, tmp_path, resamples=20)
    assert paths
    for path in paths:
        text = path.read_text("utf-8")
        for secret in (KEY, "secret.internal", "8000", "private place", "/home", str(logs)):
            assert secret not in text
    if format == "every-eval-ever":
        text = "".join(path.read_text("utf-8") for path in paths)
        assert "x.txt" in text
        assert "llama" in text


@pytest.mark.parametrize("format", FORMATS)
def test_no_exported_file_holds_secrets_of_a_judgment_file(tmp_path: Path, format: str) -> None:
    """Names in a file of the user's own are read as those of logs are."""
    frame = intervals("vllm//home/me/models/llama", [(2, 4), (4, 6), (2, 3.5)])
    frame = pd.concat([frame, frame.assign(model="other")]).assign(
        dataset="/home/me/questions.csv", variant=f"prompt=/home/me/x.txt;key={KEY}"
    )
    for path in export(frame, format, tmp_path, resamples=20):
        text = path.read_text("utf-8")
        assert "/home" not in text
        assert KEY not in text


FOLDER = "John Smith"


@pytest.mark.parametrize(
    ("name", "clean"),
    [
        ("hf//home/John Smith/models/secret", "hf/secret"),
        ("hf/~/John Smith/secret/", "hf/secret"),
        ("vllm/C:\\Users\\John Smith\\secret", "vllm/secret"),
        ("openai-api/ollama//home/John Smith/secret", "openai-api/ollama/secret"),
        ("/home/John Smith/models/secret", "secret"),
        ("hf/org/model", "hf/org/model"),
        ("openai/gpt-4o", "openai/gpt-4o"),
        ("unnamed", "unnamed"),
        ("../../x", "../../x"),
        ("\\input{x}", "\\input{x}"),
    ],
)
def test_models_on_disk_are_named_by_the_last_part(name: str, clean: str) -> None:
    """A folder's name may hold blanks; other names stay as they are."""
    assert model_name(name) == clean


@pytest.mark.parametrize("format", FORMATS)
def test_no_exported_file_holds_folders_with_blanks(tmp_path: Path, format: str) -> None:
    """Models and data sets in such folders, two models of one name in different ones."""
    bounds = [(2.0, 4.0), (4.0, 6.0), (2.0, 3.5)]
    first = intervals(f"hf//home/{FOLDER}/a b/secret", bounds)
    second = intervals(f"hf//home/{FOLDER}/c d/secret", bounds)
    frame = pd.concat([first, second]).assign(dataset=f"/home/{FOLDER}/my questions.csv")
    texts = [p.read_text("utf-8") for p in export(frame, format, tmp_path, resamples=20)]
    files = [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")]
    for text in (*texts, *files):
        assert "Smith" not in text
        assert "home" not in text
    assert re.search(r"secret(\\?#|-)\w{6}", "\n".join([*texts, *files]))


def test_judges_on_disk_are_named_by_the_last_part() -> None:
    """In the judgments and in the conditions of results alike, and told apart."""
    judges = [f"hf//home/{FOLDER}/a/judge", f"hf//home/{FOLDER}/b/judge"]
    frame = pd.DataFrame({"model": "one", "dataset": "d", "variant": "", "judge": judges})
    results = pd.DataFrame(
        {
            "model": "one",
            "dataset": "d",
            "condition": [str(Condition({"judge": judge, "split": "test"})) for judge in judges],
        }
    )
    frames, rows = clean_material({"hedge_markers": frame}, results)
    first, second = frames["hedge_markers"]["judge"]
    assert first == "hf/judge"
    assert second.startswith("hf/judge#")
    judge_names = condition_values(rows, "judge")
    assert judge_names == [first, second]
    assert model_name(Condition.read(results["condition"][1])["judge"]) == "hf/judge"
