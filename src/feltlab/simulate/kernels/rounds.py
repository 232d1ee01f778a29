"""Blackjack dealt by the billion: the procedure of a round over the tables of `hands` and `dealers`.

The order in which cards are dealt is that of a table's round. What is done with them, when a hand is over and how its
wagers end is looked up. A round is counted in one cell for each hand, whatever the number of wagers.
"""

from __future__ import annotations

from feltlab.cards import NO_CARD
from feltlab.compile import bare_kernel
from feltlab.hands.actions import DOUBLE, HIT, SPLIT
from feltlab.marks import Numbers, rule, seldom
from feltlab.simulate.compile.card_questions import CARD_VALUES
from feltlab.simulate.compile.card_tables import answered
from feltlab.simulate.compile.layout import Game
from feltlab.simulate.kernels.cursor import (
    AT,
    BEGAN,
    CHUNK,
    NUMBER,
    OPENING,
    OUT,
    REJECTED,
    SIX,
    TURN,
    ShoeSpec,
    Workspace,
    card_of,
    entries_at,
    fill_openings,
    opening_at,
    other_places,
    points_of,
    tick,
)
from feltlab.simulate.kernels.cursor import WORK as CURSOR_WORK
from feltlab.simulate.kernels.drawing import draw
from feltlab.simulate.kernels.shuffling import begin_shoe

NO_ACTION = -1
UNSEEN, SEEN, SEEN_NATURAL, NATURAL = 0, 1, 2, 3  # the first ways in which a dealer's hand ends
ON_TWO = 2  # the questions are one table on two cards: the first two, the dealer's, or up card and hit card
MOST_HANDS = 4
MOST_SPOTS = 7
MOST_HITS = 84  # of one spot in one round: four hands of 21 cards

# Places in a kernel's work, after the cursor: the spots' first cards, second cards and where their hands begin, the
# endings of all hands, and the outcomes on one spot's hit cards, their number first.
FIRSTS = CURSOR_WORK
SECONDS = FIRSTS + MOST_SPOTS
BEGINS = SECONDS + MOST_SPOTS
ENDINGS = BEGINS + MOST_SPOTS + 1
HITS = ENDINGS + MOST_SPOTS * MOST_HANDS
WORK = HITS + 1 + MOST_HITS

# What a trace tells: a card to a spot, a card to the dealer, an action; the cells in which a hand, the wagers on a spot's
# cards alone and those on a hit card are counted; the end of a round, and of one that could not be dealt to its end.
TO_SPOT, TO_DEALER, ACTED, ENDED, ON_CARDS, ON_HIT, OVER, LOST = 1, 2, 3, 4, 5, 6, 7, 8


@rule
def tell(trace: Numbers | None, what: int, spot: int, hand: int, value: int) -> None:
    """Write down what happened, if somebody wants to know. The first place of a trace is how long it is."""
    if trace is not None:
        trace[0] += 1
        trace[trace[0]] = ((what * 8 + spot) * 8 + hand) << 32 | value


@rule
def ask(space: Workspace, about: int, answers: int, first: int, second: int, up: int, hole: int, hit: int) -> int:
    """The code of the answers to some questions about entries of the shoe; an entry below 0 is no card."""
    return answered(
        space.spec, space.tab, about, answers,
        card_of(first), card_of(second), card_of(up), card_of(hole), card_of(hit), NO_CARD,
    )  # fmt: skip


@rule
def ask_two(space: Workspace, answers: int, one: int, other: int) -> int:
    """The same where the questions are one table on two cards."""
    return space.tab[answers + (card_of(one) + 1) * CARD_VALUES + card_of(other) + 1]


@rule
def ask_cards(game: Game, space: Workspace, first: int, second: int, up: int) -> int:
    """The code of the first cards and the up card for wagers on cards alone."""
    if game.on_cards == ON_TWO:
        return ask_two(space, game.answers_cards, first, second)
    return ask(space, game.ask_cards, game.answers_cards, first, second, up, NO_CARD, NO_CARD)


@rule
def ask_cards_hole(game: Game, space: Workspace, first: int, second: int, up: int, hole: int) -> int:
    """The code of the hole card and others for wagers on cards alone."""
    if game.on_cards_hole == ON_TWO:
        return ask_two(space, game.answers_cards_hole, up, hole)
    if game.on_cards_hole:
        return ask(space, game.ask_cards_hole, game.answers_cards_hole, first, second, up, hole, NO_CARD)
    return 0


