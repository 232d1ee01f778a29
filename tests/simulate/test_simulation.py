"""Simulation against exact analysis: every wager of every sheet, the spread of p-values, runs that stop and go on."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from feltlab.analysis import Analysis, analyse
from feltlab.errors import FeltlabError
from feltlab.sheets import load
from feltlab.simulate import checkpoint
from feltlab.simulate.engines.cpu import Cpu
from feltlab.simulate.kernels.cursor import FRESH, shoe_spec
from feltlab.simulate.run import Until
from feltlab.simulate.stats.sampled import Estimate, sampled
from feltlab.simulate.stats.tally import Tally
from feltlab.simulation import Simulation, simulate, simulation
from feltlab.tables import set_up
from support.paths import EXAMPLES
from support.soak import soak

TABLES = [
    ("bad-beat-baccarat", {"decks": 8, "option": "commission"}),
    ("bad-beat-baccarat", {"decks": 6, "option": "no-commission"}),
    ("bad-beat-blackjack", {"decks": 6, "option": "2", "paytables": ["P1"]}),
    ("bad-beat-blackjack", {"decks": 2, "option": "1", "paytables": ["L3"], "strategy": "bonus"}),
    ("bad-beat-blackjack", {"decks": 1, "rules": {"surrender": "early"}, "strategy": "composition"}),
    ("bad-beat-blackjack", {"decks": 8, "rules": {"hole-card": "none-all"}, "strategy": "joint:0.5"}),
    ("big-slick-blackjack", {"decks": 6}),
    ("big-slick-blackjack", {"decks": 2, "paytables": ["big-slick=plain", "action-match=B"]}),
]
FEW_HANDS = soak({}, {"resplit": "2"})  # what rounds of more hands win takes long to analyse


@pytest.mark.parametrize(("sheet", "table"), TABLES)
def test_every_wager_is_within_four_standard_errors_of_its_exact_edge(sheet, table):
    dealt = simulate(analyse(sheet, **table), rounds=2_000_000, seed=20)
    counted = [one for one in dealt.compared() if one.exact is not None]
    assert len(counted) >= 2
    for one in counted:
        assert abs(one.z) < 4, one.sampled.wager.id
        assert one.fit.p > 1e-4, one.sampled.wager.id
        for name in ("average_wager", "hit_frequency", "push_frequency", "variance", "skewness"):
            if (z := one.figure(name).z) is not None:
                assert abs(z) < 4.5, (one.sampled.wager.id, name)
    assert not dealt.warnings()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_a_sheet_of_ones_own_simulates_like_a_built_in_one(path):
    dealt = simulate(analyse(str(path)), rounds=300_000, seed=5)
    for one in dealt.compared():
        if one.exact is not None:
            assert abs(one.z) < 4 and one.fit.p > 1e-4, one.sampled.wager.id


@pytest.mark.parametrize(
    ("sheet", "seeds", "rounds"),
    [("bad-beat-baccarat", soak(400, 40), 20_000), ("big-slick-blackjack", soak(150, 30), 20_000)],
)
def test_p_values_over_many_seeds_are_uniform(sheet, seeds, rounds):
    """Kolmogorov's distance of each wager's p-values from the uniform law.

    However many seeds there are, it is beyond 2.2 / sqrt(n) at most once in 8,000 times: 2 exp(-2 * 2.2**2), by Massart.
    """
    made = simulation(analyse(sheet), rounds=rounds, seed=0, engine=Cpu(1))
    work, meaning = made.run.work, made.run.meaning
    exact = {id: made.analysis.law(id, made.strategy) for id in made.analysis.setup.wagers}
    found = {}
    for seed in range(seeds):
        tally = Tally.of(work)
        tally.add(replace(work, shoe=shoe_spec(FRESH, work.shoe.size, seed)).part(0, work.batches))
        for one in sampled(meaning, tally, independent=True):
            found.setdefault(one.wager.id, []).append(one.fit(exact[one.wager.id]).p)
    assert len(found) >= 4
    for id, values in found.items():
        # Where a wager has one rare line, its p-values are few: a step is as high as the line's own chance.
        steps = np.sort(values)
        distance = np.abs(steps - (np.arange(seeds) + 0.5) / seeds).max()
        assert distance < 2.2 / np.sqrt(seeds), (id, distance)


def test_a_wrong_law_is_noticed():
    """The same deals beside the figures of another paytable's table: a warning in words."""
    made = simulation(analyse("bad-beat-baccarat", decks=8), rounds=500_000, seed=1, engine=Cpu(1))
    made.run.go()
    assert not made.warnings()
    made.analysis = analyse("bad-beat-baccarat", decks=8, option="no-commission")
    (words,) = _again(made).warnings()
    assert words.startswith("banker: the lines disagree with the exact ones (chi-square")
    made.analysis = analyse("bad-beat-baccarat", decks=8, rules={"tie": "9"})
    (words,) = _again(made).warnings()
    assert words.startswith("tie: the edge is ") and words.endswith(
        "above the exact one; chance alone hardly does that"
    )


