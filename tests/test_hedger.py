"""The hedger and the judge: what a hedge stands for, and the judge's errors, come out as put in."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from itertools import product, starmap
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from build import attributes_of
from inspect_confidence.answers import ParseFailure
from inspect_confidence.answers.judged import (
    read_agreement,
    read_agreements,
    read_decisiveness,
    read_markers,
    read_verdict,
)
from inspect_confidence.answers.sentences import split_sentences
from inspect_confidence.datasets.hedge_markers import load_marker_questions
from inspect_confidence.datasets.questions import Question
from inspect_confidence.judges.agreement import agreement, verdict
from inspect_confidence.judges.markers import find_markers, sentence_decisiveness, standard_marker
from inspect_confidence.prompts.hedge_markers import with_choices
from inspect_confidence.respondents.grader import Grader
from inspect_confidence.respondents.hedger import (
    MARKERS,
    Hedger,
    internal_confidence,
    possible_answers,
)
from inspect_confidence.respondents.utterance import Utterance

ITEMS = load_marker_questions("bundled", split="all", seed=3).items
SETS = ("facts", "science", "commonsense")
DRAWS = 40
ALPHA = 1e-3


def message_metadata(item: Question, draw: int, *, main: bool = False) -> dict[str, Any]:
    """The metadata of a message for a hedged answer."""
    return {
        "form": "hedged",
        "item": item.id,
        "draw": draw,
        "main": main,
        "dataset": item.dataset,
        "choices": list(item.choices),
    }


def reply_text(hedger: Hedger, item: Question, draw: int, *, main: bool = False) -> str:
    """The text of a reply."""
    reply = hedger.answer("hedged", message_metadata(item, draw, main=main), 1.0)
    assert reply is not None
    return reply.text


def replies(hedger: Hedger, item: Question, count: int = DRAWS) -> tuple[str, list[str]]:
    """The main answer and others."""
    main = reply_text(hedger, item, 0, main=True)
    return main, draws_of(hedger, item, range(1, count + 1))


def draws_of(hedger: Hedger, item: Question, numbers: Iterable[int]) -> list[str]:
    """The draws of these numbers."""
    return list(map(partial(reply_text, hedger, item), numbers))


def first_four_messages(items: Iterable[Question]) -> list[dict[str, Any]]:
    """The metadata of the messages for the main answer and three draws of each item."""
    return [message_metadata(item, n, main=n == 0) for item, n in product(items, range(4))]


def answers_to(hedger: Hedger, messages: Iterable[dict[str, Any]]) -> list[Utterance | None]:
    """What the hedger answers, in order."""
    return [hedger.answer("hedged", message, 1.0) for message in messages]


def every_reply(item: Question, hedger: Hedger) -> list[str]:
    """All replies to an item, the right one first."""
    texts = []
    for answer in possible_answers(item.id):
        answer_text = f"({'ABCD'[item.choices.index(answer)]})" if item.choices else answer
        hedge = f"{hedger.marker(item.id)} " if hedger.hedge else ""
        texts.append(f"It is {hedge}{answer_text}.")
    return texts


def z(tests: int) -> float:
    """The two-sided normal quantile after Bonferroni's adjustment."""
    return float(stats.norm.isf(ALPHA / tests / 2))


def agreements(question: str, sentence: str, texts: Iterable[str]) -> list[str]:
    """By the rules, whether each text agrees with a sentence."""
    return list(map(partial(agreement, question, sentence), texts))


def texts_of_markers(sentence: str) -> list[str]:
    """The markers that the rules find."""
    return attributes_of(find_markers(sentence), "text")


def is_within_tolerance(share: float, expected: float, count: int, tests: int) -> bool:
    """Whether a share of independent trials is where its binomial is."""
    return bool(abs(share - expected) <= z(tests) * np.sqrt(expected * (1 - expected) / count))


def shares(hedger: Hedger) -> dict[tuple[str, str], tuple[float, int]]:
    """How many draws are the main answer, by marker and data set, and of how many."""
    agreements: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for item in ITEMS:
        main, draws = replies(hedger, item)
        agreements[hedger.marker(item.id), item.dataset] += [draw == main for draw in draws]
    return {key: (float(np.mean(agreed)), len(agreed)) for key, agreed in agreements.items()}


# -- the hedger: confidence


