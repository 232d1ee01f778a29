"""Tables under random house rules, wagers and decisions: money and cards are conserved, only legal acts succeed."""

from collections import Counter

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from feltlab.errors import Refused
from feltlab.games.blackjack import ACTIONS
from feltlab.games.rules import ANY_RATIO
from feltlab.money import Rounding
from feltlab.rounds.bets import Cash
from feltlab.rounds.commands import Act, Deal, EvenMoney, Insure, PlaceBet
from feltlab.rounds.conformance import check_round
from feltlab.rounds.events import CardDealt
from feltlab.rounds.open import open_round, replay
from feltlab.rounds.shoe import Shoe, unbiased
from feltlab.sheets import load
from feltlab.tables import set_up
from feltlab.tables.table import Limit, open_table
from support.soak import soak

SHEETS = [
    *("bad-beat-blackjack", "bad-beat-baccarat", "big-slick-blackjack"),
    *(f"docs/examples/{name}.toml" for name in ("dealer-bust", "match-the-dealer", "dragon-bonus")),
]
AMOUNTS = st.integers(1, 30)  # coins
ANY_COMMAND = st.one_of(
    st.builds(PlaceBet, st.integers(-1, 15), st.sampled_from(["main", "bad-beat", "tie", "big-slick", "x"]), st.integers(-5, 10**7)),
    st.builds(Deal),
    st.builds(Insure, st.integers(0, 8), st.integers(-5, 10**7)),
    st.builds(EvenMoney, st.integers(0, 8)),
    st.builds(Act, st.integers(0, 8), st.sampled_from([*ACTIONS, "continue", "fold"]), st.dictionaries(st.sampled_from(["action-match", "main"]), st.integers(-5, 10**7), max_size=1)),
)  # fmt: skip


class Floor(RuleBasedStateMachine):
    """One table, one round."""

    @initialize(data=st.data(), sheet=st.sampled_from(SHEETS))
    def open(self, data, sheet):
        found = load(sheet)
        rules = {
            known.key: data.draw(st.sampled_from(known.values)) for known in found.rules if known.values != ANY_RATIO
        }
        if found.game == "blackjack":
            rules["natural"] = data.draw(st.sampled_from(["3:2", "6:5", "1:1", "7:5"]))
        posted = [
            f"{wager.id}={data.draw(st.sampled_from(wager.paytable_ids()))}"
            for wager in found.file.wager
            if wager.paytable and not wager.audit_only
        ]
        decks = data.draw(st.sampled_from([n for n in found.decks if n > 1]))
        posted = [item for item in posted if self.printed(found, item, decks)]
        option = data.draw(st.sampled_from([*found.options] or [None]))
        setup = set_up(found, decks=decks, option=option, paytables=posted, rules=rules)
        rounding = Rounding(
            data.draw(st.sampled_from(["down", "nearest", "up"])), data.draw(st.sampled_from([1, 5, 100]))
        )
        table = open_table(setup, limits={id: Limit(1, 3000) for id in setup.wagers}, rounding=rounding)
        self.coin = rounding.coin
        bits = data.draw(st.randoms(use_true_random=False)).getrandbits
        self.round = open_round(table, Shoe(decks, unbiased(bits), behind_cut=0, burn=0))

    @staticmethod
    def printed(sheet, item, decks):
        id, paytable = item.split("=")
        return any(
            decks in (table.decks or sheet.decks) for table in sheet.wager(id).paytables() if table.id == paytable
        )

    def waits(self, kind):
        waits = self.round.waits_for
        return waits is not None and waits.kind == kind

    @precondition(lambda self: self.waits("bets"))
    @rule(data=st.data(), spot=st.integers(1, 3), amount=AMOUNTS)
    def bet(self, data, spot, amount):
        offered = [
            id
            for id, wager in self.round.table.setup.wagers.items()
            if any(c.at == "before-deal" for c in wager.placed)
        ]
        id = data.draw(st.sampled_from(offered))
        if self.round.felt.find(spot, id) is None:
            self.round.do(PlaceBet(spot, id, amount * self.coin))

    @precondition(lambda self: self.waits("bets") and self.round.can(Deal()))
    @rule()
    def deal(self):
        self.round.do(Deal())

    @precondition(lambda self: self.waits("insurance"))
    @rule(data=st.data())
    def insure(self, data):
        waits = self.round.waits_for
        answers = [
            Insure(waits.spot),
            *(
                [Insure(waits.spot, data.draw(st.integers(1, waits.most // self.coin)) * self.coin)]
                if waits.most
                else []
            ),
        ]
        answers += [EvenMoney(waits.spot)] if waits.even_money else []
        self.round.do(data.draw(st.sampled_from(answers)))

    @precondition(lambda self: self.waits("action") or self.waits("surrender"))
    @rule(data=st.data())
    def act(self, data):
        """Every offered action succeeds, with or without the side wagers that are offered with it."""
        waits = self.round.waits_for
        assert all(self.round.can(Act(waits.spot, action)) for action in waits.actions)
        action = data.draw(st.sampled_from(waits.actions))
        side = {id: data.draw(AMOUNTS) * self.coin for id in waits.side.get(action, ()) if data.draw(st.booleans())}
        self.round.do(Act(waits.spot, action, side))

    @rule(command=ANY_COMMAND)
    def try_anything(self, command):
        """A refused command leaves everything as it was; one that is not refused was offered."""
        before, waits = list(self.round.log), self.round.waits_for
        if not self.round.can(command):
            try:
                self.round.do(command)
            except Refused as refusal:
                reason = str(refusal)
            assert reason
            assert self.round.log == before
        elif isinstance(command, Act):
            assert command.spot == waits.spot
            assert command.action in waits.actions
            assert set(command.side) <= set(waits.side.get(command.action, ()))
        elif isinstance(command, Insure | EvenMoney):
            assert (waits.kind, waits.spot) == ("insurance", command.spot)
        else:
            assert waits.kind == "bets"

    @invariant()
    def money_is_conserved(self):
        if hasattr(self, "round"):
            cash = Cash.of(self.round.log)
            assert cash.total == 0
            assert cash.felt == sum(bet.stake for bet in self.round.felt.open())

    @invariant()
    def cards_are_conserved(self):
        if hasattr(self, "round"):
            dealt = [event.card for event in self.round.log if isinstance(event, CardDealt)]
            source = self.round.source
            assert dealt == source.order[: source.dealt]
            assert max(Counter(dealt).values(), default=0) <= self.round.table.setup.decks

    @invariant()
    def replay_equals_live(self):
        if hasattr(self, "round"):
            again = replay(self.round.table, self.round.log)
            assert again.waits_for == self.round.waits_for  # which both keep once it is asked
            assert vars(again) | {"source": 0} == vars(self.round) | {"source": 0}

    def teardown(self):
        """Every round ends: whoever is left stands, and takes no insurance."""
        round_ = getattr(self, "round", None)
        if round_ is None or not round_.log or (round_.waits_for and round_.waits_for.kind == "bets"):
            return
        for _ in range(60):
            waits = round_.waits_for
            if waits is None:
                break
            answer = {"insurance": Insure(waits.spot), "surrender": Act(waits.spot, "continue")}
            round_.do(answer.get(waits.kind, Act(waits.spot, "stand")))
        assert round_.over
        check_round(round_)


TestFloor = Floor.TestCase
TestFloor.settings = settings(settings.default, max_examples=soak(250, 25), stateful_step_count=30)
