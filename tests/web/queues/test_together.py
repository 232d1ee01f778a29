"""What many ask for at once: found once, and never older than the question."""

import asyncio

from feltlab.web.queues.together import Together
from support.floor.inside import Inside


def test_many_who_ask_at_once_are_answered_together():
    async def run():
        found, state = [], 0

        async def find():
            found.append(state)
            seen = state
            await asyncio.sleep(0)
            return seen

        lobby = Together(find, pause=0.05)
        assert await lobby.ask() == 0, "at once"
        state = 1
        assert await asyncio.gather(*(lobby.ask() for _ in range(100))) == [1] * 100
        assert found == [0, 1]
        state = 2
        waiting = asyncio.create_task(lobby.ask())
        await asyncio.sleep(0)
        state = 3
        assert await waiting == 3, "as it is when it is found, which is after it was asked for"
        assert found == [0, 1, 3]

    asyncio.run(run())


def test_who_goes_away_takes_the_answer_from_nobody():
    async def run():
        async def find():
            return "found"

        lobby = Together(find, pause=0.01)
        await lobby.ask()
        gone, waiting = (asyncio.create_task(lobby.ask()) for _ in range(2))
        await asyncio.sleep(0)
        gone.cancel()
        assert await waiting == "found"

    asyncio.run(run())


def test_what_fails_is_asked_again():
    async def run():
        fails = [OSError("gone")]

        async def find():
            if fails:
                raise fails.pop()
            return "back"

        lobby = Together(find, pause=0.0)
        results = await asyncio.gather(lobby.ask(), lobby.ask(), return_exceptions=True)
        assert [str(one) for one in results] == ["gone", "gone"]
        assert await lobby.ask() == "back"

    asyncio.run(run())


def test_the_lobby_shows_what_was_done_before_it_was_asked_for(tmp_path):
    with Inside(tmp_path, "bad-beat-blackjack") as server, server.house() as house:
        for number in range(2, 6):
            house.change("POST", "/tables", {"sheet": "bad-beat-baccarat"})
            assert len(house.tables()) == number