@rule
def hit_end(game: Game, space: Workspace, position: int, first: int, second: int, up: int, entry: int) -> int:
    """How the wagers on a hit card end."""
    facts = space.tab[game.hit_facts + position * 16 + points_of(entry)]
    if game.on_hits == ON_TWO:
        code = ask_two(space, game.answers_hits, up, entry)
    else:
        code = ask(space, game.ask_hits, game.answers_hits, first, second, up, NO_CARD, entry)
    return space.tab[game.hit_ends + facts * game.hit_codes + code]


@rule
def hit_card(game: Game, space: Workspace, spot: int, position: int, up: int, entry: int) -> int:
    """Settle the wagers on a hit card: the cell. Those of one spot and round are counted in pairs as well."""
    work, counts = space.work, space.counts
    end = hit_end(game, space, position, work[FIRSTS + spot], work[SECONDS + spot], up, entry)
    tick(counts, game.at_hits + end, 1)
    number = work[HITS]
    work[HITS] = number + 1
    work[HITS + 1 + number] = end
    for other in range(number):
        before = work[HITS + 1 + other]
        tick(counts, game.at_hit_cross + end * game.hit_count + before, 1)
        tick(counts, game.at_hit_cross + before * game.hit_count + end, 1)
    return game.at_hits + end


@rule
def play_hand(
    game: Game, shoe: ShoeSpec, space: Workspace, trace: Numbers | None, cards: int, left: int, spot: int, hand: int, up: int, position: int
) -> tuple[int, int, int]:  # fmt: skip
    """Play a hand from a position until it ends: its ending, and the cards at hand."""
    while position >= 0:
        entry, cards, left = draw(shoe, space, game.deck, cards, left)
        if trace is not None:
            tell(trace, ACTED, spot, hand, DOUBLE if space.tab[game.doubles + position] else HIT)
            tell(trace, TO_SPOT, spot, hand, card_of(entry))
        if game.on_hits:
            cell = hit_card(game, space, spot, position, up, entry)
            tell(trace, ON_HIT, spot, hand, cell)
        position = space.tab[game.go + position * 16 + points_of(entry)]
    return -1 - position, cards, left


@rule
@seldom
def split_pair(
    game: Game, shoe: ShoeSpec, space: Workspace, trace: Numbers | None, cards: int, left: int, spot: int, at: int, up: int, split: int
) -> tuple[int, int, int]:  # fmt: skip
    """Play the hands of a pair from left to right: how many there are, and the cards at hand.

    Their endings are noted from `at` on.
    """
    tab, first = space.tab, space.work[FIRSTS + spot]
    pair = points_of(first)
    role = tab[game.splits + 2 * split]
    hand, hands = 0, 2
    tell(trace, ACTED, spot, 0, SPLIT)
    while hand < hands:
        entry, cards, left = draw(shoe, space, game.deck, cards, left)
        tell(trace, TO_SPOT, spot, hand, card_of(entry))
        same = points_of(entry) == pair
        if pair == 10 and not game.any_tens:
            same = card_of(entry) // 4 == card_of(first) // 4
        row = (points_of(up) - 1) * game.roles + role
        if same and hands < game.most_hands and tab[game.again + row * 10 + pair - 1]:
            tell(trace, ACTED, spot, hand, SPLIT)
            hands += 1
            continue
        position = tab[game.pairs + (row * 10 + pair - 1) * 10 + points_of(entry) - 1]
        ending, cards, left = play_hand(game, shoe, space, trace, cards, left, spot, hand, up, position)
        space.work[ENDINGS + at + hand] = ending
        role = tab[game.splits + 2 * split + 1]
        hand += 1
    return hands, cards, left


@rule
def deal_place(game: Game, space: Workspace, first: int, second: int, up: int) -> int:
    """Where the tables have what first cards lead to."""
    code = 0
    if game.on_deal == ON_TWO:
        code = ask_two(space, game.answers_deal, first, second)
    elif game.on_deal:
        code = ask(space, game.ask_deal, game.answers_deal, first, second, up, NO_CARD, NO_CARD)
    known = space.tab[game.ups + card_of(up)]
    return ((known * game.codes + code) * 10 + points_of(first) - 1) * 10 + points_of(second) - 1