def _again(made):
    return Simulation(made.analysis, made.dealing, made.strategy, made.run)


def test_shoes_are_compared_with_a_full_shoe_by_the_spread_between_shoes():
    dealt = simulate(analyse("bad-beat-blackjack"), rounds=400_000, seed=3, mode="shoe", spots=3)
    main = dealt["main"]
    assert main.fit is None and main.warning is None
    assert main.sampled.by_batches
    assert abs(main.z) < 4  # the effect of the cut card is far smaller than the error here
    alone = simulate(analyse("bad-beat-blackjack"), rounds=400_000, seed=3, mode="shoe")
    # Three spots share a dealer: an error by spots' rounds alone would be too small by a factor of 1.2 or more.
    assert main.sampled.house_edge.error > 1.1 * alone["main"].sampled.house_edge.error / np.sqrt(3)


def test_errors_by_batches_agree_with_errors_by_rounds():
    """Shoes that are dealt once each have independent rounds: both ways to the error are the same there."""
    one = simulate(analyse("bad-beat-baccarat"), rounds=300_000, seed=2)["player"].sampled.house_edge
    other = simulate(analyse("bad-beat-baccarat"), rounds=300_000, seed=2, mode="shoe")["player"].sampled.house_edge
    assert other.error == pytest.approx(one.error, rel=0.1)


@pytest.mark.parametrize(("mode", "rounds"), [("fresh", 400_000), ("shoe", 100_000)])
def test_a_run_that_is_stopped_goes_on_to_the_same_counts(tmp_path, mode, rounds):
    table, path = analyse("bad-beat-blackjack"), tmp_path / "run.json"

    def made(**more):
        return simulation(table, rounds=rounds, seed=4, mode=mode, engine=Cpu(2), **more)

    whole = made()
    whole.run.go()
    stopped = made(checkpoint=path)

    def interrupt(_):
        if stopped.run.tally.batches > 100:
            raise KeyboardInterrupt

    stopped.run.tell = interrupt
    stopped.run.go()
    assert stopped.run.stopped and 0 < stopped.run.dealt < whole.run.dealt
    said = []
    resumed = made(checkpoint=path, say=said.append)
    resumed.run.go()
    assert f"{stopped.run.dealt:,} rounds are dealt" in said[0]
    assert np.array_equal(resumed.run.tally.counts, whole.run.tally.counts)
    assert np.array_equal(resumed.run.tally.cross, whole.run.tally.cross)


def checkpointed(path, **changes):
    settings = {"rounds": 20_000, "seed": 4, "mode": "fresh", **changes}
    made = simulation(analyse("bad-beat-baccarat"), engine=Cpu(1), checkpoint=path, **settings)
    made.run.go()
    return made


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"seed": 5}, "seed is 4 there and 5 here"),
        ({"rounds": 30_000}, "batch is|rounds or shoes is 20000 there and 30000 here"),
        ({"mode": "shoe"}, "mode is fresh there and shoe here"),
    ],
)
def test_a_checkpoint_of_other_settings_is_refused_with_the_reason(tmp_path, change, reason):
    path = tmp_path / "run.json"
    checkpointed(path)
    with pytest.raises(FeltlabError, match=reason):
        checkpointed(path, **change)


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda text: text[: len(text) // 2], "broken: it is cut off"),
        (lambda text: text.replace('"done":[[0', '"done":[[1'), "its checksum is wrong"),
        (lambda text: "{}", "is broken"),
        (lambda text: '{"feltlab":"checkpoint","version":99,"body":{}}', "not a checkpoint that this version writes"),
    ],
)
def test_a_broken_checkpoint_is_refused_with_the_reason(tmp_path, spoil, reason):
    path = tmp_path / "run.json"
    checkpointed(path)
    path.write_text(spoil(path.read_text()))
    with pytest.raises(FeltlabError, match=reason):
        checkpointed(path)


def test_a_checkpoint_that_cannot_be_written_is_told_before_dealing(tmp_path):
    with pytest.raises(FeltlabError, match="cannot be written"):
        checkpointed(tmp_path / "nowhere" / "run.json")


def test_a_checkpoint_is_whole_or_not_there(tmp_path):
    path = tmp_path / "run.json"
    made = checkpointed(path)
    assert [file.name for file in tmp_path.iterdir()] == ["run.json"]
    again = checkpoint.load(path, json.loads(path.read_text())["body"]["settings"], made.run.tally)
    assert np.array_equal(again.counts, made.run.tally.counts)


