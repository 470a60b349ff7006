"""The task of the scale study before any call: arguments, samples, facts, plan and wording."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest
from inspect_ai import Task, eval

from conftest import Command
from inspect_confidence import InvalidArgument
from inspect_confidence.commands.plan import plan_run
from inspect_confidence.tasks.scale_variants import scale_variants
from provider_server import ProviderServer, Reply

GRANULARITY = ["0-5", "0-10", "0-20", "0-50", "0-100"]
BOUNDARY = ["20-100", "40-100", "60-100"]
NONSTANDARD = ["0-73", "14-86", "7-79", "3-38", "0-97"]

TASK = "Answer the following question."
CONFIDENCE = (
    "After providing your answer, rate your confidence as an integer between 60 and 100, where 60 "
    "means no confidence at all and 100 means absolute certainty."
)
SHORT = (
    "Answer the following question. Then, provide your confidence as an integer between 60 and "
    "100, where 60 means no confidence and 100 means absolute certainty."
)
QUESTION = "Which {is} heavier?\nChoices:\nA. lead\nB. cork"
ANSWERED = "Respond in the following format only:\nAnswer: <your answer>"
SOLVED = (
    "Respond in the following format only:\nSolution: <your step-by-step solution>\n"
    "Final Answer: <numerical answer>"
)
STATED = "Confidence: <integer between 60 and 100>"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that the user stands in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PWD", str(tmp_path))
    return tmp_path


def build(**arguments: object) -> Task:
    """The task with three bundled items unless something else is said."""
    return scale_variants(**{"dataset": "bundled", "items": 3, **arguments})  # type: ignore[arg-type]


def refusal(**arguments: object) -> str:
    """The message of the one error that arguments end in."""
    with pytest.raises(InvalidArgument) as caught:
        build(**arguments)
    message = caught.value.format_message()
    assert "\n" not in message
    return message


def scales_of(task: Task) -> list[str]:
    """The scales of the first item, in order."""
    first = (task.dataset[0].metadata or {})["item"]
    return [
        f"{sample.metadata['low']}-{sample.metadata['high']}"
        for sample in task.dataset
        if sample.metadata and sample.metadata["item"] == first
    ]


@pytest.mark.parametrize(
    ("scales", "expected"),
    [
        ("all", [*GRANULARITY, *BOUNDARY, *NONSTANDARD]),
        ("granularity", GRANULARITY),
        ("boundary", BOUNDARY),
        ("nonstandard", NONSTANDARD),
        ("boundary,0-100", [*BOUNDARY, "0-100"]),
        (["0-100", "0-20"], ["0-100", "0-20"]),  # as Inspect's command line reads commas
        ("0-20, 0-100", ["0-20", "0-100"]),
        ("1-7", ["1-7"]),
        (" 0 - 9 ", ["0-9"]),
        (["granularity", "0-3"], [*GRANULARITY, "0-3"]),
    ],
)
def test_scales_by_name_group_or_bounds(scales: object, expected: list[str]) -> None:
    """The thirteen scales, their groups, and any others, in the order in which they are named."""
    task = build(scales=scales)
    assert scales_of(task) == expected
    assert len(task.dataset) == 3 * len(expected)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"scales": "granularty"}, "scales=granularty is not known. Did you mean 'granularity'?"),
        ({"scales": "0-5,0-5"}, "scales=0-5,0-5 names a scale twice."),
        ({"scales": "all,0-100"}, "names a scale twice"),
        ({"scales": ["0-5", "00-5"]}, "names a scale twice"),
        ({"scales": "100-0"}, "scales=100-0: the first number must be below the second."),
        ({"scales": "5-5"}, "the first number must be below the second"),
        ({"scales": "-5-5"}, "scales=-5-5 is not known"),
        ({"scales": "0-5.5"}, "scales=0-5.5 is not known. Known: a scale such as 0-100, all"),
        ({"scales": ""}, "scales= is not known. Known: a scale such as 0-100, all"),
        ({"wording": "stud"}, "wording=stud is not known. Did you mean 'study'?"),
        ({"wording": "long"}, "wording=long is not known. Known: short, study."),
        ({"dataset": "mmlU"}, "dataset=mmlU is not known. Did you mean 'mmlu'?"),
        ({"dataset": "wordproblems"}, "Did you mean 'word_problems'?"),
        ({"dataset": "mine.csv"}, "dataset=mine.csv: there is no file"),
        ({"items": 0}, "items=0 is below 1; give 1 or more."),
        ({"items": "2.5"}, "items=2.5 is not a whole number"),
        ({"items": "ids.txt"}, "items=ids.txt: there is no file"),
        ({"split": "dev"}, "split=dev is not known. Known: all, test, train."),
        ({"seed": "x"}, "seed=x is not a number"),
        ({"prompt": "p.txt"}, "prompt=p.txt: there is no file"),
        ({"system": "s.txt"}, "system=s.txt: there is no file"),
        ({"scale": "0-5"}, "There is no task argument 'scale'. Did you mean 'scales'?"),
        ({"temperature": 1}, "There is no task argument 'temperature'. Known: dataset, items"),
    ],
)
@pytest.mark.usefixtures("home")
def test_bad_arguments_name_value_and_remedy(arguments: dict[str, object], says: str) -> None:
    """Each is one error that says what was given and what can be."""
    assert says in refusal(**arguments)


def test_an_empty_list_of_scales_is_refused() -> None:
    """`-T scales=[]` is an error that names the argument."""
    assert "scales=" in refusal(scales=[])


def test_only_arguments_are_listed_as_known() -> None:
    """What the error lists as known are the task's arguments, and all of them."""
    listed = refusal(zzz=1).split("Known: ")[1].rstrip(".").split(", ")
    wanted = ["dataset", "items", "prompt", "scales", "seed", "split", "system", "wording"]
    assert listed == wanted


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{question} {l}", "the file has {l} {question}"),
        ("{question} {l} {u} {level}", "the file has {l} {level} {question} {u}"),
        ("{question} {l:d} {u}", "the file has {l:d} {question} {u}"),
        ("{question} {l} {u", "expected '}'"),
        ("Rate it.", "the file has none"),
    ],
)
def test_prompt_files_must_hold_their_fields(home: Path, text: str, says: str) -> None:
    """A prompt of one's own holds {question}, {l} and {u}; braces themselves are doubled."""
    (home / "p.txt").write_text(text, "utf-8")
    message = refusal(prompt="p.txt")
    assert message.startswith("prompt=p.txt: ")
    assert says in message
    assert "write braces themselves as {{ and }}" in message


