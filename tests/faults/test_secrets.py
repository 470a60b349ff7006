"""Keys, passwords, addresses, folders and names of users: none is in any output."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from inspect_ai.log import EvalError, read_eval_log, write_eval_log
from inspect_ai.scorer import Score

from conftest import run_respondent
from faults.ledger import held
from inspect_confidence.export import FORMATS
from inspect_confidence.redaction import failure
from runs import printed

USER, HOST = "janedoe77", "secret.internal"
KEYS = {
    "argument": "sk-abcdefghijklmnopqrstuvwx",
    "header": "hdr0123456789abcdefXYZ",
    "environment": "envvalue-0123456789",
    "password": "pw0rd-in-a-url",
    "hub": "hf_ABCDEFGHIJKLMNOPQRSTUV",
    "grader": "sk-grader0123456789abcdef",
}
PROMPT = "the quick onyx goblin jumps over the lazy dwarf, and whoever reads this has the prompt"
ERRORS = (
    f"AuthenticationError(\"Error code: 401 - {{'error': {{'message': 'Incorrect API key provided: "
    f"{KEYS['argument']}. Asked: {PROMPT}'}}}}\")",
    f"APIConnectionError('proxy http://{USER}:{KEYS['password']}@{HOST}:8080/v1 refused')",
    f"BadRequestError(400, headers={{'x-api-key': '{KEYS['header']}', 'api_key': "
    f"'{KEYS['environment']}'}}, user:{KEYS['password']}@{HOST})",
    f"FileNotFoundError(2, 'No such file', '/home/{USER}/prompts/x.txt', '/home/{USER}', "
    f"'C:\\\\Users\\\\{USER}\\\\x.txt')",
)
PLANTED = (*KEYS.values(), USER, HOST, PROMPT[20:60])


@pytest.mark.parametrize("error", ERRORS)
def test_an_error_keeps_type_and_status(error: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And is short; what is secret, and what was asked, is not in it."""
    monkeypatch.setenv("MY_API_KEY", KEYS["environment"])
    message = failure(error, f"Answer this: {PROMPT}")
    assert message.startswith(error[:20].split("(", maxsplit=1)[0])
    assert ("401" in message) == ("401" in error)
    assert ("400" in message) == ("400" in error)
    assert len(message) <= 120
    assert not [secret for secret in PLANTED if secret in message], message


def planted(folder: Path) -> None:
    """Logs of a local model whose arguments, address, headers, roles and errors hold secrets."""
    for name in ("calibrated", "tunnel"):
        run_respondent(name, folder, items=5, levels="90")
    for place in sorted(folder.glob("*.eval")):
        log = read_eval_log(str(place))
        log.eval.model = f"hf//home/{USER}/models/{log.eval.model.rsplit('/', 1)[-1]}"
        log.eval.model_base_url = f"http://{USER}:{KEYS['password']}@{HOST}:8000/v1"
        log.eval.model_args = {
            "api_key": KEYS["argument"],
            "default_headers": {"Authorization": f"Bearer {KEYS['header']}"},
            "organization": f"ours {KEYS['hub']} {place.stem}",
            "model_path": f"/home/{USER}/models",
        }
        log.eval.task_args |= {"prompt": f"/home/{USER}/{place.stem}.txt", "key": KEYS["argument"]}
        assert log.samples
        log.plan.config.extra_headers = {"x-api-key": KEYS["header"]}
        for sample, message in zip(log.samples, ERRORS, strict=False):
            sample.input = PROMPT
            sample.scores = None
            sample.error = _error(message)
        last = log.samples[-1]
        assert last.scores
        (key,) = last.scores
        last.scores[key] = Score(
            value=last.scores[key].value,
            reason="invalid_response_format",
            metadata={**(last.scores[key].metadata or {}), "detail": ERRORS[1]},
        )
        write_eval_log(log, str(place))


def _error(message: str) -> EvalError:
    return EvalError(message=message, traceback=message, traceback_ansi=message)


@pytest.mark.slow
def test_nothing_secret_is_in_any_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All commands, all formats, files and terminal; of logs and of a store of them."""
    monkeypatch.setenv("MY_SERVICE_API_KEY", KEYS["environment"])
    logs, out, store = tmp_path / "logs", tmp_path / "out", tmp_path / "store"
    planted(logs)
    out.mkdir()
    printed("ingest", logs, "-o", store)
    options = ("--resamples", 5)
    outcomes: dict[str, bool] = {}
    for place in (logs, store):
        commands = [
            ("summarize", place, *options),
            ("summarize", place, *options, "--full", "--csv", out / "all.csv"),
            ("summarize", place, *options, "--json"),
            ("compare", place, *options, "--csv", out / "compared.csv"),
            ("compare", place, *options, "--json"),
            ("check", place, *options, "--require", "coverage>=0.1"),
            ("check", place, *options, "--require", "coverage>=0.1", "--json"),
            ("unread", place, "--csv", out / "unread.csv"),
            ("unread", place, "--json"),
            ("cite", place),
            ("judgments", place, "-o", out / "judgments.csv"),
            ("judgments", place, "-o", out / "judgments.parquet"),
            ("recalibrate", place, "-o", out / "maps.json", *options),
            ("report", place, "-o", out / "report", *options, "--formats", "png"),
            *(("export", place, "--format", form, "-o", out / form, *options) for form in FORMATS),
        ]
        for words in commands:
            done = printed(*words, code=None)
            leaks = [secret for secret in PLANTED if secret in done.output]
            outcomes[f"{place.name} {words[0]} {len(outcomes)} {leaks}"] = not leaks
        for file in out.rglob("*"):
            if file.is_file():
                leaks = [secret for secret in PLANTED if secret in text_of(file)]
                name = file.relative_to(out).as_posix()
                outcomes[f"{place.name} {name} {leaks}"] = not leaks
    happened = "the last part of a path, the type and status of an error, [removed]"
    fault = f"{len(PLANTED)} secrets in arguments, headers, addresses, errors and folders"
    assert held("secrets", fault, outcomes, happened, "nothing") == []


def text_of(file: Path) -> str:
    """All that a file says, and its name."""
    if file.suffix == ".parquet":
        return f"{file} {json.dumps(pd.read_parquet(file).astype(str).to_dict())}"
    return f"{file.name} {file.read_bytes().decode('utf-8', 'replace')}"
