"""What answers of the lab look like, for the OpenAPI document."""

from __future__ import annotations

from typing import Any

_SHA = "c73d18fe5a5412c49922f0a54b717217e7be6ceb0b8dd973c12d8f17f4c90d5f"
_TABLE = {"sheet": "bad-beat-baccarat"}
_WAGER = {
    "id": "tie",
    "name": "Tie",
    "sentence": "The hands are equal.",
    "base": True,
    "placed": ["before-deal"],
    "excludes": [],
    "lines": [{"id": "tie", "name": "Tie", "options": []}],
    "paytables": [{"id": "standard", "decks": [6, 8], "pays": {"tie": "8:1"}}],
}
_FIGURES = {
    "id": "tie",
    "name": "Tie",
    "base": True,
    "paytable": "standard",
    "known": None,
    "strategy": None,
    "why_not": None,
    "house_edge": 0.14359628778723826,
    "element_of_risk": 0.14359628778723826,
    "average_wager": 1.0,
    "hit_frequency": 0.09515596780252915,
    "push_frequency": 0.0,
    "standard_deviation": 2.6408,
    "variance": 6.9742,
    "skewness": 2.759,
    "largest_pay": "8:1",
    "total": "4998398275503360",
    "counted": "ordered six-card sequences",
    "lines": [
        {
            "id": "tie",
            "name": "Tie",
            "pays": "8:1",
            "combinations": "475627426473216",
            "probability": 0.09515596780252915,
            "return": 0.7612477424202332,
        }
    ],
}
_SIMULATION = {
    "id": "Zk3vQ0y1b7WmXc2d",
    "table": _TABLE,
    "headline": "8 decks, option commission",
    "rounds": 1_000_000,
    "dealt": 500_000,
    "seed": 7,
    "mode": "fresh",
    "spots": 1,
    "rate": 12_000_000.0,
    "status": "running",
    "why": "",
    "wagers": [
        {
            "id": "tie",
            "name": "Tie",
            "bets": 500_000,
            "house_edge": 0.1421,
            "error": 0.0037,
            "exact": 0.1436,
            "z": -0.41,
        }
    ],
    "history": [{"dealt": 500_000, "wagers": {"tie": {"house_edge": 0.1421, "error": 0.0037}}}],
}
_AUDIT = {
    "wager": "big-slick",
    "paytable": "1",
    "figure": "house-edge",
    "decks": [6],
    "option": None,
    "strategy": None,
    "printed": "5.81%",
    "claimed": 0.0581,
    "computed": [0.058128, 0.058128],
    "verdict": "holds",
    "words": "the exact figure rounds to the printed one",
    "source": "sheet, page 1",
    "others": [{"reading": "suited", "wager": "big-slick-suited", "computed": 0.061}],
}
_CHART = {
    "strategy": "joint:1",
    "house_edge": {"main": 0.0063, "bad-beat": 0.0971},
    "up_cards": ["2", "3", "4", "5", "6", "7", "8", "9", "T", "A"],
    "rows": [
        {"kind": "soft", "label": "19", "codes": ["S", "S", "S", "S", "Ds"], "bonus": [None, None, None, None, "S"]}
    ],
    "meanings": {"S": "stand", "Ds": "double, else stand"},
    "hands": [{"hand": "T,2", "up": "4", "code": "H"}],
    "changes": [{"hand": "A,8", "up": "6", "code": "S", "without": "Ds"}],
    "cost": 0.0002,
    "deviations": [
        {
            "hand": "A,8",
            "up": "6",
            "action": "stand",
            "instead_of": "double",
            "cost": 0.0071,
            "gain": 0.9,
            "ratio": 0.0079,
        }
    ],
}

LAB_EXAMPLES: dict[str, Any] = {
    "SheetLine": {
        "id": "bad-beat-baccarat",
        "name": "Bad Beat Baccarat",
        "game": "baccarat",
        "summary": "Baccarat with bonus wagers on beaten hands.",
        "decks": [6, 8],
        "sha256": _SHA,
    },
    "SheetAbout": {
        "id": "bad-beat-baccarat",
        "name": "Bad Beat Baccarat",
        "game": "baccarat",
        "version": "2012",
        "summary": "Baccarat with bonus wagers on beaten hands.",
        "sha256": _SHA,
        "builtin": True,
        "text": 'id = "bad-beat-baccarat"',
        "decks": [6, 8],
        "usual": {"decks": 8, "option": "commission", "paytables": {"bad-beat": "standard"}},
        "options": [{"id": "commission", "sentence": "Banker pays 19 to 20."}],
        "rules": [{"key": "tie", "values": ["8", "9"], "default": "8", "sentence": "What a tie pays.", "own": False}],
        "wagers": [_WAGER],
        "strategies": [],
        "procedure": [["deal", "Two cards each."]],
        "readings": [{"id": "one", "point": "A point.", "reading": "Read so.", "evidence": "The page says so."}],
        "sources": [{"id": "sheet", "title": "Rules", "date": None, "note": None}],
    },
    "FiguresAnswer": {
        "headline": "8 decks, option commission",
        "modified": [],
        "pays": {"tie": {"tie": "8:1"}},
        "wagers": [_FIGURES],
    },
    "Series": {
        "over": "decks",
        "x_name": "decks",
        "points": [{"x": 6, "label": "6", "house_edge": 0.1444, "low": None, "high": None, "share": None}],
    },
    "AuditAnswer": {
        "findings": [_AUDIT],
        "alternatives": [
            {
                "reading": "suited",
                "wager": "big-slick",
                "paytable": "1",
                "decks": 6,
                "read": 0.0581,
                "other": "suited=any",
                "computed": 0.061,
            }
        ],
    },
    "LabChart": _CHART,
    "Copy": {"text": 'id = "bad-beat-baccarat"'},
    "SimulationAnswer": _SIMULATION,
}
PROGRESS = 'retry: 1000\n\nevent: progress\ndata: {"id":"Zk3vQ0y1b7WmXc2d","status":"running","dealt":500000}\n\n'