def test_a_file_of_ids_chooses_items(home: Path) -> None:
    """Only the items named are asked; an unknown one is an error with the nearest."""
    (home / "ids.txt").write_text("problem-03\n\nmisconception-07\n", "utf-8")
    task = build(items="ids.txt", scales="0-5")
    assert {sample.id for sample in task.dataset} == {"problem-03@0-5", "misconception-07@0-5"}
    (home / "ids.txt").write_text("misconception-007\n", "utf-8")
    message = refusal(items="ids.txt")
    assert "items names 'misconception-007', which is not in split=all" in message
    assert "Did you mean 'misconception-0" in message


def test_samples_of_an_item_stand_together() -> None:
    """One sample per item and scale, the scales of an item next to each other, ids telling both."""
    samples = list(build(items=7, scales="boundary").dataset)
    runs = [(item, len(list(some))) for item, some in groupby(s.metadata["item"] for s in samples)]  # type: ignore[index]
    assert [length for _, length in runs] == [3] * 7
    assert len({item for item, _ in runs}) == 7
    for sample in samples:
        facts = sample.metadata or {}
        assert sample.id == f"{facts['item']}@{facts['low']}-{facts['high']}"
        assert facts["split"] in ("train", "test")
        assert facts["choices"] == len(sample.choices or ())


@pytest.mark.parametrize("split", ["train", "test"])
def test_splits_and_seeds_choose_items(split: str) -> None:
    """A split asks its half only; the seed decides which items are the first."""
    task = build(items=20, split=split, scales="0-5")
    assert {sample.metadata["split"] for sample in task.dataset if sample.metadata} == {split}
    ids = [[sample.id for sample in build(items=20, seed=n).dataset] for n in ("0", 0, 1)]
    assert ids[0] == ids[1] != ids[2]