@rule
def play_spot(
    game: Game, shoe: ShoeSpec, space: Workspace, trace: Numbers | None, cards: int, left: int, spot: int, at: int, up: int, natural: int
) -> tuple[int, int, int]:  # fmt: skip
    """Play the hands of a spot, unless the dealer has a natural: how many there are, and the cards at hand.

    Their endings are noted from `at` on.
    """
    tab, work = space.tab, space.work
    first, second = work[FIRSTS + spot], work[SECONDS + spot]
    place = deal_place(game, space, first, second, up)
    position = tab[game.start + place]
    if game.on_hits:
        work[HITS] = 0
    if natural or game.early_asked:
        if game.early_asked and tab[game.early + place] > 0:
            position = -tab[game.early + place]
        elif natural:
            position = -1 - tab[game.stopped + place]
    if position >= game.positions:
        return split_pair(game, shoe, space, trace, cards, left, spot, at, up, position - game.positions)
    ending, cards, left = play_hand(game, shoe, space, trace, cards, left, spot, 0, up, position)
    work[ENDINGS + at] = ending
    return 1, cards, left


@rule
def finish_dealer(
    game: Game,
    shoe: ShoeSpec,
    space: Workspace,
    trace: Numbers | None,
    cards: int,
    left: int,
    up: int,
    hole: int,
    need: int,
) -> tuple[int, int, int, int]:
    """The dealer's turn, as far as the wagers need it: the way in which the hand ends, the second card, those at hand."""
    tab = space.tab
    if hole < 0:
        if need == 0:
            return UNSEEN, hole, cards, left
        hole, cards, left = draw(shoe, space, game.deck, cards, left)
        tell(trace, TO_DEALER, 0, 0, card_of(hole))
    state = tab[game.second + points_of(up) * 16 + points_of(hole)]
    if need < 2:
        return SEEN_NATURAL if state == -1 - NATURAL else SEEN, hole, cards, left
    while state >= 0:
        entry, cards, left = draw(shoe, space, game.deck, cards, left)
        tell(trace, TO_DEALER, 0, 0, card_of(entry))
        state = tab[game.next + state * 16 + points_of(entry)]
    return -1 - state, hole, cards, left


@rule
@seldom
def count_hands(game: Game, space: Workspace, begins: int, ends: int, column: int) -> None:
    """Count the hands of a split spot in pairs, and what they win together."""
    tab, work, counts = space.tab, space.work, space.counts
    net = 0
    for hand in range(begins, ends):
        kind = tab[game.main + work[ENDINGS + hand] * game.column_count + column]
        net += space.spec[game.units + kind]
        for other in range(begins, ends):
            beside = tab[game.main + work[ENDINGS + other] * game.column_count + column]
            tick(counts, game.at_cross + kind * game.main_count + beside, 1)
    tick(counts, game.at_nets + game.nets_middle + net, 1)


@rule
def cards_cell(game: Game, space: Workspace, first: int, second: int, up: int, hole: int) -> int:
    """Where the end of the wagers on cards alone is counted."""
    code = ask_cards(game, space, first, second, up) * game.card_codes
    code += ask_cards_hole(game, space, first, second, up, hole)
    return game.at_cards + space.tab[game.card_ends + code]


@rule
def ask_hole(game: Game, space: Workspace, first: int, second: int, up: int, hole: int) -> int:
    """The code of the hole card and others for wagers on played hands."""
    if game.on_hole:
        return ask(space, game.ask_hole, game.answers_hole, first, second, up, hole, NO_CARD)
    return 0


@rule
def count_spot(game: Game, space: Workspace, trace: Numbers | None, spot: int, up: int, hole: int, way: int) -> None:
    """Count how everything on a spot ended."""
    tab, work, counts = space.tab, space.work, space.counts
    first, second = work[FIRSTS + spot], work[SECONDS + spot]
    begins, ends = work[BEGINS + spot], work[BEGINS + spot + 1]
    column = tab[game.columns + ask_hole(game, space, first, second, up, hole) * game.ways + way]
    for hand in range(begins, ends):
        cell = work[ENDINGS + hand] * game.column_count + column
        tick(counts, cell, 1)
        if trace is not None:
            closing = tab[game.closing + work[ENDINGS + hand]]
            if closing != NO_ACTION:
                tell(trace, ACTED, spot, hand - begins, closing)
            tell(trace, ENDED, spot, hand - begins, cell)
    if ends - begins > 1:
        count_hands(game, space, begins, ends, column)
    if game.on_cards:
        cell = cards_cell(game, space, first, second, up, hole)
        tick(counts, cell, 1)
        tell(trace, ON_CARDS, spot, 0, cell)


