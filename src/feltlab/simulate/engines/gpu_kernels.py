"""What a GPU's threads do. Everything but the division of the work among them is a marked function of other modules.

A block of threads deals one batch and counts it in memory that its threads share; shoes lie there too. The names below
that are nothing yet are given when a kernel is compiled (`feltlab.simulate.engines.gpu`), so that this module can be imported
where there is no compiler for a GPU.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from feltlab.marks import Numbers
from feltlab.simulate.compile.layout import Game
from feltlab.simulate.kernels.coups import MOST_CARDS, fresh_cell, next_coup
from feltlab.simulate.kernels.cursor import AT, REJECTED, ShoeSpec, Workspace, opening_of, tick, two_openings
from feltlab.simulate.kernels.quick import MARGIN, Quick, deal_shoe, longer_fresh, quick_fresh
from feltlab.simulate.kernels.rounds import WORK, play_fresh, play_shoe
from feltlab.simulate.kernels.shuffling import begin_shoe, put_in_order, shuffle_on

BEYOND = 16  # a shoe is read a few cards beyond its last one
QUEUE, LATER = 1024, 2048  # rounds that wait for threads to be free

numba: Any = None
cuda: Any = None
SMALL: Any = None  # the type of cards in order
deal: Callable[..., None] | None = None
ASKS = False  # are there questions about single cards of a coup?
QUICK = False  # can rounds be quick?


def tick_among_threads(counts: Numbers, cell: int, times: int) -> None:
    """Count some more in a cell, where other threads count too."""
    cuda.atomic.add(counts, cell, times)


def times_of_words(one: int, other: int) -> int:
    """The product of two numbers of 32 bits: a GPU does it in one step, if it is told that they are."""
    product = numba.uint64(numba.uint32(one)) * numba.uint64(numba.uint32(other))
    whole: int = numba.int64(product)
    return whole


def on_batches(first: int, batch: int, units: int, game: Game, quick: Quick, shoe: ShoeSpec, tab: Numbers, spec: Numbers, table: Numbers, cut: int, burn: int, rows: Any) -> None:  # fmt: skip
    """A block deals the batch of its number and writes its counts into its row."""
    assert deal is not None
    counts = cuda.shared.array(0, numba.int32)
    thread, threads, cells = cuda.threadIdx.x, cuda.blockDim.x, rows.shape[1]
    for cell in range(thread, cells, threads):
        counts[cell] = 0
    cuda.syncthreads()
    begin = (first + cuda.blockIdx.x) * batch
    # Behind the counts (twice as many small numbers) lie the shoes, card by card and thread by thread.
    order = cuda.shared.array(0, SMALL)[2 * cells + thread :: threads]
    deal(begin, min(begin + batch, units), game, quick, shoe, tab, spec, table, cut, burn, order, counts[:cells])
    cuda.syncthreads()
    for cell in range(thread, cells, threads):
        rows[cuda.blockIdx.x, cell] = counts[cell]


def coups_fresh(begin: int, end: int, game: Game, quick: Quick, shoe: ShoeSpec, tab: Numbers, spec: Numbers, table: Numbers, cut: int, burn: int, order: Numbers, counts: Numbers) -> None:  # fmt: skip
    """Coups from a full shoe each, two at a time. Threads that have strayed from each other wait at every step."""
    first, last, threads = begin >> 1, (end + 1) >> 1, cuda.blockDim.x
    for step in range((last - first + threads - 1) // threads):
        pair = first + step * threads + cuda.threadIdx.x
        places = two_openings(shoe, pair)
        for half in range(2):
            number = 2 * pair + half
            if begin <= number < end:
                if ASKS:
                    cell = fresh_cell(shoe, tab, table, spec, tab[shoe.size :], number, places[half])  # type: ignore[arg-type, index] # a slice is an array
                else:
                    cell = fresh_cell(shoe, tab, table, None, None, number, places[half])
                tick(counts, cell, 1)
        cuda.syncthreads()


def coups_shoes(begin: int, end: int, game: Game, quick: Quick, shoe: ShoeSpec, tab: Numbers, spec: Numbers, table: Numbers, cut: int, burn: int, order: Numbers, counts: Numbers) -> None:  # fmt: skip
    """Coups from whole shoes, a thread a shoe. Threads shuffle in step; one beyond the last shoe does so in vain."""
    thread, threads = cuda.threadIdx.x, cuda.blockDim.x
    for step in range((end - begin + threads - 1) // threads):
        number = begin + step * threads + thread
        for place in range(shoe.size):
            order[place] = tab[place]
        at, filled, turn = burn, 0, 0
        while filled < min(shoe.size - cut + MOST_CARDS, shoe.size):
            filled = shuffle_on(shoe, order, filled, number, turn)
            turn += 1
            cuda.syncthreads()
        stop = shoe.size - cut if number < end else 0
        while at < stop:
            if ASKS:
                at = next_coup(order, at, table, spec, tab[shoe.size :], counts)  # type: ignore[arg-type, index] # a slice is an array
            else:
                at = next_coup(order, at, table, None, None, counts)
        cuda.syncthreads()


def rounds_fresh(begin: int, end: int, game: Game, quick: Quick, shoe: ShoeSpec, tab: Numbers, spec: Numbers, table: Numbers, cut: int, burn: int, order: Numbers, counts: Numbers) -> None:  # fmt: skip
    """Rounds of blackjack from a full shoe each. Those that are not quick wait, until there is one for every thread:
    threads that do the same thing do it at once.
    """
    work = cuda.local.array(WORK, numba.int64)
    queue = cuda.shared.array(QUEUE, numba.int32)  # a line each: numba's simulator knows them by it
    later = cuda.shared.array(LATER, numba.int32)
    waiting = cuda.shared.array(2, numba.int32)
    space = Workspace(tab, spec, order, work, counts)
    thread, threads, done = cuda.threadIdx.x, cuda.blockDim.x, 0
    if thread < 2:
        waiting[thread] = 0
    cuda.syncthreads()
    first, last = begin >> 1, (end + 1) >> 1
    steps = (last - first + threads - 1) // threads
    for step in range(steps):
        pair = first + step * threads + thread
        places = two_openings(shoe, pair)
        for half in range(2):
            number = 2 * pair + half
            if begin <= number < end:
                if QUICK and places[half] != REJECTED and quick_fresh(game, quick, space, places[half]):
                    done += 1
                else:
                    queue[cuda.atomic.add(waiting, 0, 1)] = number - begin
        cuda.syncthreads()
        if waiting[0] > QUEUE - 2 * threads or step == steps - 1:
            for at in range(thread, waiting[0], threads):
                number = begin + int(queue[at])
                opening = opening_of(shoe, number)
                if QUICK and longer_fresh(game, quick, shoe, space, number, opening):
                    done += 1
                else:
                    later[cuda.atomic.add(waiting, 1, 1)] = number - begin
            cuda.syncthreads()
            if thread == 0:
                waiting[0] = 0
            if waiting[1] > QUEUE or step == steps - 1:
                for at in range(thread, waiting[1], threads):
                    number = begin + int(later[at])
                    play_fresh(game, shoe, space, None, number, opening_of(shoe, number))
                cuda.syncthreads()
                if thread == 0:
                    waiting[1] = 0
            cuda.syncthreads()
    tick(counts, game.at_rounds, done)
    cuda.syncthreads()
    counts[game.at_slow] = 0


def rounds_shoes(begin: int, end: int, game: Game, quick: Quick, shoe: ShoeSpec, tab: Numbers, spec: Numbers, table: Numbers, cut: int, burn: int, order: Numbers, counts: Numbers) -> None:  # fmt: skip
    """Whole shoes of blackjack, a thread a shoe."""
    work = cuda.local.array(WORK, numba.int64)
    space = Workspace(tab, spec, order, work, counts)
    for number in range(begin + cuda.threadIdx.x, end, cuda.blockDim.x):
        begin_shoe(shoe, space, game.deck, number)
        work[AT] = burn
        put_in_order(shoe, order, work, shoe.size - cut + MARGIN)
        if QUICK:
            deal_shoe(game, quick, shoe, space, cut)
        else:
            play_shoe(game, shoe, space, None, cut)
    cuda.syncthreads()
    counts[game.at_slow] = 0
