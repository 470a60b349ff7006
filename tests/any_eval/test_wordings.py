"""Wordings and scales of `with_confidence`: a file, published ones, and numbers with decimals."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from any_eval.small import confidence_of, sums
from inspect_confidence import with_confidence
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.prompts.confidence import PUBLISHED
from inspect_confidence.solvers.ask_confidence import ConfidenceRequest
from provider_server import Reply, Request
from runs import served


def last_text(request: Request) -> str:
    """The text of a request's last message."""
    content = request.body["messages"][-1]["content"]
    return content if isinstance(content, str) else content[0]["text"]


def says(confidence: str):  # type: ignore[no-untyped-def]
    """A far end that answers the sums with 2, and all else with a confidence."""

    def answer(request: Request) -> Reply:
        return Reply("2" if last_text(request) in ("1 + 1?", "1 + 2?") else confidence)

    return answer


@pytest.mark.parametrize("scale", ["0.0-1.0", "0-1"])
def test_a_scale_to_1_asks_for_a_number_with_decimals_and_reads_it(
    scale: str, tmp_path: Path
) -> None:
    """Not for the integer 0 or 1."""
    task = with_confidence(sums(), "stated", scale=scale)
    log, requests = served(task, tmp_path, says("Confidence: 0.85"))
    prompts = [last_text(request) for request in requests if "confident" in last_text(request)]
    low, high = scale.split("-")
    assert f"a number between {low} and {high}" in prompts[0]
    assert "integer" not in prompts[0]
    assert confidence_of(log)[0]["stated"] == pytest.approx(0.85)


@pytest.mark.parametrize(
    ("scale", "reply", "expected"),
    [
        ("0.0-1.0", "0.7", 0.7),
        ("0.0-1.0", "70%", 0.7),
        ("0.5-1.0", "Confidence: 0.75", 0.5),
        ("0-100", "Confidence: 62.5", 0.625),
        ("0-100", "70.7%", 0.707),
    ],
)
def test_a_number_with_decimals_is_read_on_its_scale(
    scale: str, reply: str, expected: float, tmp_path: Path
) -> None:
    """Also where an integer was asked for, since nothing else can be meant."""
    log, _ = served(with_confidence(sums(), "stated", scale=scale), tmp_path, says(reply))
    assert confidence_of(log)[0]["stated"] == pytest.approx(expected)


def test_a_share_on_a_wide_scale_is_ambiguous(tmp_path: Path) -> None:
    """Of 0.95 on a scale to 100 nobody knows whether it is 95."""
    log, _ = served(with_confidence(sums(), "stated"), tmp_path, says("0.95"))
    assert confidence_of(log)[1]["stated"]["status"] == "ambiguous"


def test_a_file_replaces_the_wording_with_the_samples_fields(tmp_path: Path) -> None:
    """Its name and hash are in the log's facts."""
    file = tmp_path / "wording.txt"
    file.write_text('Q: {question} A: {answer}. Sure? {low}..{high}, as {{"confidence": n}}')
    task = with_confidence(sums(), "alone", scale="0-20", prompt=str(file))
    log, requests = served(task, tmp_path, says('{"confidence": 15}'))
    prompts = set(map(last_text, requests))
    assert 'Q: 1 + 1? A: 2. Sure? 0..20, as {"confidence": n}' in prompts
    assert confidence_of(log)[0]["alone"] == pytest.approx(0.75)
    facts = (log.eval.metadata or {})["confidence"]
    assert facts["prompt"].startswith(f"{file} ")


def test_the_second_turn_of_tian_2023_is_asked_as_published(tmp_path: Path) -> None:
    """After the eval's answer, in the same conversation."""
    task = with_confidence(sums(), "stated", scale="0.0-1.0", prompt="tian_2023")
    log, requests = served(task, tmp_path, says("Probability: 0.9"))
    assert PUBLISHED["tian_2023"].text in set(map(last_text, requests))
    assert confidence_of(log)[0]["stated"] == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("name", "reply"),
    [
        ("simpleqa", '{"answer": "2", "confidence_score": 90}'),
        ("hle", "Explanation: one and one\nExact Answer: 2\nConfidence: 90%"),
        ("xiong_2024", "Answer and Confidence (0-100): B, 90%"),
        ("xiong_2024_number", "```Answer and Confidence (0-100): 2, 90%```"),
    ],
)
def test_wordings_that_ask_for_answer_and_confidence_at_once_are_read(
    name: str, reply: str, tmp_path: Path
) -> None:
    """With the method `before`, which shows the question alone."""
    task = with_confidence(sums(), "before", prompt=name)
    log, requests = served(task, tmp_path, says(reply))
    expected = PUBLISHED[name].text.format(question="1 + 1?")
    assert expected in set(map(last_text, requests))
    assert confidence_of(log)[0]["before"] == pytest.approx(0.9)


def test_the_prompt_of_xiong_2024_is_that_of_their_program() -> None:
    """By its hash, computed from `prompt_description` and `generate_prompt` of their file."""
    hashes = {
        "xiong_2024": "5fe75405ad15ed64c5dd2208199e42632803f6715d9b105071bfbc6bd7a70493",
        "xiong_2024_number": "66be20b2aeb73eb91e51184c537f9629a838eb0408e0c09333424a4ec894a445",
    }
    for name, expected in hashes.items():
        text = PUBLISHED[name].text.format(question="1 + 1?")
        assert hashlib.sha256(text.encode()).hexdigest() == expected, name


REFUSED = [
    ("stated", "0-100", "simplqa", "did you mean 'simpleqa'"),
    ("stated", "0-100", "tian_2023", "add scale=0.0-1.0"),
    ("stated", "0-100", "hle", "use it with ways=before"),
    ("p_true", "0-100", "hle", "asks for a number"),
    ("before", "0.0-1.0", "tian_2023", "lacks {question}"),
]


@pytest.mark.parametrize(("ways", "scale", "prompt", "message"), REFUSED)
def test_a_wording_that_does_not_fit_is_refused(
    ways: str, scale: str, prompt: str, message: str
) -> None:
    """In two lines at most, before any call."""
    with pytest.raises(InvalidArgument) as refusal:
        ConfidenceRequest.from_arguments(ways, scale, 1, prompt)
    assert message.lower() in str(refusal.value).lower()
    assert len(str(refusal.value).splitlines()) <= 2


def test_an_unknown_field_of_a_file_is_refused_with_the_nearest_name(tmp_path: Path) -> None:
    """The field's name, and how braces themselves are written."""
    file = tmp_path / "wording.txt"
    file.write_text("{question} {anwser}")
    with pytest.raises(InvalidArgument, match="answer") as refusal:
        ConfidenceRequest.from_arguments("alone", "0-100", 1, str(file))
    assert len(str(refusal.value).splitlines()) <= 2
