"""What answers look like, for the OpenAPI document."""

from __future__ import annotations

from typing import Any

_COMMITMENT = "6290fedab52e1c9ad1a586cacaeed4d7cf811e1473f0f1f80e90a8e0ec9e36e0"
_SHEET = "c73d18fe5a5412c49922f0a54b717217e7be6ceb0b8dd973c12d8f17f4c90d5f"
_CONFIG = "70b70194ce7b56bc8c6e81895dbbaba08365d15eae793ad4ee8c35f9ba61be24"
_LIMITS = {"main": [500, 50_000], "insurance": [1, 25_000], "bad-beat": [100, 10_000]}

_SEATS = [
    {
        "name": "Ada",
        "spots": [3],
        "chips": 48_500,
        "ready": False,
        "away": False,
        "leaving": False,
        "gone": False,
        "kept": {},
    }
]
_SHOE = {
    "number": 1,
    "commitment": _COMMITMENT,
    "cut": True,
    "seeds": [["Ada", "three crows on a wire"]],
    "cards": 312,
    "dealt": 5,
    "behind_cut": 78,
}
_WAITS = {
    "kind": "action",
    "turn": "1.13",
    "spot": 3,
    "hand": 0,
    "actions": ["stand", "hit", "double"],
    "side": {},
    "most": 0,
    "until": 1_794_978_186_328,
    "who": ["Ada"],
}
_ROUND = {
    "number": 1,
    "step": "actions",
    "bets": [
        {"bet": 1, "spot": 3, "hand": 0, "wager": "main", "stake": 1000, "back": None, "lines": []},
        {"bet": 2, "spot": 3, "hand": 0, "wager": "bad-beat", "stake": 500, "back": 0, "lines": []},
    ],
    "spots": {"3": [{"hand": 0, "cards": ["Ac", "7c"], "total": 18, "soft": True, "how": "", "doubled": False}]},
    "dealer": {"hand": 0, "cards": ["8c", "--"], "total": 8, "soft": False, "how": "", "doubled": False},
    "player": None,
    "banker": None,
}
_NOW = {
    "table": 1,
    "seq": 5,
    "status": "open",
    "seats": _SEATS,
    "shoe": _SHOE,
    "round": _ROUND,
    "following": 2,
    "waits": _WAITS,
}
_EVENTS = [
    {"event": "ready", "who": "Ada"},
    {"event": "cut", "number": 1},
    {"event": "step", "step": "deal"},
    {"event": "card", "to": "spot", "card": "Ac", "spot": 3, "hand": 0, "face_up": True},
    {"event": "card", "to": "dealer", "card": "8c", "spot": 0, "hand": 0, "face_up": True},
    {"event": "card", "to": "spot", "card": "7c", "spot": 3, "hand": 0, "face_up": True},
    {"event": "card", "to": "dealer", "card": "--", "spot": 0, "hand": 0, "face_up": False},
]
_WAGER = {
    "id": "bad-beat",
    "name": "Bad Beat Blackjack",
    "base": False,
    "placed": ["before-deal"],
    "least": 100,
    "most": 10_000,
    "lines": [{"id": "20-beaten", "name": "20 beaten", "pays": "20:1"}],
}
_ABOUT = {
    "id": 1,
    "name": "Bad Beat Blackjack",
    "sheet": "bad-beat-blackjack",
    "sheet_name": "Bad Beat Blackjack",
    "game": "blackjack",
    "headline": "6 decks, option 2, paytable bad-beat P1",
    "modified": [],
    "config": {
        "feltlab": "0.1.0",
        "sheet": "bad-beat-blackjack",
        "sheet_version": "2020-04-24",
        "sheet_sha256": _SHEET,
        "base_sha256": _COMMITMENT,
        "decks": 6,
        "option": "2",
        "paytables": ["bad-beat=P1"],
        "rules": {"soft17": "hit", "surrender": "none"},
        "offered": ["bad-beat"],
        "pays": {},
        "limits": _LIMITS,
        "jurisdiction": None,
        "rounding": ["down", 1],
        "behind_cut": 78,
        "burn": 1,
        "seats": 7,
        "decision_seconds": 30,
        "betting_seconds": 20,
    },
    "config_sha256": _CONFIG,
    "wagers": [_WAGER],
    "procedure": [["deal", "Step 2. Every player and the dealer get two cards by the standard procedure."]],
    "notes": [],
}
_WAGER_BOOK = {
    "wager": "main",
    "bets": 1200,
    "handle": 1_320_000,
    "win": 6050,
    "hold": 0.0045833,
    "edge": 0.0061813,
    "expected": 7417.6,
    "deviations": -0.0343,
    "note": "",
}
_TABLE_BOOK = {
    "table": 1,
    "trouble": "",
    "name": "Bad Beat Blackjack",
    "sheet": "bad-beat-blackjack",
    "status": "open",
    "rounds": 400,
    "float": 6050,
    "wagers": [_WAGER_BOOK],
}