@given(st.sampled_from(list(MARKERS)), st.text(max_size=8), st.floats(0, 1), st.integers(0, 1000))
def test_confidence_stays_in_bounds(marker: str, dataset: str, stability: float, seed: int) -> None:
    """In [0.02, 0.98], no further from the map than half of what stability lacks; 1 is the map."""
    confidence = internal_confidence(marker, dataset, stability, seed)
    assert 0.02 <= confidence <= 0.98
    assert abs(confidence - MARKERS[marker]) <= 0.5 * (1 - stability) + 1e-12
    assert internal_confidence(marker, dataset, 1.0, seed) == MARKERS[marker]


def test_shift_is_linear_and_reflected() -> None:
    """A hundredth of the shift tells all of it: c + u, folded back at 0.02 or 0.98."""
    folded = Counter[str]()
    for marker, c in MARKERS.items():
        for seed in range(60):
            u = (internal_confidence(marker, "x", 0.98, seed) - c) / 0.02
            assert -0.5 <= u <= 0.5
            end = c + u
            region = "low" if end < 0.02 else "high" if end > 0.98 else "inside"
            expected = {"low": 0.04 - end, "high": 1.96 - end, "inside": end}[region]
            assert internal_confidence(marker, "x", 0.0, seed) == pytest.approx(expected, abs=1e-9)
            half = c + u / 2
            if 0.02 <= half <= 0.98:
                confidence = internal_confidence(marker, "x", 0.5, seed)
                assert confidence == pytest.approx(half, abs=1e-9)
            folded[region] += 1
    assert folded.keys() == {"low", "high", "inside"}
    assert min(folded.values()) > 5


def test_shifts_are_uniform_and_independent() -> None:
    """Over seeds; those of a marker in two data sets, and of two markers in one, don't go along."""
    seeds = range(800)

    def confidences(marker: str, dataset: str) -> npt.NDArray[np.float64]:
        return np.array(list(map(partial(internal_confidence, marker, dataset, 0.9), seeds)))

    first = confidences("perhaps", "facts")
    second, third = confidences("perhaps", "science"), confidences("probably", "facts")
    assert stats.kstest((first - 0.5) / 0.1, stats.uniform(-0.5, 1).cdf).pvalue > ALPHA
    for shifts in (second, third):
        assert abs(np.corrcoef(first, shifts)[0, 1]) < z(2) / np.sqrt(len(seeds))


@pytest.mark.slow
def test_draws_agree_as_often_as_the_marker_stands_for() -> None:
    """In each data set, for each marker, within Bonferroni bounds."""
    for stability in [1.0, 0.6, 0.0]:
        hedger = Hedger(stability=stability)
        share_by_marker = shares(hedger)
        assert set(share_by_marker) == set(product(MARKERS, SETS)), stability
        for (marker, name), (share, count) in share_by_marker.items():
            expected = internal_confidence(marker, name, stability, 0)
            assert count >= 20 * DRAWS, stability
            assert is_within_tolerance(share, expected, count, len(share_by_marker)), (
                marker,
                name,
                share,
                expected,
            )
            assert (expected == MARKERS[marker]) is (stability == 1.0)


@pytest.mark.slow
def test_all_five_markers_recover_the_map() -> None:
    """Over all data sets: .95, .8, .65, .5, .3."""
    pooled: dict[str, list[tuple[float, int]]] = defaultdict(list)
    for (marker, _), share_count in shares(Hedger(seed=5)).items():
        pooled[marker].append(share_count)
    for marker, c in {
        "undoubtedly": 0.95,
        "probably": 0.8,
        "presumably": 0.65,
        "perhaps": 0.5,
        "conceivably": 0.3,
    }.items():
        shares_of_sets, counts = np.transpose(pooled[marker])
        count, share = int(counts.sum()), float(np.average(shares_of_sets, weights=counts))
        assert is_within_tolerance(share, c, count, 5), (marker, share)


