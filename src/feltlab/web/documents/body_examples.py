"""What bodies look like, for the OpenAPI document."""

from __future__ import annotations

from typing import Any

_TABLE = {
    "sheet": "bad-beat-blackjack",
    "decks": 6,
    "paytables": ["bad-beat=P1"],
    "pays": {"bad-beat/20-beaten": "25:1"},
}
_COUP = {"sheet": "bad-beat-baccarat"}

BODY_EXAMPLES: dict[str, list[dict[str, Any]]] = {
    "LogIn": [{"name": "Ada", "password": "a long password"}],
    "Password": [{"present": "a long password"}],
    "Code": [{"code": "287082"}],
    "Off": [{"present": "a long password", "code": "287082"}],
    "NewPassword": [{"present": "a long password", "new": "a longer password"}],
    "BuyIn": [{"amount": 100_000}],
    "SetLimits": [{"loss": 20_000, "minutes": 120}],
    "SitDown": [{"spots": [3], "chips": 50_000}],
    "Bets": [{"spot": 3, "bets": {"main": 1000, "bad-beat": 500}}],
    "Move": [{"turn": "12.9", "spot": 3, "action": "hit"}],
    "Seed": [{"seed": "three crows on a wire"}],
    "Reason": [{"reason": "a card was seen that nobody should have"}],
    "NewTable": [
        {"sheet": "bad-beat-blackjack", "decks": 6, "option": "2", "limits": {"main": [500, 50_000]}},
        {"sheet": "bad-beat-baccarat", "option": "no-commission", "seats": 14},
    ],
    "SheetTable": [_TABLE],
    "NewSheet": [{"text": 'id = "mine"\nname = "Mine"\ngame = "baccarat"\n'}],
    "AskFigures": [{"table": _COUP, "part": "counted"}],
    "AskSeries": [{"table": _COUP, "wager": "bad-beat", "over": "decks"}],
    "AskStrategy": [{"table": {"sheet": "bad-beat-blackjack"}, "ratio": 1}],
    "AskCopy": [{"table": _TABLE}],
    "NewSimulation": [{"table": _COUP, "rounds": 1_000_000, "seed": 7}],
}