def test_until_stops_at_the_wished_precision_and_says_beforehand_how_long_that_takes():
    said = []
    made = simulation(
        analyse("bad-beat-baccarat"),
        rounds=10**12,
        seed=9,
        engine=Cpu(2),
        until=Until("bad-beat", 0.001),
        say=said.append,
    )
    assert said[0].startswith("bad-beat within 0.001 takes about ")
    about = int(said[0].split("about ")[1].split()[0].replace(",", ""))
    made.run.go()
    low, high = made["bad-beat"].sampled.house_edge.interval
    assert high - low <= 0.002
    assert 0.8 * about < made.run.dealt < 1.3 * about
    # The law's own spread says the same: (1.96 s / h)**2 rounds.
    needed = (1.96 * made["bad-beat"].exact.standard_deviation / 0.001) ** 2
    assert 0.9 * needed < made.run.dealt < 1.2 * needed


def test_until_never_deals_more_than_is_allowed():
    said = []
    made = simulation(
        analyse("bad-beat-baccarat"), rounds=300_000, seed=9, engine=Cpu(1), until=Until("tie", 1e-6), say=said.append
    )
    made.run.go()
    assert "more than the 300,000 allowed" in said[0]
    assert made.run.dealt <= 300_000 + made.run.work.batch


def test_cards_that_are_gone_do_not_come():
    """A shoe without aces: no natural, no insurance, and the exact figures of the same shoe."""
    gone = " ".join(f"A{suit}" for suit in "shdc")
    dealt = simulate(analyse("bad-beat-blackjack", decks=1, remove=gone, rules=FEW_HANDS), rounds=200_000, seed=1)
    assert dealt["insurance"].sampled.bets == 0
    assert abs(dealt["main"].z) < 4
    natural = dealt["main"].sampled.wager.cells.outcomes
    place = next(
        at for at, outcome in enumerate(natural) if dealt["main"].sampled.wager.line_ids(outcome) == ("natural",)
    )
    assert dealt["main"].sampled.line(place).value == 0


def test_rounds_that_cannot_be_dealt_are_left_out_and_told():
    """Seven spots on one deck without its high cards run out of cards sometimes."""
    gone = " ".join(f"{rank}{suit}" for rank in "TJQK9" for suit in "shdc")
    setup = set_up(load("bad-beat-blackjack"), decks=1, rules=FEW_HANDS)
    from feltlab.cards import cards

    made = simulation(
        Analysis(setup, tuple(cards(gone))), rounds=2000, seed=1, spots=7, strategy="basic", engine=Cpu(1)
    )
    made.run.go()
    assert made.lost > 0 and made.run.dealt + made.lost == 2000
    assert any("are left out" in words for words in made.warnings())


def test_memory_does_not_grow_with_the_number_of_rounds():
    """The largest resident size of a process that deals a hundred times as many rounds is the same."""
    code = (
        "import resource; from feltlab.analysis import analyse; from feltlab.simulation import simulate;"
        "simulate(analyse('bad-beat-baccarat'), rounds={rounds}, seed=1);"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )

    def largest(rounds):
        run = subprocess.run(
            [sys.executable, "-c", code.format(rounds=rounds)], capture_output=True, text=True, check=True
        )
        return int(run.stdout)

    small, large = largest(10**6), largest(10**8)
    assert large < small * 1.05


def test_an_estimate_without_spread_is_far_from_anything_else():
    assert Estimate(1.0, 0.0).z(1.0) == 0 and Estimate(1.0, 0.0).z(0.5) == float("inf")


def test_the_edge_is_added_up_in_whole_numbers():
    """The same counts give the same edge to the last bit, whatever the machine's vector units add first."""
    banker = simulate(analyse("bad-beat-baccarat"), rounds=1_000_000, seed=7)["banker"]
    counts = dict(
        zip((outcome.pays for outcome in banker.sampled.wager.cells.outcomes), banker.sampled.counts, strict=True)
    )
    exact = sum(pays * int(count) for pays, count in counts.items()) / 1_000_000
    assert banker.figure("house_edge").estimate.value == -float(exact) == 0.0109195


def test_a_wager_that_is_always_won_disagrees_with_nothing(tmp_path):
    """It cannot vary, so no chi-square has a degree of freedom, and none is unlikely."""
    (tmp_path / "certain.toml").write_text(
        'id = "c"\nname = "C"\ngame = "baccarat"\n\n[[wager]]\nid = "w"\nname = "W"\n\n'
        '[[wager.line]]\nname = "Always"\nwhen = "always"\npays = "1:1"\n'
    )
    made = simulate(analyse(str(tmp_path / "certain.toml")), rounds=10_000, seed=3, engine_name="cpu:1")
    assert made["w"].fit is not None and made["w"].fit.degrees == 0 and made["w"].fit.p == 1
    assert not made.warnings()