@pytest.mark.slow
def test_draws_are_independent_and_the_main_answer_right_as_often() -> None:
    """Counts of agreement vary as a binomial's, and so does the main answer's correctness."""
    # Counts of agreement an item vary as a binomial's: the sum of squares is a chi square's.
    hedger = Hedger()
    squares = []
    for item in ITEMS:
        main, draws = replies(hedger, item, 30)
        c = hedger.confidence(item.id)
        squares.append((draws.count(main) - 30 * c) ** 2 / (30 * c * (1 - c)))
    spread = np.std(squares, ddof=1) / np.sqrt(len(squares))
    assert abs(np.mean(squares) - 1) < z(1) * spread
    # Of each marker's items, by the accepted answers; and each marker has its fifth of items.
    right: dict[str, list[bool]] = defaultdict(list)
    for seed in range(4):
        hedger = Hedger(seed=seed)
        for item in ITEMS:
            main = reply_text(hedger, item, 0, main=True)
            right[hedger.marker(item.id)].append(main == every_reply(item, hedger)[0])
    for marker, c in MARKERS.items():
        count = len(right[marker])
        assert is_within_tolerance(float(np.mean(right[marker])), c, count, 10)
        assert is_within_tolerance(count / (4 * len(ITEMS)), 0.2, 4 * len(ITEMS), 10)


# -- the hedger: replies


def test_determined_by_seed_item_and_draw() -> None:
    """Not by what was asked before; the main answer is the same in every epoch."""
    messages = first_four_messages(ITEMS[::7])
    first = answers_to(Hedger(stability=0.5, error_rate=0.1), messages)
    backwards = [Hedger(0, 0.5, 0.1).answer("hedged", message, 0.0) for message in messages[::-1]]
    assert first == backwards[::-1]
    assert first != answers_to(Hedger(1, 0.5, 0.1), messages)
    # Whatever its number; the others' numbers make other draws.
    hedger = Hedger()
    for item in ITEMS[:60]:
        assert len({reply_text(hedger, item, 21 * epoch, main=True) for epoch in range(5)}) == 1
    first_epoch = [draws_of(hedger, item, range(1, 4)) for item in ITEMS]
    assert first_epoch != [draws_of(hedger, item, range(22, 25)) for item in ITEMS]


def test_possible_answers_differ() -> None:
    """The right one first, then the other choices, or three that share no word with any."""
    for item in ITEMS:
        right, *wrong_answers = possible_answers(item.id)
        assert right in item.answers
        if item.choices:
            assert sorted([right, *wrong_answers]) == sorted(item.choices)
            continue
        assert len(wrong_answers) == 3
        for wrong_answer in wrong_answers:
            words = set(wrong_answer.lower().split())
            for text in item.answers:
                assert words.isdisjoint(text.lower().split())
            assert wrong_answer.isdigit() == right.isdigit()


def test_letters_follow_the_order_shown() -> None:
    """The same choice in another order has another letter; without an order it is quoted."""
    item = next(item for item in ITEMS if item.choices)
    hedger = Hedger(hedge=False)
    metadata = message_metadata(item, 0, main=True)
    turned = {**metadata, "choices": metadata["choices"][::-1]}
    first_reply, turned_reply = answers_to(hedger, [metadata, turned])
    assert first_reply is not None
    assert turned_reply is not None
    place, from_end = "ABCD".index(first_reply.text[7]), "ABCD".index(turned_reply.text[7])
    assert place + from_end == len(item.choices) - 1
    del metadata["choices"]
    unknown = hedger.answer("hedged", metadata, 1.0)
    assert unknown is not None
    assert unknown.text == f'It is "{item.choices[place].strip(chr(34) + ".")}".'


def test_hedges_and_punts() -> None:
    """Without hedges only the marker is left out; a punt is always one."""
    for item in ITEMS[::5]:
        marker = Hedger().marker(item.id)
        for draw in range(5):
            bare = reply_text(Hedger(hedge=False), item, draw, main=draw == 0)
            assert bare == reply_text(Hedger(), item, draw, main=draw == 0).replace(
                f" {marker}", ""
            )
            assert find_markers(bare) == []
    for item in ITEMS[::10]:
        text = reply_text(Hedger(punt=True), item, 3)
        assert verdict(item.answers, text) == "punt"
        assert agreement(item.question, text, text) == "n/a"


def test_spoilt_replies_are_as_many_as_asked_for() -> None:
    """At rate e; the others are what they were."""
    messages = first_four_messages(ITEMS)
    whole = answers_to(Hedger(), messages)
    spoilt = answers_to(Hedger(error_rate=0.2), messages)
    changed = [after for before, after in zip(whole, spoilt, strict=True) if after != before]
    assert is_within_tolerance(len(changed) / len(messages), 0.2, len(messages), 1)
    replies_changed = pd.DataFrame(map(asdict, filter(None, changed)))
    texts = set(replies_changed["text"])
    assert len(texts) == 4
    assert {"", "It is"} < texts
    assert set(replies_changed.loc[replies_changed["cut"].astype(bool), "text"]) == {"It is"}
    all_spoilt = Hedger(error_rate=1.0)
    assert {reply_text(all_spoilt, item, 1) for item in ITEMS} <= texts