def test_log_facts_and_temperature() -> None:
    """Temperature 0 is the task's own; the metadata say what was asked, in plain types."""
    task = build(items=6, scales="0-5,0-10")
    assert task.config.temperature == 0
    assert task.config.model_dump(exclude_none=True) == {"temperature": 0}
    facts = task.metadata or {}
    assert (facts["items"], facts["train_items"], facts["test_items"]) == (6, 3, 3)
    assert (facts["dataset"], facts["calls_per_sample"], facts["system"]) == ("bundled", 1, "")
    assert len(facts["data"]) == len(facts["prompt"]) == 12
    wordings = {build(wording=name).metadata["prompt"] for name in ("study", "short")}  # type: ignore[index]
    assert len(wordings) == 2
    assert task.version == "1-A"


def test_plan_prints_samples_and_calls(command: Command) -> None:
    """Items times scales are the samples and, at one call each, the calls; epochs multiply them."""
    plan = ("inspect-confidence", "plan", "scale_variants", "-T", "dataset=bundled")
    done = command(*plan, "-T", "items=40", "-T", "scales=all", "--epochs", 2)
    assert "bundled: 40 items (20 train, 20 test)" in done.stdout
    assert "samples: 1,040 (2 epochs)" in done.stdout
    assert "calls:   1,040" in done.stdout
    with pytest.raises(InvalidArgument, match="the first number must be below the second"):
        plan_run("scale_variants", ["dataset=bundled", "scales=9-1"])


def test_command_line_refuses_before_any_call(command: Command, tmp_path: Path) -> None:
    """A mistake is one clean line; no log is begun and no model is asked."""
    with ProviderServer(lambda _: Reply("Answer: A\nConfidence: 1")) as server:
        done = command(
            *("inspect", "eval", "tasks/scale_variants.py", "--model", "openai/gpt-4o-mini"),
            *("--model-base-url", server.url + "/v1", "-T", "dataset=bundled"),
            *("-T", "scales=0-7,5-1"),
            *("--log-dir", tmp_path, "--display", "none"),
            check=False,
            OPENAI_API_KEY="test",
        )
        assert not server.requests
    assert done.returncode != 0
    (error,) = [line for line in done.stderr.splitlines() if line.startswith("Error:")]
    assert "scales=5-1: the first number must be below the second." in error
    assert "Traceback" not in done.stdout + done.stderr
    assert not list(tmp_path.glob("*.eval"))


@pytest.mark.parametrize(
    ("wording", "prompts"),
    [
        (
            "study",
            {
                "\n\n".join((TASK, QUESTION, CONFIDENCE, f"{ANSWERED}\n{STATED}")),
                "\n\n".join(
                    (
                        "Solve the following math problem step by step.",
                        "What is 6 times 3?",
                        CONFIDENCE,
                        f"{SOLVED}\n{STATED}",
                    )
                ),
            },
        ),
        (
            "short",
            {
                "\n\n".join((SHORT, QUESTION, f"{ANSWERED}\n{STATED}")),
                "\n\n".join((SHORT, "What is 6 times 3?", f"{SOLVED}\n{STATED}")),
            },
        ),
    ],
)
def test_wording_reaches_the_provider_to_the_letter(
    home: Path, monkeypatch: pytest.MonkeyPatch, wording: str, prompts: set[str]
) -> None:
    """Both kinds of item in both wordings at 60-100: one user message, temperature 0, no more."""
    (home / "mine.csv").write_text(
        "question,choices,target\nWhich {is} heavier?,lead|cork,A\nWhat is 6 times 3?,,18\n",
        "utf-8",
    )
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    with ProviderServer(lambda _: Reply("Answer: A\nFinal Answer: 18\nConfidence: 90")) as server:
        (log,) = eval(
            scale_variants(dataset="mine.csv", scales="60-100", wording=wording),
            model="openai/gpt-4o-mini",
            model_base_url=server.url + "/v1",
            log_dir=str(home / "logs"),
            display="none",
        )
    assert log.status == "success"
    assert {request.prompt for request, _ in server.requests} == prompts
    for request, _ in server.requests:
        assert request.system is None
        assert request.body["temperature"] == 0
        assert [turn["role"] for turn in request.body["messages"]] == ["user"]
