"""A blackjack round: up to seven spots, splits, insurance, with or without a hole card."""

from __future__ import annotations

from feltlab.cards import name as card_name
from feltlab.errors import Refused, listed
from feltlab.games.blackjack import (
    ACTIONS,
    PEEK,
    STAND,
    SURRENDER,
    dealer_draws,
    even_money_offered,
    insurance_offered,
    legal_actions,
    may_be_natural,
    surrenders_before_peek,
)
from feltlab.rounds.bets import Bet
from feltlab.rounds.commands import Act, AnyCommand, Deal, Decision, EvenMoney, Insure
from feltlab.rounds.events import (
    Acted,
    AnyEvent,
    BetRaised,
    CardDealt,
    DealerEnded,
    HandEnded,
    HandSplit,
    HoleShown,
    InsuranceAnswered,
    Peeked,
    SurrenderAnswered,
)
from feltlab.rounds.hands import BlackjackFelt, Hand
from feltlab.rounds.round import WAGERS, Round
from feltlab.rounds.shoe import CardSource
from feltlab.sheets.sheet import INSURANCE, MAIN
from feltlab.tables.table import Table
from feltlab.wagers.moments import DEALER_FINISHED, DEALER_SECOND
from feltlab.wagers.wager import happens

NATURAL = "natural"  # the line of the main wager that even money replaces
ON_CARD = {"hit": "before-hit", "double": "before-double"}


