"""A client of the service, for programs that play.

    with Client("http://127.0.0.1:8000") as me:
        me.guest()
        me.buy_chips(100_000)
        seat = me.sit(1, spots=[3], chips=50_000)
        seat.bet({"main": 1000, "bad-beat": 500})
        seat.deal()
        while question := seat.my_turn:
            seat.act("stand" if seat.hand().total >= 17 else "hit")

Money is in whole cents. A request without an answer is sent again with the same idempotency key, so nothing is done twice.
"""

from feltlab.client.client import Client, ServiceError
from feltlab.client.seat import Seat

__all__ = ["Client", "Seat", "ServiceError"]