@rule
def deal_round(
    game: Game, shoe: ShoeSpec, space: Workspace, trace: Numbers | None, cards: int, left: int
) -> tuple[int, int, int, int]:
    """The first cards, in a table's order: the up card, the hole card where there is one, and those at hand."""
    work = space.work
    for spot in range(game.spots):
        entry, cards, left = draw(shoe, space, game.deck, cards, left)
        work[FIRSTS + spot] = entry
        tell(trace, TO_SPOT, spot, 0, card_of(entry))
    up, cards, left = draw(shoe, space, game.deck, cards, left)
    tell(trace, TO_DEALER, 0, 0, card_of(up))
    for spot in range(game.spots):
        entry, cards, left = draw(shoe, space, game.deck, cards, left)
        work[SECONDS + spot] = entry
        tell(trace, TO_SPOT, spot, 0, card_of(entry))
    hole = NO_CARD
    if game.peek:
        hole, cards, left = draw(shoe, space, game.deck, cards, left)
        tell(trace, TO_DEALER, 0, 0, card_of(hole))
    return up, hole, cards, left


@rule
def play_round(
    game: Game, shoe: ShoeSpec, space: Workspace, trace: Numbers | None, cards: int, left: int
) -> tuple[int, int]:
    """Deal and play one round, and count it; the cards at hand after it."""
    tab, work = space.tab, space.work
    up, hole, cards, left = deal_round(game, shoe, space, trace, cards, left)
    natural = hole >= 0 and tab[game.second + points_of(up) * 16 + points_of(hole)] == -1 - NATURAL
    hands, need = 0, 0
    for spot in range(game.spots):
        work[BEGINS + spot] = hands
        more, cards, left = play_spot(game, shoe, space, trace, cards, left, spot, hands, up, natural)
        for hand in range(hands, hands + more):
            need = max(need, tab[game.need + work[ENDINGS + hand]])
        if game.cards_need:
            code = ask_cards(game, space, work[FIRSTS + spot], work[SECONDS + spot], up)
            need = max(need, tab[game.card_need + code])
        hands += more
    work[BEGINS + game.spots] = hands
    way = NATURAL
    if not natural:
        way, hole, cards, left = finish_dealer(game, shoe, space, trace, cards, left, up, hole, need)
    if work[OUT]:
        tick(space.counts, game.at_lost, 1)
        tell(trace, LOST, 0, 0, 0)
        return cards, left
    for spot in range(game.spots):
        count_spot(game, space, trace, spot, up, hole, way)
    tick(space.counts, game.at_rounds, 1)
    tell(trace, OVER, 0, 0, 0)
    return cards, left


@rule
def begin_fresh(game: Game, shoe: ShoeSpec, space: Workspace, number: int, places: int) -> int:
    """Begin a round from a full shoe with the cards at six places: these cards."""
    work = space.work
    if places == REJECTED:
        places = other_places(shoe, number)
    work[NUMBER] = number
    work[OPENING] = places
    work[TURN] = 0
    work[OUT] = 0
    return entries_at(space.tab, game.deck, places)


@rule
@seldom
def play_fresh(game: Game, shoe: ShoeSpec, space: Workspace, trace: Numbers | None, number: int, places: int) -> None:
    """A round from a full shoe that begins with the cards at six places."""
    play_round(game, shoe, space, trace, begin_fresh(game, shoe, space, number, places), SIX)


@rule
def play_shoe(game: Game, shoe: ShoeSpec, space: Workspace, trace: Numbers | None, cut: int) -> None:
    """Deal a shoe from where it stands to the cut card."""
    work = space.work
    cards, left = 0, 0
    while work[AT] - left < shoe.size - cut and not work[OUT]:
        work[BEGAN] = work[AT] - left
        cards, left = play_round(game, shoe, space, trace, cards, left)


@bare_kernel
def deal_fresh(first: int, rounds: int, game: Game, shoe: ShoeSpec, space: Workspace, openings: Numbers, trace: Numbers | None) -> None:  # fmt: skip
    """Rounds from a full shoe each."""
    pair, end = first >> 1, first + rounds
    while 2 * pair < end:
        fill_openings(shoe, pair, openings)
        for place in range(max(first - 2 * pair, 0), min(end - 2 * pair, 2 * CHUNK)):
            places = openings[opening_at(place)]
            play_fresh(game, shoe, space, trace, 2 * pair + place, places)
        pair += CHUNK


@bare_kernel
def deal_shoes(first: int, shoes: int, cut: int, burn: int, game: Game, shoe: ShoeSpec, space: Workspace, trace: Numbers | None) -> None:  # fmt: skip
    """Whole shoes, each shuffled, burnt and dealt to the cut card."""
    for number in range(first, first + shoes):
        begin_shoe(shoe, space, game.deck, number)
        space.work[AT] = burn
        play_shoe(game, shoe, space, trace, cut)
