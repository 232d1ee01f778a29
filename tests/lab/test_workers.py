"""The processes that work for a server: each can be killed, is limited, and is replaced without an answer lost."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys

import msgspec
import pytest

from feltlab.analysis import analyse
from feltlab.floor.house.config import Wish, configure
from feltlab.floor.ledger.expected_win import ANY, Expected
from feltlab.floor.ledger.expected_win import ExpectedQuery as Expecting
from feltlab.lab.limits import WorkerLimits
from feltlab.lab.questions import Answered, LabQuestion, Trouble, read_told
from feltlab.sheets.loader import builtin_text
from feltlab.tables import TableChoice
from feltlab.web.http.problems import Problem
from feltlab.web.lab.figuring import Figuring
from feltlab.web.lab.laboratory import Laboratory, LabWorker
from feltlab.web.queues.turns import Asker

ADA = Asker("person 1", 1)
MB = 1 << 20


def figures(**more) -> LabQuestion:
    table = TableChoice(**more)
    return LabQuestion("figures", builtin_text("bad-beat-baccarat"), table, "counted", ["tie"])


def play(**more) -> LabQuestion:
    """A question that takes about 150 MB."""
    table = TableChoice(strategy="composition", decks=6, **more)
    return LabQuestion("figures", builtin_text("bad-beat-blackjack"), table, "played", ["main"])


def edge(told) -> float:
    assert isinstance(told, Answered), told
    return json.loads(bytes(told.answer))["wagers"][0]["house_edge"]


def asked(worker: LabWorker, *questions: LabQuestion) -> list[tuple[object, int]]:
    """What a worker answers to each, and its process when it did."""

    async def ask():
        found = []
        try:
            for question in questions:
                try:
                    answer = await worker.ask(msgspec.json.encode(question), ADA)
                except Problem as error:
                    answer = error
                found.append((answer, worker.pid))
        finally:
            await worker.stop()
        return found

    return asyncio.run(ask())


def test_a_worker_that_has_answered_enough_is_replaced_between_questions():
    questions = [figures(remove=card) for card in ("As", "2s", "3s", "4s")]
    found = asked(LabWorker(limits=WorkerLimits(questions=2)), *questions)
    for (told, _), card in zip(found, ("As", "2s", "3s", "4s"), strict=True):
        assert edge(told) == float(analyse("bad-beat-baccarat", remove=card).figures("tie").house_edge)
    assert [told.last for told, _ in found] == [False, True, False, True]
    pids = [pid for _, pid in found]
    assert pids[0] is not None and pids[1] is None and pids[2] not in (None, pids[0])


def test_a_worker_that_has_grown_large_is_replaced_and_its_answer_is_right():
    found = asked(LabWorker(limits=WorkerLimits(large=1 * MB)), figures(), figures(remove="As"))
    assert all(told.last for told, _ in found)
    assert edge(found[0][0]) == float(analyse("bad-beat-baccarat").figures("tie").house_edge)
    assert edge(found[1][0]) == float(analyse("bad-beat-baccarat", remove="As").figures("tie").house_edge)


def test_a_question_that_wants_too_much_memory_is_refused_and_the_next_is_answered():
    (told, pid), (after, _) = asked(LabWorker(limits=WorkerLimits(most_bytes=260 * MB)), play(), figures())
    assert not isinstance(told, Answered) and pid is None, "and the process is not used again"
    assert "memory" in (told.problem if isinstance(told, Trouble) else str(told))
    assert edge(after) == float(analyse("bad-beat-baccarat").figures("tie").house_edge)


def test_a_worker_that_allocates_without_end_is_stopped_by_the_system():
    program = (
        "from feltlab.lab.limits import confine; confine(0, 300 << 20); kept = []\n"
        "while True: kept.append(bytearray(1 << 20))"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=240, check=False)
    assert ended.returncode != 0 and "MemoryError" in ended.stderr


def test_a_worker_that_takes_too_long_is_replaced(monkeypatch):
    monkeypatch.setattr("feltlab.web.lab.laboratory.SECONDS", 0.01)  # it takes longer to start
    ((told, pid),) = asked(LabWorker(), figures())
    assert isinstance(told, Problem) and told.kind == "too-long" and "0.01 seconds" in str(told) and pid is None


def test_figures_for_the_books_have_an_end(monkeypatch):
    monkeypatch.setattr("feltlab.web.lab.figuring.SECONDS", 0.01)
    config, text = configure(Wish("bad-beat-blackjack"))
    question = Expecting.of(config.text(), text)

    async def look():
        figuring = Figuring()
        try:
            return await figuring.find([question])
        finally:
            await figuring.stop()

    found = asyncio.run(look())[question]
    assert found == {ANY: Expected(note="its exact figures take longer than 0.01 seconds to count")}


def test_figures_for_the_books_are_remembered_for_so_many_tables(monkeypatch):
    monkeypatch.setattr("feltlab.web.lab.figuring.MOST_KEPT", 2)
    monkeypatch.setattr("feltlab.web.lab.figuring.SECONDS", 0.01)
    config, text = configure(Wish("bad-beat-baccarat"))
    questions = [Expecting.of(config.text(), f"{text}# {number}") for number in range(5)]

    async def look():
        figuring = Figuring()
        try:
            for question in questions:
                assert await figuring.find([question])
                assert len(figuring._asked) <= 2
            return list(figuring._asked)
        finally:
            await figuring.stop()

    assert asyncio.run(look()) == questions[-2:]


def test_the_default_limits_leave_room_for_what_is_asked():
    question = play(remove="As")
    told, pid = asked(LabWorker(), question)[0]
    expected = float(analyse("bad-beat-blackjack", decks=6, remove="As").figures("main", "composition").house_edge)
    assert edge(told) == pytest.approx(expected, abs=1e-12) and pid is not None


def test_answers_are_kept_up_to_a_bound():
    async def ask():
        lab = Laboratory()
        lab._kept.most_bytes = 20_000
        try:
            for card in "A23456789":
                assert await lab.ask("counted", figures(remove=f"{card}s"), ADA)
                assert lab._kept.bytes <= 20_000
            assert len(lab._kept) > 1 and not lab._asking
            before = lab.workers["counted"].pid
            await lab.workers["counted"].stop()
            assert await lab.ask("counted", figures(remove="9s"), ADA)
            assert before and lab.workers["counted"].pid is None, "it was known"
        finally:
            await lab.stop()

    asyncio.run(ask())


def test_what_is_told_is_read_again():
    line = msgspec.json.encode(Answered(msgspec.Raw(b'{"a":1}'), last=True))
    assert read_told(line) == Answered(msgspec.Raw(b'{"a":1}'), last=True)
