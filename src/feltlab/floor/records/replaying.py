"""Replays stored rounds with the round engine, and verifies whole shoes: the same moves must give the same events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import factorial

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, select

from feltlab.cards import NO_CARD, name
from feltlab.errors import FeltlabError
from feltlab.floor.people.names import named_seeds
from feltlab.floor.records.damage import readable, typed
from feltlab.floor.records.stored import (
    Differs,
    Published,
    StoredRound,
    StoredShoe,
    StoredTable,
    published,
    stored_round,
    stored_shoe,
    stored_table,
)
from feltlab.floor.shoes.fair import Secret, fair_shoe
from feltlab.floor.storage import schema
from feltlab.floor.tables.events import RoundOpened, of_round, public, read, write
from feltlab.rounds.baccarat import BaccaratRound
from feltlab.rounds.blackjack import BlackjackRound
from feltlab.rounds.events import BetPlaced, CardDealt
from feltlab.rounds.open import open_round, with_hole_card
from feltlab.rounds.round import WAGERS
from feltlab.rounds.shoe import CardSource, Shoe, Stacked


class Unseen(FeltlabError):
    """A round has a card that nobody saw and its shoe is not finished, so it cannot be replayed yet."""


AnyRound = BlackjackRound | BaccaratRound


@dataclass(frozen=True)
class Replayed:
    """A round whose replay agrees with what is stored. `from_shoe`: with cards of the revealed shoe, else with those seen."""

    name: str
    shoe: str
    table: StoredTable
    round: AnyRound
    steps: int
    from_shoe: bool


class Verified(Struct, frozen=True):
    """A verified shoe: its order as card names, and the rounds that were dealt from it."""

    shoe: str
    commitment: str
    seeds: list[tuple[str, str]]
    order: list[str]
    rounds: list[str]
    dealt: int
    ran_out: bool


def replay_round(db: Connection, table: int, number: int) -> Replayed:
    """Replay a round; raises `Differs` at the first difference."""
    with readable(f"round {table}-{number}", Differs):
        return replay_at(db, stored_table(db, table), number)


def replay_at(db: Connection, at: StoredTable, number: int) -> Replayed:
    """Replay a round of a table."""
    played = stored_round(db, at.id, number)
    shoe = stored_shoe(db, at.id, played.shoe)
    source: CardSource
    if shoe.secret is not None:
        source = _fair(shoe.secret, shoe)
        source.dealt = source.round_began = played.began
    else:
        source = Stacked(_seen(played))
    round_ = _play_again(at, played, source)
    return Replayed(played.name, shoe.name, at, round_, len(played.steps), shoe.secret is not None)


def _fair(secret: Secret, shoe: StoredShoe) -> Shoe:
    orders = factorial(52 * secret.decks)
    try:
        if not all(0 <= int(number, 16) < orders for number in (secret.order, secret.reserve)):
            raise ValueError
    except ValueError:
        raise Differs(
            f"shoe {shoe.name}: its numbers are not below {52 * secret.decks}!, as those of a shoe are"
        ) from None
    return fair_shoe(secret, [seed for _, seed in shoe.seeds])


def _seen(played: StoredRound) -> list[int]:
    """The cards of a round, as everybody saw them in the end."""
    log = with_hole_card(of_round(event for step in played.steps for event in step.events))
    cards = [event.card for event in log if isinstance(event, CardDealt)]
    if NO_CARD in cards:
        raise Unseen(f"round {played.name} has a card that nobody saw; replay it when its shoe is revealed")
    return cards


def _play_again(at: StoredTable, played: StoredRound, source: CardSource) -> AnyRound:
    """Make the same moves in a new round, and compare its events with the stored ones."""
    if RoundOpened(played.number) not in played.steps[0].events:
        raise Differs(f"round {played.name}, step {played.steps[0].seq}: the round does not begin here")
    round_ = open_round(at.table, source)
    for step in played.steps:
        again = []
        for move in step.moves:
            try:
                again += round_.do(move)
            except FeltlabError as error:
                raise Differs(f"round {played.name}, step {step.seq}: {move} cannot be done: {error}") from None
        for stored, event in zip_longest(of_round(step.events), of_round(read(write(again)))):
            if stored != event:
                texts = [msgspec.json.encode(public(one)).decode() if one else "nothing" for one in (stored, event)]
                raise Differs(f"round {played.name}, step {step.seq}: stored is {texts[0]}, but it is {texts[1]}")
    if not round_.over and (round_.step != WAGERS or round_.felt.open()):
        raise Differs(f"round {played.name}: it is kept as over, but stands at '{round_.step}' after its last step")
    _compare_bets(played, round_)
    return round_


def _compare_bets(played: StoredRound, round_: AnyRound) -> None:
    first = {event.bet: event.amount for event in round_.log if isinstance(event, BetPlaced)}
    paid = {
        bet.id: {
            "spot": bet.spot,
            "hand": bet.hand,
            "wager": bet.wager,
            "first": first[bet.id],
            "stake": bet.stake,
            "back": bet.settled.back,
            "lines": msgspec.json.encode(bet.settled.lines).decode(),
        }
        for bet in round_.felt.bets.values()
        if bet.settled
    }
    kept = {bet.bet: bet for bet in played.bets}
    for id in sorted({*paid, *kept}):
        if id not in paid or id not in kept:
            how = "was settled, but is not kept" if id in paid else "is kept, but was never settled"
            raise Differs(f"round {played.name}: bet {id} {how}")
        for what, value in paid[id].items():
            if (stored := getattr(kept[id], what)) != value:
                raise Differs(f"round {played.name}: bet {id} is kept with {what} {stored}, but it is {value}")


def verify_shoe(db: Connection, table: int, number: int) -> Verified:
    """Verify a revealed shoe: its commitment, seeds and order, and every round. Raises `Differs` at the first fault."""
    r = schema.rounds
    rounds = select(r.c.number).where(r.c.table_id == table, r.c.shoe == number).order_by(r.c.number)
    with readable(f"shoe {table}-{number}", Differs):
        at = stored_table(db, table)
        if stored_shoe(db, table, number).secret is None:
            raise FeltlabError(f"shoe {table}-{number} is not over; it can be verified when its secret is revealed")
        return typed(verify_at(db, at, number, published(db, table, number), db.execute(rounds).scalars().all()))


def verify_at(
    db: Connection, at: StoredTable, number: int, public_record: Published, rounds: Sequence[int]
) -> Verified:
    """Verify a shoe of a table against what was published about it, and the rounds that were dealt from it."""
    shoe = stored_shoe(db, at.id, number)
    if shoe.secret is None:
        raise Differs(f"shoe {shoe.name}: it was revealed, but its secret is not kept")
    _compare_published(at, shoe, shoe.secret, public_record)
    source = _fair(shoe.secret, shoe)
    order = [name(card) for card in source.order]
    names = []
    for played in (stored_round(db, at.id, round_) for round_ in rounds):
        names.append(played.name)
        if source.cut_is_out or source.ran_out:
            raise Differs(f"round {played.name} came from shoe {shoe.name} after its cut card had come out")
        if played.began != source.dealt:
            raise Differs(
                f"round {played.name} begins after {played.began} cards of shoe {shoe.name}, not {source.dealt}"
            )
        source.round_began = source.dealt
        _play_again(at, played, source)
    if not (source.cut_is_out or source.ran_out or public_record.closed):
        raise Differs(f"shoe {shoe.name} was given up after {source.dealt} cards, before its cut card came out")
    return Verified(
        shoe=shoe.name,
        commitment=shoe.commitment,
        seeds=named_seeds(db, shoe.seeds),
        order=order,
        rounds=names,
        dealt=source.dealt,
        ran_out=source.ran_out,
    )


def _compare_published(at: StoredTable, shoe: StoredShoe, secret: Secret, public_record: Published) -> None:
    """Check that what was published about a shoe before and during its use agrees with its secret."""
    if public_record.opened is None or public_record.revealed is None:
        raise Differs(f"shoe {shoe.name}: no step opened it, or no step revealed it")
    config, numbers = at.config, (secret.order, secret.reserve)
    for what, found, wanted in (
        ("its secret is for shoe", secret.shoe, shoe.name),
        ("decks, burn cards and cards behind the cut card are", (secret.decks, secret.burn, secret.behind_cut),
         (config.decks, config.burn, config.behind_cut)),
        ("the SHA-256 of its secret is", secret.commitment(), shoe.commitment),
        ("the commitment that was published is", public_record.opened.commitment, shoe.commitment),
        ("the seeds that players added are", public_record.seeds, shoe.seeds),
        ("the secret that was published is", (public_record.revealed.order, public_record.revealed.reserve), numbers),
    ):  # fmt: skip
        if found != wanted:
            raise Differs(f"shoe {shoe.name}: {what} {found}, not {wanted}")
    if public_record.late_seed:
        raise Differs(f"shoe {shoe.name}: a seed was added after it was cut")