def test_what_it_does_not_answer() -> None:
    """Other forms; items that aren't bundled; few items are excepted above."""
    assert Hedger().answer("age", {"item": ITEMS[0].id, "draw": 0}, 1.0) is None
    with pytest.raises(KeyError):
        Hedger().answer("hedged", {"item": "popqa-1", "draw": 0}, 1.0)
    with pytest.raises(KeyError):
        Hedger().confidence("popqa-1")


# -- the rules judge reads the hedger


def test_rules_read_markers_exactly() -> None:
    """One sentence, the one marker that was put in, which stands for its group."""
    for hedge in [True, False]:
        hedger = Hedger(hedge=hedge)
        for item in ITEMS:
            marker = hedger.marker(item.id)
            assert standard_marker(marker) == marker, hedge
            quoted = hedger.answer("hedged", {"item": item.id, "draw": 1}, 1.0)
            assert quoted is not None, hedge
            for text in [*every_reply(item, hedger), quoted.text]:
                assert split_sentences(text) == [text], hedge
                assert texts_of_markers(text) == ([marker] if hedge else [])


@pytest.mark.slow
@pytest.mark.parametrize(("hedge", "order"), [(True, 3), (False, 8)])
def test_rules_tell_answers_apart(hedge: bool, order: int) -> None:
    """Yes iff it is the same answer, correct iff it is the right one."""
    hedger = Hedger(hedge=hedge)
    for item in load_marker_questions("bundled", split="all", seed=order).items:
        question = with_choices(item.question, item.choices)
        texts = every_reply(item, hedger)
        expected = np.where(np.eye(len(texts), dtype=bool), "yes", "no").tolist()
        assert [agreements(question, text, texts) for text in texts] == expected, item.id
        right = list(map(partial(verdict, item.answers), texts))
        assert right == ["correct"] + ["incorrect"] * (len(texts) - 1), item.id


FORMED = {"plain": 0, "two markers": 2, "two sentences": 1, "": 1}
"""Markers in a sentence of each form."""


def formed(hedger: Hedger, item: Question) -> list[str]:
    """Main answer and draws until all possible answers are there, at most."""
    return list(dict.fromkeys(reply_text(hedger, item, draw, main=draw == 0) for draw in range(60)))


def test_forms_are_as_many_as_asked_for() -> None:
    """At variety v: v/2 plain, v/4 of two markers and of two sentences; each item keeps its own."""
    hedger = Hedger(variety=0.4)
    forms = Counter(map(hedger.form, attributes_of(ITEMS, "id")))
    for form, share in (("", 0.6), ("plain", 0.2), ("two markers", 0.1), ("two sentences", 0.1)):
        assert is_within_tolerance(forms[form] / len(ITEMS), share, len(ITEMS), 4), form
    for item in ITEMS:
        if not hedger.form(item.id):
            assert reply_text(hedger, item, 1) == reply_text(Hedger(), item, 1)
    plain = next(item for item in ITEMS if hedger.form(item.id) == "plain")
    assert hedger.confidence(plain.id) == 0.9
    assert hedger.marker(plain.id) == "<no_hedge>"


def test_rules_read_every_form() -> None:
    """Sentences, markers and what agrees, as they were put in."""
    hedger = Hedger(variety=1.0)
    for item in ITEMS[::8]:
        form, question = hedger.form(item.id), with_choices(item.question, item.choices)
        texts = formed(hedger, item)
        for text in texts:
            sentences = split_sentences(text)
            assert len(sentences) == 1 + (form == "two sentences"), text
            for sentence in sentences:
                assert len(find_markers(sentence)) == FORMED[form], text
                verdicts = np.array(agreements(question, sentence, texts))
                assert ((verdicts == "yes") == (np.array(texts) == text)).all(), text
                assert set(verdicts) <= {"yes", "no"}
            if form not in ("", "plain"):
                assert find_markers(sentences[-1])[0].text == hedger.marker(item.id)


@pytest.mark.slow
def test_every_form_agrees_as_often_as_its_marker_stands_for() -> None:
    """Draws that are the main answer, by form."""
    hedger = Hedger(variety=1.0)
    differences: dict[str, list[float]] = defaultdict(list)
    for item in ITEMS:
        main, draws = replies(hedger, item)
        c = hedger.confidence(item.id)
        differences[hedger.form(item.id)] += [(draw == main) - c for draw in draws]
    assert set(differences) == set(FORMED) - {""}
    for form, off in differences.items():
        error = np.std(off, ddof=1) / np.sqrt(len(off))
        assert abs(np.mean(off)) < z(3) * error, form


