"""Tables of users' sheets, checked by a worker of the lab and set up beside the desk: no table waits for another's sheet."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

import feltlab
from feltlab.floor.house.config import Config, NotSetUp, Wish, configure
from feltlab.floor.storage.database import Unavailable
from feltlab.lab.questions import LabQuestion
from feltlab.memory import BoundedCache
from feltlab.web.http.problems import Problem
from feltlab.web.lab.laboratory import Laboratory
from feltlab.web.queues.turns import Asker

SERVER = Asker("server", 0)
MOST_BYTES = 1 << 20  # of refusals that are remembered


class Checked(NamedTuple):
    """A wish that a worker has found right: its configuration, and the text of its sheet."""

    config: Config
    text: str


class SettingUp:
    """Has sheets checked by a worker, which can be killed, and sets tables up in a thread of their own, one at a time."""

    def __init__(self, laboratory: Laboratory) -> None:
        self._laboratory = laboratory
        self._one = asyncio.Lock()
        self._refused: BoundedCache[str, str] = BoundedCache(
            MOST_BYTES
        )  # configurations that cannot be set up, and why

    async def check(self, wish: Wish, asker: Asker) -> Checked:
        """The configuration that a wish gives, set up; refused with the rule that it breaks."""
        if not wish.text:  # a built-in sheet
            return Checked(*await asyncio.to_thread(configure, wish))
        question = LabQuestion("open", wish.text, wish=replace(wish, text=""))
        config = msgspec.json.decode(await self._laboratory.ask("counted", question, asker), type=Config)
        await self.set_up(NotSetUp(config, wish.text))
        return Checked(config, wish.text)

    async def set_up(self, missing: NotSetUp) -> None:
        """Set a table up. What another version has opened is checked first; what is refused then is refused from then on."""
        config, text = missing.config, missing.text
        key = config.sha256()
        if config.feltlab != feltlab.__version__:
            if words := self._refused.get(key):
                raise Unavailable(f"the table cannot go on: {words}")
            try:
                await self._laboratory.ask("counted", LabQuestion("again", text, config=config), SERVER)
            except Problem as error:
                if error.status == HTTPStatus.UNPROCESSABLE_ENTITY:
                    self._refused.put(key, str(error))
                raise Unavailable(f"the table cannot go on: {error}") from None
        async with self._one:
            await asyncio.to_thread(config.table, text)
