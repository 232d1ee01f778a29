"""The automaton of hands explored to its end, and minimized."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from feltlab.cards import NO_CARD, same_rank
from feltlab.games.blackjack import DOUBLE, HIT, SPLIT, STAND, SURRENDER, card_points
from feltlab.hands.actions import CODES
from feltlab.hands.graph import CARDS, hands
from feltlab.hands.states import FIRST, OTHER, STOOD, SURRENDERED
from feltlab.simulate.compile.card_questions import CARD_VALUES, Questions, questions
from feltlab.simulate.compile.card_wagers import OnHits, before_hole
from feltlab.simulate.compile.hands import Automaton, PlayState
from feltlab.simulate.compile.minimize import minimize
from feltlab.simulate.compile.wagers_on_hand import WagerStatuses
from feltlab.wagers.blackjack_facts import HandView
from feltlab.wagers.conditions import Atom
from feltlab.wagers.facts import Detail

Ints = NDArray[np.int64]
FIRST_CARD, SECOND_CARD, UP = (HandView._fields.index(name) for name in ("first", "second", "up"))
SPLIT_MARK = 1 << 40
ALIKE = Atom("the first cards are of one rank", 0, 1, same_rank, (FIRST_CARD, SECOND_CARD), detail=Detail.RANK)


class Deals:
    """What first cards and up card lead to: `start[:, up, code, first, second]` is a `Start`."""

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        stands = automaton.wagers.atoms
        self._original = before_hole(list(stands))
        values = {new: stands[old] for new, old in self._original.items()}
        if not automaton.house.split_unlike_tens:
            self._original[ALIKE] = ALIKE
        up_only = [atom for atom in self._original if set(atom.fields) <= {UP}]
        self.up = questions(up_only, values)
        self.deal = questions([atom for atom in self._original if atom not in up_only], values)
        known: dict[tuple[int, int], int] = {}
        self.ups = np.zeros(52, dtype=np.int64)
        for card in range(52):
            view = [NO_CARD] * len(HandView._fields)
            view[UP] = card
            self.ups[card] = known.setdefault((card_points(card), self.up.code(view)), len(known))
        self.known = list(known)
        self.start = np.zeros((3, len(known), self.deal.size, 10, 10), dtype=np.int64)
        for up, code, first, second in self._combinations():
            answers = self._answers(self.deal, code) | self._answers(self.up, self.known[up][1])
            unlike = first == second == 10 and not answers.pop(ALIKE, 1)
            answers.pop(ALIKE, None)
            self.start[:, up, code, first - 1, second - 1] = automaton.start(
                self.known[up][0], first, second, answers, unlike=unlike
            )

    def _answers(self, questions: Questions, code: int) -> dict[Atom, int]:
        return {self._original[atom]: value for atom, value in questions.answers(code).items()}

    def _combinations(self) -> Sequence[tuple[int, int, int, int]]:
        """What can be dealt: what is known of the up card, the code of the deal, what both first cards count."""
        cards = np.arange(52)
        points = np.array([card_points(card) for card in range(52)])
        place = {FIRST_CARD: cards[:, None, None], SECOND_CARD: cards[None, :, None], UP: cards[None, None, :]}
        code = np.zeros((1, 1, 1), dtype=np.int64)
        for group in self.deal.groups:
            index = np.zeros((1, 1, 1), dtype=np.int64)
            for at in group.fields:
                index = index * CARD_VALUES + place[at] + 1
            code = code * len(group.answers) + group.table[index]
        combinations = np.broadcast_arrays(self.ups[None, None, :], code, points[:, None, None], points[None, :, None])
        rows = np.unique(np.stack([part.reshape(-1) for part in combinations]), axis=1)
        return [(up, dealt, first, second) for up, dealt, first, second in rows.T.tolist()]


class Explored:
    """Play against every up card as one minimized automaton.

    A *position* is a state of play against an up card in which the hand takes a card. Where a card leads is the next
    position, or (below 0) an ending; what first cards lead to may also be (from `count` on) a pair to be split.
    """

    def __init__(self, automaton: Automaton, deals: Deals, on_hits: OnHits) -> None:
        self.automaton, self.on_hits = automaton, on_hits
        self.roles: dict[tuple[int, WagerStatuses], int] = {}
        self.splits: dict[tuple[int, int], int] = {}
        self._pairs: dict[tuple[int, int, int], int] = {}
        states: dict[int, Explored._State] = {}
        for play, actions, after in automaton.explore():
            if SPLIT in actions:
                self._split(play)
            states[automaton.states[play]] = play, actions, after
        self._positions([states[number] for number in range(len(states))])
        start = deals.start.copy()
        ups = np.array([points for points, _ in deals.known])[:, None, None, None] - 1
        surrendered = self._act[np.maximum(start[0], 0), ups] == CODES[SURRENDER]
        start[2] = np.where((start[0] >= 0) & surrendered, start[2], 0)
        start[0] = np.where(start[0] >= 0, self._leads[np.maximum(start[0], 0), ups], start[0])
        self.start = start
        self.pairs = np.zeros((10, max(len(self.roles), 1), 10, 10), dtype=np.int64)
        for (role, pair, second), state in self._pairs.items():
            self.pairs[:, role, pair - 1, second - 1] = self._leads[state]
        self.again = np.zeros((10, max(len(self.roles), 1), 10), dtype=np.int64)
        for up, plan in automaton.plans.items():
            for (_, kept), number in self.roles.items():
                self.again[up - 1, number] = plan.again[automaton.layer(kept)]

    _State = tuple[PlayState, list[int], list[int]]

    def _positions(self, states: list[_State]) -> None:
        automaton, count = self.automaton, len(states)
        self._act = np.array([[CODES[action] for action in actions] for _, actions, _ in states])
        ended, after = np.zeros((count, 10), dtype=np.int64), np.zeros((count, 2, 10), dtype=np.int64)
        hits = np.zeros((count, 2, 10), dtype=np.int64)
        for number, (play, actions, cards) in enumerate(states):
            ends = {STAND: 0, SURRENDER: 0, SPLIT: 0, HIT: 0, DOUBLE: 0}
            for action, state in ((STAND, STOOD), (SURRENDER, SURRENDERED)):
                if action in actions:
                    ends[action] = -1 - automaton.stopped_by(play, state)
            if SPLIT in actions:
                ends[SPLIT] = self._split(play)
            ended[number] = [ends[action] for action in actions]
            if HIT in actions:
                after[number, 0], hits[number, 0] = cards, self._rows("before-hit", play)
            if DOUBLE in actions:
                after[number, 1] = [-1 - end for end in automaton.doubled(play)]
                hits[number, 1] = self._rows("before-double", play)
        takes = (self._act == CODES[HIT]) | (self._act == CODES[DOUBLE])
        # Where a state leads against an up card: to itself as a position, to an ending, or (marked) to a split.
        own = np.arange(count * 10).reshape(count, 10)
        split = self._act == CODES[SPLIT]
        leads = np.where(takes, own, np.where(split, SPLIT_MARK + ended, ended))
        twice = (self._act == CODES[DOUBLE]).astype(np.int64)
        numbers, ups = np.indices((count, 10))
        cards_to = after[numbers, twice]  # (states, ups, cards)
        cards_to = np.where(cards_to >= 0, leads[np.maximum(cards_to, 0), ups[:, :, None]], cards_to)
        rows, fixed = cards_to.reshape(-1, 10), hits[numbers, twice].reshape(-1, 10)
        kept = np.flatnonzero(takes.reshape(-1))
        place = np.full(count * 10, -1)
        place[kept] = np.arange(len(kept))
        child = np.where(rows[kept] >= 0, place[np.maximum(rows[kept], 0)], rows[kept])
        like, lead = minimize(np.concatenate([fixed[kept], twice.reshape(-1)[kept][:, None]], axis=1), child)
        self.count = len(lead)
        self.go = np.where(child[lead] >= 0, like[np.maximum(child[lead], 0)], child[lead])
        self.hits, self.doubles = fixed[kept][lead], twice.reshape(-1)[kept][lead]
        number = np.append(like, 0)[place]  # of a position by state and up card
        self._leads = np.where(
            split, self.count + leads - SPLIT_MARK, np.where(takes, number.reshape(count, 10), leads)
        )

    def _split(self, play: PlayState) -> int:
        """The hands that a pair is split into: the first keeps its wagers, the others have the main one."""
        wagers, pair = self.automaton.wagers, int(np.flatnonzero(hands().cards[play.hand])[0]) + 1
        others = wagers.remember(wagers.others(), wagers.answers(play.wagers))
        kinds = ((FIRST, self.automaton.split(play, pair)), (OTHER, others))
        first, other = (self.roles.setdefault(kind, len(self.roles)) for kind in kinds)
        for number, (role, statuses) in ((first, kinds[0]), (other, kinds[1])):
            for second in CARDS:
                self._pairs[number, pair, second] = self.automaton.pair_state(role, statuses, pair, second)
        return self.splits.setdefault((first, other), len(self.splits))

    def _rows(self, at: str, play: PlayState) -> list[int]:
        if not self.on_hits.own:
            return [0] * 10
        return [self.on_hits.row(at, play.role, play.hand, drawn) for drawn in range(10)]