# -- the judge


def pairs(seed: int = 0) -> Iterator[tuple[str, str, str]]:
    """Question, sentence and reply: the hedger's, one of each answer an item, and a punt."""
    hedger = Hedger(seed=seed)
    for item in ITEMS:
        question = with_choices(item.question, item.choices)
        first, *_ = texts = every_reply(item, hedger)
        for text in [*texts, "I don't know."]:
            yield question, first, text


def judge_reply(grader: Grader, form: str, **about: object) -> str:
    """The judge's reply."""
    reply = grader.answer(f"judge_{form}", about, 0.0)
    assert reply is not None
    return reply.text


def agreed(grader: Grader, question: str, sentence: str, reply: str) -> str | ParseFailure:
    """What the judge says of a pair, as it is read."""
    text = judge_reply(grader, "consistency", question=question, sentence=sentence, reply=reply)
    return read_agreement(text)


def opinions_on(
    grader: Grader, question_sentence_reply: Iterable[tuple[str, str, str]]
) -> list[str | ParseFailure]:
    """What the judge says of each pair, as it is read."""
    return list(starmap(partial(agreed, grader), question_sentence_reply))


def test_without_errors_it_is_the_rules_judge() -> None:
    """All five forms, as they are read."""
    grader = Grader()
    for item in ITEMS[::9]:
        question = with_choices(item.question, item.choices)
        texts = [*every_reply(item, Hedger()), "I don't know."]
        first = texts[0]
        rules = agreements(question, first, texts)
        assert opinions_on(grader, product([question], [first], texts)) == rules
        expected = texts_of_markers(first)
        assert read_markers(judge_reply(grader, "markers", sentence=first), first) == expected
        decided = read_decisiveness(judge_reply(grader, "decisiveness", sentence=first))
        assert decided == sentence_decisiveness(first)
        for text in texts:
            about = {"question": question, "accepted": list(item.answers), "reply": text}
            judged_verdict = read_verdict(judge_reply(grader, "correctness", **about))
            assert judged_verdict == verdict(item.answers, text)
        whole = judge_reply(grader, "sentence", question=question, sentence=first, each=texts)
        assert read_markers(whole, first) == expected
        assert read_decisiveness(whole) == decided
        assert read_agreements(whole, len(texts)) == rules
    assert grader.answer("hedged", {}, 0.0) is None


@pytest.mark.slow
def test_error_rate_flips_yes_and_no() -> None:
    """At rate e each; n/a is kept."""
    for e in [0.1, 0.3, 1.0]:
        flips: dict[str | ParseFailure, list[bool]] = defaultdict(list)
        for pair in pairs():
            before, after = agreed(Grader(), *pair), agreed(Grader(error_rate=e), *pair)
            flips[before].append(after != before)
            assert before == "n/a" or after in ("yes", "no"), e
        assert len(flips["n/a"]) >= len(ITEMS), e
        assert not any(flips["n/a"]), e
        for word in ("yes", "no"):
            assert len(flips[word]) > 500, e
            assert is_within_tolerance(float(np.mean(flips[word])), e, len(flips[word]), 2)


@pytest.mark.slow
def test_judge_error_moves_confidence() -> None:
    """A marker's c becomes c(1 - 2e) + e; intervals by item, as an item's replies flip together."""
    e = 0.2
    grader, hedger = Grader(error_rate=e), Hedger()
    by_marker: dict[str, list[float]] = defaultdict(list)
    for item in ITEMS:
        question = with_choices(item.question, item.choices)
        main, draws = replies(hedger, item, 20)
        words = {text: agreed(grader, question, main, text) for text in set(draws)}
        share = float(np.mean(pd.Series(draws).map(words) == "yes"))
        by_marker[hedger.marker(item.id)].append(share)
    for marker, c in MARKERS.items():
        confidences = by_marker[marker]
        spread = np.std(confidences, ddof=1) / np.sqrt(len(confidences))
        assert abs(np.mean(confidences) - (c * (1 - 2 * e) + e)) <= z(5) * spread, marker
        assert abs(np.mean(confidences) - c) > 2 * spread or c == 0.5 or abs(c - 0.5) < 0.2