class BlackjackRound(Round):
    """Wagers, deal, early take, insurance, naturals, actions, dealer, settlement."""

    def __init__(self, table: Table, source: CardSource | None = None) -> None:
        super().__init__(table, source)
        self.house = table.setup.house
        self.hands = BlackjackFelt()

    # ---- decisions, and what is refused

    def _waits_for(self) -> Decision | None:
        """Bets, early surrender, insurance or an action, with exactly what is legal."""
        if self.step in ("", WAGERS):
            return Decision("bets")
        if self.step == "take":
            spot = self._surrender_turn()
            return Decision("surrender", spot, actions=("surrender", "continue")) if spot else None
        if self.step == "insurance":
            spot = self._insurance_turn()
            return self._insurance_offer(spot) if spot else None
        if self.step == "actions":
            turn = self.hands.turn()
            return self._action_offer(*turn) if turn else None
        return None

    def _insurance_offer(self, spot: int) -> Decision:
        """The insurance a spot may take: up to its share of the main wager and within the limits, or 0 if none is legal."""
        main = self.felt.find(spot, MAIN)
        share = self.table.setup.wagers[INSURANCE].at_most
        assert main is not None and share is not None
        limit, coin = self.table.limits[INSURANCE], self.table.rounding.coin
        most = min(int(main.stake * share), self.table.most(INSURANCE)) // coin * coin
        pays = next(line.pays for line in self.table.setup.wagers[MAIN].lines if line.id == NATURAL)
        natural = self.hands.hand(spot, 0).natural(1)
        even = even_money_offered(self.hands.up_rank, natural, pays.numerator, pays.denominator)
        return Decision("insurance", spot, most=most if most >= limit.least else 0, even_money=bool(even))

    def _action_offer(self, spot: int, hand: Hand) -> Decision:
        mask = self._legal(spot, hand)
        names = tuple(action for action, bit in ACTIONS.items() if mask & bit)
        view = self.hands.view(spot, hand.id)
        side = {
            action: tuple(
                id for id, wager in self.table.setup.wagers.items() if happens(wager.placed, ON_CARD[action], view)
            )
            for action in names
            if action in ON_CARD
        }
        return Decision("action", spot, hand.id, names, {action: ids for action, ids in side.items() if ids})

    def _legal(self, spot: int, hand: Hand) -> int:
        count = len(self.hands.spots[spot].hands)
        first, second = hand.first_ranks()
        mask = legal_actions(self.house, hand.hard, hand.aces, len(hand.cards), first, second, count)
        if mask & SURRENDER and surrenders_before_peek(self.house, self.hands.up_rank):
            mask -= SURRENDER  # early surrender has been answered already
        return mask

    def _verify_decision(self, command: Insure | EvenMoney | Act) -> None:
        match command:
            case Insure():
                self._verify_insurance(command)
            case EvenMoney():
                if not self._expected("insurance", command.spot).even_money:
                    raise Refused("even money is only for a natural against an ace, where a natural pays 3 to 2")
            case Act():
                self._verify_act(command)

    def _expected(self, kind: str, spot: int) -> Decision:
        waits = self.waits_for
        if waits is None:
            raise Refused("the round is over")
        if waits.kind != kind:
            wanted = {
                "bets": "bets",
                "surrender": "an answer about surrender",
                "insurance": "an answer about insurance",
            }
            raise Refused(f"the table waits for {wanted.get(waits.kind, 'an action')}")
        if waits.spot != spot:
            raise Refused(f"it is the turn of spot {waits.spot}, not of spot {spot}")
        return waits

    def _verify_insurance(self, command: Insure) -> None:
        self._expected("insurance", command.spot)
        if command.amount < 0:
            raise Refused("insurance is an amount, or 0 to decline it")
        if command.amount:
            main = self.felt.find(command.spot, MAIN)
            assert main is not None
            self._verify_share(INSURANCE, command.amount, main.stake)
            self.table.check_amount(INSURANCE, command.amount)

    def _verify_act(self, command: Act) -> None:
        waits = self._expected("surrender" if self.step == "take" else "action", command.spot)
        if command.action not in waits.actions:
            reason = self._why_not(command.action, waits)
            raise Refused(f"{reason}; spot {command.spot} may {listed(waits.actions)}")
        for id, amount in command.side.items():
            self.table.wager(id)
            if id not in waits.side.get(command.action, ()):
                raise Refused(f"{id} cannot be placed with '{command.action}'")
            self.table.check_amount(id, amount)
            main = self.felt.find(command.spot, MAIN, waits.hand)
            assert main is not None
            self._verify_share(id, amount, main.stake)

    def _why_not(self, action: str, waits: Decision) -> str:
        if action not in ACTIONS:
            return f"'{action}' is not an action"
        if waits.kind != "action":
            return f"it is too early for '{action}'"
        hand, rules = self.hands.hand(waits.spot, waits.hand), self.table.setup.rules
        count = len(self.hands.spots[waits.spot].hands)
        if action == "surrender":
            if rules["surrender"] == "none":
                return "this house offers no surrender"
            first = count == 1 and len(hand.cards) == 2
            return (
                "surrender was declined before the dealer peeked"
                if first
                else "only the first two cards can be surrendered"
            )
        if count > 1 and hand.first_ranks()[0] == 1 and action != "split" and "hit" not in waits.actions:
            return "a split ace gets one card only"
        if len(hand.cards) > 2:
            return f"a hand of {len(hand.cards)} cards cannot {action}"
        if action == "double":
            if count > 1 and rules["das"] == "no":
                return "this house does not allow doubling after a split"
            return f"this house allows doubling only on totals of {rules['double']}"
        if count >= self.house.most_hands:
            return f"this house allows splitting to at most {self.house.most_hands} hands"
        if hand.first_ranks()[0] == hand.first_ranks()[1] == 1:
            return "aces can be split only once here"
        return f"{card_name(hand.cards[0])} and {card_name(hand.cards[1])} are not a pair that can be split here"

    def price(self, spot: int, hand: int, action: str) -> int:
        """What an action adds to the main wager: as much again for a double or a split."""
        main = self.felt.find(spot, MAIN, hand)
        return main.stake if main and action in ("double", "split") else 0

    # ---- the steps of the round

    def _carry_out(self, command: AnyCommand) -> None:
        match command:
            case Deal():
                self._deal_first_cards()
            case Insure(spot, amount):
                if amount:
                    self._place(spot, INSURANCE, amount)
                self._record(InsuranceAnswered(spot, amount))
            case EvenMoney(spot):
                self._record(InsuranceAnswered(spot, even_money=True))
                self._reach("insurance", spot)
            case Act(spot, "continue"):
                self._record(SurrenderAnswered(spot, taken=False))
            case Act(spot, "surrender") if self.step == "take":
                self._record(SurrenderAnswered(spot, taken=True))
                self._act(spot, self.hands.hand(spot, 0), "surrender", {})
            case Act(spot, action, side):
                turn = self.hands.turn()
                assert turn is not None
                self._act(spot, turn[1], action, dict(side))
        self._advance()

    def _deal_first_cards(self) -> None:
        spots = sorted({bet.spot for bet in self.felt.open()})
        self._begin_step("deal")
        for spot in spots:
            self._deal("spot", spot)
        self._deal("dealer")
        for spot in spots:
            self._deal("spot", spot)
        if self.house.hole_card == PEEK:
            self._deal("dealer", face_up=False)
        self._begin_step("take")
        self._reach("deal")

    def _advance(self) -> None:
        """Carry on through the steps until a player has to decide or the round is over."""
        while True:
            if self.step == "take":
                if self._surrender_turn():
                    return
                self._begin_step("insurance")
            elif self.step == "insurance":
                if self._insurance_turn():
                    return
                self._look_for_natural()
            elif self.step == "naturals":
                self._begin_step("actions")
            elif self.step == "actions":
                if self._waits_for_action():
                    return
                self._begin_step("dealer")
            elif self.step == "dealer":
                self._play_dealer()
                self._begin_step("settlement")
            else:
                self._end()
                return

    def _surrender_turn(self) -> int:
        if not surrenders_before_peek(self.house, self.hands.up_rank):
            return 0
        return self.hands.first_spot(lambda spot: not spot.surrender_answered and not spot.hands[0].natural(1))

    def _insurance_turn(self) -> int:
        if not insurance_offered(self.hands.up_rank):
            return 0
        for number in sorted(self.hands.spots):
            spot = self.hands.spots[number]
            if not spot.insurance_answered and not spot.hands[0].surrendered:
                offer = self._insurance_offer(number)
                if offer.most or offer.even_money:
                    return number
        return 0

    def _look_for_natural(self) -> None:
        """The peek, and then the naturals that can be paid at once."""
        up_rank, possible = self.hands.up_rank, bool(may_be_natural(self.hands.up_rank))
        if self.house.hole_card == PEEK and may_be_natural(up_rank):
            natural = self.hands.dealer_has_natural()
            self._record(Peeked(natural))
            if natural:  # straight to settlement: nobody acts, so the moment 'action' is not reached
                for spot, hand in list(self.hands.unfinished()):
                    how = "natural" if hand.natural(1) else "stopped"
                    self._record(HandEnded(spot, hand.id, how, hand.total))
                self._show_hole()
                self._record(DealerEnded(self.hands.dealer.total, finished=True))
                self._begin_step("settlement")
                return
            possible = False
        self._begin_step("naturals")
        for spot, hand in list(self.hands.unfinished()):
            if hand.natural(1):
                self._finish(spot, hand, "natural")
        if not possible:
            self._reach("naturals")

    def _waits_for_action(self) -> bool:
        """Deal to and stand hands without a decision, up to one with a decision; False if there is none."""
        while turn := self.hands.turn():
            spot, hand = turn
            if len(hand.cards) == 1:
                self._deal("spot", spot, hand.id)
            if self._legal(spot, hand) != STAND:
                return True
            self._finish(spot, hand, "stood")
        return False

    def _act(self, spot: int, hand: Hand, action: str, side: dict[str, int]) -> None:
        on_card = [self._place(spot, id, amount, hand.id) for id, amount in side.items()]
        self._record(Acted(spot, hand.id, action))
        if action == "split":
            self._split(spot, hand)
        elif action in ON_CARD:
            self._draw(spot, hand, action, on_card)
        else:
            self._finish(spot, hand, "stood" if action == "stand" else "surrendered")

    def _split(self, spot: int, hand: Hand) -> None:
        new_hand = len(self.hands.spots[spot].hands)
        self._record(HandSplit(spot, hand.id, new_hand))
        self._place(spot, MAIN, self.price(spot, hand.id, "split"), new_hand)
        self._reach("action", spot)

    def _draw(self, spot: int, hand: Hand, action: str, on_card: list[Bet]) -> None:
        if action == "double":
            main = self.felt.find(spot, MAIN, hand.id)
            assert main is not None
            self._record(BetRaised(main.id, self.price(spot, hand.id, action)))
        card = self._deal("spot", spot, hand.id)
        for bet in on_card:
            self._settle(bet, self.hands.view(spot, hand.id, hit=card))
        if hand.bust:
            self._finish(spot, hand, "bust", doubled=action == "double")
        elif action == "double":
            self._finish(spot, hand, "doubled", doubled=True)
        else:
            self._reach("action", spot)

    def _finish(self, spot: int, hand: Hand, how: str, *, doubled: bool = False) -> None:
        self._record(HandEnded(spot, hand.id, how, hand.total, doubled))
        self._reach("action", spot)

    def _play_dealer(self) -> None:
        hands = self.hands
        bets = [(self._wager(bet), self.view(bet)) for bet in self.felt.open()]
        finish = any(happens(wager.needs, DEALER_FINISHED, view) for wager, view in bets)
        second = finish or any(happens(wager.needs, DEALER_SECOND, view) for wager, view in bets)
        if len(hands.dealer.cards) == 2:
            self._show_hole()
        elif second:
            self._deal("dealer")
        while finish and dealer_draws(self.house, hands.dealer.hard, hands.dealer.aces):
            self._deal("dealer")
        self._record(DealerEnded(hands.dealer.total, finish))

    def _show_hole(self) -> None:
        self._record(HoleShown(self.hands.dealer.cards[1]))

    def _can_be_settled(self, bet: Bet) -> bool:
        return len(self.hands.hand(bet.spot, bet.hand).cards) > 1

    def _deal(self, to: str, spot: int = 0, hand: int = 0, *, face_up: bool = True) -> int:
        card = self.source.draw()
        self._record(CardDealt(to, card, spot, hand, face_up))
        return card

    def _apply(self, event: AnyEvent) -> None:
        self.hands.apply(event)

    def view(self, bet: Bet) -> tuple[int, ...]:
        """The hand that the bet rides on, and the dealer's hand."""
        return self.hands.view(bet.spot, bet.hand)

    def _needs_base(self) -> bool:
        return True