EXAMPLES: dict[str, Any] = {
    "Me": {"name": "Ada", "kind": "player", "chips": 50_000, "tables": [1], "csrf": "0899fe79f3707c5bf6bbad59cb43433a"},
    "SessionAnswer": {"me": None},
    "SessionLine": {
        "id": "0899fe79f3707c5b",
        "made_at": 1_794_978_156_328,
        "used_at": 1_794_978_756_328,
        "ends_at": 1_795_021_356_328,
        "this": True,
    },
    "Enrolment": {"uri": "otpauth://totp/Feltlab:Ada?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Feltlab"},
    "RecoveryCodes": {"codes": ["0899fe79f3", "4be1d0c2a9"]},
    "SecondFactor": {"on": True, "recovery_left": 8},
    "MyLimits": {
        "loss": 20_000,
        "minutes": 120,
        "later": {"loss": None, "minutes": 120, "at": 1_795_064_556_328},
        "lost": 4_500,
        "began": 1_794_978_156_328,
        "ends": 1_795_064_556_328,
    },
    "ActLine": {
        "id": 7,
        "at": 1_794_978_156_328,
        "by": "house",
        "act": "close",
        "subject": "table 3",
        "detail": {},
    },
    "Chips": {"chips": 150_000},
    "TableLine": {
        "id": 1,
        "name": "Bad Beat Blackjack",
        "sheet": "bad-beat-blackjack",
        "game": "blackjack",
        "headline": "6 decks, option 2, paytable bad-beat P1",
        "seats": 7,
        "free": [1, 2, 4, 5, 6, 7],
        "limits": _LIMITS,
        "status": "open",
        "trouble": "",
    },
    "TableAnswer": {"about": _ABOUT, "now": _NOW},
    "StepAnswer": {
        "table": 1,
        "seq": 5,
        "at": 1_794_978_156_328,
        "round": 1,
        "events": _EVENTS,
        "again": False,
        "now": _NOW,
    },
    "RoundLine": {
        "id": "1-1",
        "table": 1,
        "name": "Bad Beat Blackjack",
        "sheet": "bad-beat-blackjack",
        "at": 1_794_978_156_338,
        "stake": 1500,
        "back": 0,
    },
    "RoundAnswer": {
        "id": "1-1",
        "table": 1,
        "number": 1,
        "sheet": "bad-beat-blackjack",
        "sheet_sha256": _SHEET,
        "config_sha256": _CONFIG,
        "shoe": "1-1",
        "over": True,
        "began_at": 1_794_978_156_324,
        "ended_at": 1_794_978_156_338,
        "steps": [{"seq": 5, "at": 1_794_978_156_328, "command": {"command": "deal"}, "events": _EVENTS}],
        "bets": [
            {"bet": 1, "player": "Ada", "spot": 3, "hand": 0, "wager": "main", "stake": 1000, "back": 0, "lines": []}
        ],
        "told": ["Deal", "spot 3 gets Ac: soft 11", "the dealer gets 8c: 8", "spot 3 gets 7c: soft 18"],
        "story": [
            {
                "step": "deal",
                "number": 2,
                "title": "Deal",
                "rule": "Two cards to each hand, one of the dealer's face down.",
                "lines": ["spot 3 gets Ac: soft 11", "the dealer gets 8c: 8", "spot 3 gets 7c: soft 18"],
            }
        ],
    },
    "ReplayAnswer": {
        "id": "1-1",
        "over": False,
        "cards": 312,
        "behind_cut": 78,
        "frames": [
            {"step": "actions", "number": 6, "opens": True, "text": "Actions", "dealt": 5, "round": _ROUND},
        ],
    },
    "Scoreboard": {
        "table": 2,
        "shoe": 1,
        "results": [{"round": "2-1", "result": "banker", "player": 4, "banker": 7}],
        "roads": {
            "bead": [{"column": 0, "row": 0, "is": "banker", "ties": 0}],
            "big": [{"column": 0, "row": 0, "is": "banker", "ties": 0}],
            "big_eye": [],
            "small": [],
            "cockroach": [],
        },
    },
    "Coaching": {
        "turn": "1.14",
        "spot": 3,
        "hand": 0,
        "cards": ["As", "8h"],
        "up": "6d",
        "stake": 1000,
        "best": "stand",
        "actions": [
            {"action": "stand", "main": 0.4524, "side": {"bad-beat": 0.1234}, "total": 0.5758},
            {"action": "double", "main": 0.4627, "side": {"bad-beat": -0.5}, "total": -0.0373},
        ],
        "offers": {},
        "left_out": [],
        "chosen": "double",
        "cost": 613.1,
    },
    "ShoeAnswer": {
        "id": "1-1",
        "table": 1,
        "decks": 6,
        "burn": 1,
        "behind_cut": 78,
        "commitment": _COMMITMENT,
        "seeds": [["Ada", "three crows on a wire"]],
        "revealed": False,
        "order": None,
        "reserve": None,
        "rounds": ["1-1"],
    },
    "TableBook": _TABLE_BOOK,
    "Books": {
        "players": 93_950,
        "floats": 6050,
        "house": 0,
        "bought_in": 100_000,
        "tables": [_TABLE_BOOK],
        "unread": [],
    },
}

EVENTS = (
    "retry: 1000\n\n"
    "id: 6\nevent: step\n"
    'data: {"table":1,"seq":6,"at":1794978156338,"round":1,"events":[{"event":"action","spot":3,"hand":0,'
    '"action":"stand"}],"now":{}}\n\n'
)
