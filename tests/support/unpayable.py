"""Tables whose payments no column holds, and rounds at them that cannot be settled."""

from contextlib import contextmanager
from unittest import mock

from feltlab.floor.desk import Job
from feltlab.floor.house.config import Wish
from feltlab.floor.tables.commands import Ready, SetBets, Sit
from feltlab.money import LARGEST_AMOUNT

RICH = """
id = "rich"
name = "Rich"
game = "blackjack"
decks = [6]

[[wager]]
id = "rich"
name = "Rich"
settle = "sum"
{more}
"""
LINE = """
[[wager.line]]
name = "Line {number}"
when = "{when}"
pays = "{pays}"
"""
FIFTY_BILLION = 50_000_000_000
TEN_AND_NINE = "Th 9h 8c {hole}"  # spot 1 stands on 18, the dealer shows a nine


def rich(when="always", lines=40, pays="10000000:1", more=""):
    """A sheet with a wager of many lines that are added up."""
    return RICH.replace("{more}", more) + "".join(
        LINE.replace("{number}", str(number)).replace("{when}", when).replace("{pays}", pays) for number in range(lines)
    )


ORACLE = rich("points(hole) == 10", more='needs = "dealer-two-cards"')


def wish(sheet, most, **more):
    return Wish(text=sheet, decks=6, limits={"rich": (1, most), "main": (1, 1000)}, **more)


@contextmanager
def as_before():
    """Nothing bounds what is opened and laid, as in the first version."""
    with (
        mock.patch("feltlab.floor.house.config.check_payments"),
        mock.patch("feltlab.floor.tables.procedure.room_for_wagers"),
    ):
        yield


def unpayable(floor, sheet=None, hole="Kc", name="ada"):
    """A round of the first version that cannot be settled, waiting for its player's decision."""
    with as_before():
        table = floor.table(wish(sheet or rich(), FIFTY_BILLION), TEN_AND_NINE.replace("{hole}", hole))
        person = floor.player(name, LARGEST_AMOUNT)
        floor.desk.do(Job(table, Sit((1,), LARGEST_AMOUNT), person))
        floor.desk.do(Job(table, SetBets(1, {"main": 1000, "rich": FIFTY_BILLION}), person))
        floor.desk.do(Job(table, Ready(), person))
    return table, person