@pytest.mark.slow
def test_extraction_errors_and_others_are_separate() -> None:
    """Of markers that share has none; an error rate leaves markers, decisiveness and verdicts."""
    for share in [0.25, 1.0]:
        grader = Grader(extraction_error=share)
        missed = []
        for question, _, reply in pairs():
            markers = read_markers(
                judge_reply(grader, "markers", question=question, sentence=reply), reply
            )
            if expected := texts_of_markers(reply):
                missed.append(markers == [])
                assert markers in ([], expected), share
        assert is_within_tolerance(float(np.mean(missed)), share, len(missed), 1)
        for pair in list(pairs())[::7]:
            assert agreed(grader, *pair) == agreed(Grader(), *pair), share
        once = judge_reply(grader, "decisiveness", sentence="It is perhaps so.")
        assert once == judge_reply(Grader(), "decisiveness", sentence="It is perhaps so."), share
    # Markers, decisiveness and verdicts don't change.
    wrong = Grader(error_rate=1.0)
    for item in ITEMS[::20]:
        text = every_reply(item, Hedger())[0]
        about = {"sentence": text, "reply": text, "question": "", "accepted": list(item.answers)}
        for form in ("markers", "decisiveness", "correctness"):
            assert judge_reply(wrong, form, **about) == judge_reply(Grader(), form, **about)


def test_failures_are_no_judgments() -> None:
    """At the fail rate no form can be read; the others are what they were."""
    grader = Grader(fail_rate=0.3)
    failed = []
    for pair in pairs():
        verdict = agreed(grader, *pair)
        failed.append(isinstance(verdict, ParseFailure))
        assert isinstance(verdict, ParseFailure) or verdict == agreed(Grader(), *pair)
    assert is_within_tolerance(float(np.mean(failed)), 0.3, len(failed), 1)
    broken = Grader(fail_rate=1.0)
    about = {"question": "Q?", "sentence": "It is perhaps so.", "reply": "It is so."}
    lists: dict[str, Sequence[str]] = {"accepted": ["so"], "each": ["It is so.", "It isn't."]}
    texts = {
        form: judge_reply(broken, form, **about, **lists)
        for form in ("markers", "decisiveness", "consistency", "correctness", "sentence")
    }
    for text in texts.values():
        with pytest.raises(json.JSONDecodeError):
            json.loads(text)
    unread: list[object] = [
        read_markers(texts["markers"], about["sentence"]),
        read_decisiveness(texts["decisiveness"]),
        read_agreement(texts["consistency"]),
        read_verdict(texts["correctness"]),
        *read_agreements(texts["sentence"], 2),
    ]
    for unread_pair in unread:
        assert isinstance(unread_pair, ParseFailure)
        assert unread_pair.status == "grader_failed"


@pytest.mark.slow
def test_one_call_judges_as_several_do() -> None:
    """With errors of every kind but failures, which are a call's."""
    grader = Grader(seed=4, error_rate=0.3, extraction_error=0.4)
    for item in ITEMS:
        question = with_choices(item.question, item.choices)
        texts = [*every_reply(item, Hedger()), "I don't know."]
        first = texts[-2]
        whole = judge_reply(grader, "sentence", question=question, sentence=first, each=texts)
        assert read_agreements(whole, len(texts)) == opinions_on(
            grader, product([question], [first], texts)
        )
        single_reply = judge_reply(grader, "markers", question=question, sentence=first)
        assert read_markers(whole, first) == read_markers(single_reply, first)
        decided = judge_reply(grader, "decisiveness", sentence=first)
        assert read_decisiveness(whole) == read_decisiveness(decided)


def test_judgments_are_determined_by_seed_and_texts() -> None:
    """Not by the item, the draw or the order; another seed errs elsewhere."""
    all_pairs = list(pairs())[::3]
    grader = Grader(error_rate=0.3, fail_rate=0.1)
    opinions = opinions_on(grader, all_pairs)
    assert opinions_on(Grader(0, 0.3, 0.0, 0.1), all_pairs[::-1]) == opinions[::-1]
    assert opinions_on(Grader(1, 0.3, 0.0, 0.1), all_pairs) != opinions
    question, sentence, reply = all_pairs[0]
    about = {"question": question, "sentence": sentence, "reply": reply}
    assert judge_reply(grader, "consistency", **about) == judge_reply(
        grader, "consistency", **about, item="x", draw=3
    )
