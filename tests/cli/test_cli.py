"""The commands as a user runs them: what they print, and one clear line for every kind of bad input."""

import json
import subprocess
import sys

import pexpect
import pytest

from support.commands import data, mistaken, output, refused, run
from support.paths import ROOT
from support.soak import soak
from support.terminals import FELTLAB, at_a_terminal

# ---- what they say


def test_help_names_every_command_and_imports_nothing_heavy():
    text = output("--help")
    assert all(f"\n  {command} " in text for command in ("sheets", "show", "check", "deal", "play", "edge"))
    code = "import sys, feltlab.cli; print(sorted(set(sys.modules) & {'rich.console', 'msgspec', 'numba', 'numpy', 'fractions', 'feltlab.sheets'}))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_sheets():
    assert [sheet["id"] for sheet in data("sheets")] == [
        "bad-beat-baccarat",
        "bad-beat-blackjack",
        "big-slick-blackjack",
    ]
    assert "big-slick, action-match" in output("sheets")


@pytest.mark.parametrize("sheet", ["bad-beat-baccarat", "bad-beat-blackjack", "big-slick-blackjack"])
def test_show(sheet):
    text, found = output("show", sheet), data("show", sheet)
    for rule in found["rules"]:
        assert f"{rule['key']} " in text
        assert f"[{rule['default']}]" in text
    for wager in found["wager"]:
        assert (wager["name"] in text) is not wager["audit_only"]
    for reading in found["reading"]:
        assert reading["evidence"] in text
    for claim in found["claim"]:
        assert all(value in text for value in claim["values"].values())


def test_show_lists_the_rules_with_their_defaults():
    rules = {rule["key"]: (rule["default"], rule["values"]) for rule in data("show", "bad-beat-blackjack")["rules"]}
    assert rules["soft17"] == ("hit", ["hit", "stand"])
    assert rules["hole-card"] == ("peek", ["peek", "none-original", "none-all"])
    assert rules["natural"] == ("3:2", ["RATIO"])


def test_check_says_what_was_tried():
    found = data("check", "docs/examples/21-plus-3.toml")
    assert (found["sheet"], found["ok"]) == ("21-plus-3", True)
    assert found["rounds"] >= 60
    assert "a good sheet" in output("check", "docs/examples/dragon-bonus.toml")


def test_deal_is_the_same_for_the_same_seed():
    arguments = (
        "deal",
        "bad-beat-blackjack",
        "--rounds",
        "3",
        "--seed",
        "5",
        "--decks",
        "2",
        "--option",
        "1",
        "--paytable",
        "L3",
    )
    assert output(*arguments) == output(*arguments)
    (table,) = data(*arguments)
    assert (table["decks"], table["option"], table["paytables"], table["modified"]) == (
        2,
        "1",
        {"bad-beat": "L3"},
        False,
    )
    assert [round_["round"] for round_ in table["rounds"]] == [1, 2, 3]
    for round_ in table["rounds"]:
        assert sum(bet["back"] - bet["stake"] for bet in round_["bets"]) == sum(round_["nets"].values())
        assert round_["log"][-1]["event"] == "over"


def test_deal_without_a_seed_differs():
    assert output("deal", "bad-beat-baccarat", "--rounds", "5") != output("deal", "bad-beat-baccarat", "--rounds", "5")


@pytest.mark.parametrize(
    "sheet", ["bad-beat-baccarat", "bad-beat-blackjack", "big-slick-blackjack", "docs/examples/match-the-dealer.toml"]
)
def test_deal_explains_bets_and_payments(sheet):
    text = output("deal", sheet, "--rounds", "2", "--seed", "1")
    assert text.count("Round ") == 2
    assert "wagers" in text
    assert "Settlement" in text
    assert text.count("in all") + text.count("breaks even") == 2


def test_deal_all_deals_at_a_table_for_every_printed_value():
    tables = data("deal", "big-slick-blackjack", "--decks", "all", "--paytable", "all", "--seed", "1")
    posted = [(table["decks"], *table["paytables"].values()) for table in tables]
    both = [(slick, match) for slick in ("plain", "bonus") for match in ("A", "B")]
    assert posted == [
        *((1, slick) for slick in ("plain", "bonus")),
        *((2, *pair) for pair in both),
        *((4, match) for match in ("A", "B")),
        *((6, *pair) for pair in both),
        *((8, match) for match in ("A", "B")),
    ]
    options = data("deal", "bad-beat-blackjack", "--option", "all", "--paytable", "all", "--seed", "1")
    assert len({(table["option"], table["paytables"]["bad-beat"]) for table in options}) == 20


def test_a_table_that_is_not_the_sheets_is_marked_modified():
    arguments = (
        "deal",
        "bad-beat-blackjack",
        "--seed",
        "1",
        "--rule",
        "soft17=stand",
        "--pay",
        "bad-beat/20-beaten=25:1",
    )
    assert (
        "modified: rule soft17 is stand (a house rule, the sheet's default is hit); the pay of bad-beat/20-beaten is 25:1"
        in output(*arguments)
    )
    (table,) = data(*arguments)
    assert table["modified"]
    assert [change["what"] for change in table["differences"]] == ["rule soft17", "the pay of bad-beat/20-beaten"]


def test_bets_spots_limits_and_jurisdiction():
    (table,) = data(
        "deal",
        "bad-beat-blackjack",
        "--seed",
        "1",
        "--spots",
        "7",
        "--bet",
        "main=5.01",
        "--jurisdiction",
        "washington",
    )
    bets = [bet for bet in table["rounds"][0]["bets"] if bet["wager"] == "main" and bet["hand"] == 0]
    assert [bet["spot"] for bet in sorted(bets, key=lambda bet: bet["spot"])] == [1, 2, 3, 4, 5, 6, 7]
    assert {bet["stake"] for bet in bets} <= {501, 1002}
    assert "as of 2026-11-01" in output("deal", "bad-beat-blackjack", "--seed", "1", "--jurisdiction", "washington")


def test_a_licensee_chooses_the_wagers():
    assert data("deal", "bad-beat-baccarat", "--offer", "banker-7", "--seed", "1")[0]["paytables"] == {
        "banker-7": "standard"
    }
    assert data("deal", "bad-beat-baccarat", "--offer", "none", "--seed", "1")[0]["paytables"] == {}


def test_a_users_own_chart(tmp_path):
    chart = (ROOT / "src/feltlab/strategy/charts/decks-4-8-h17.txt").read_text()
    never_hit = tmp_path / "mine.txt"
    lines = [
        line if line.split()[:1] not in (["hard"], ["soft"], ["pair"]) else " ".join(line.split()[:2] + ["S"] * 10)
        for line in chart.splitlines()
    ]
    never_hit.write_text("\n".join(lines))
    text = output("deal", "bad-beat-blackjack", "--rounds", "20", "--seed", "1", "--strategy", str(never_hit))
    assert ": hit" not in text
    assert ": stand" in text


# ---- bad input


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["show", "bad-beat-bacarat"], "there is no sheet 'bad-beat-bacarat'; did you mean 'bad-beat-baccarat'?"),
        (["show", "none.toml"], "none.toml does not exist"),
        (["show", "."], ". is a folder"),
        (["check", "/dev/zero"], "is not a plain file"),
        (["deal", "bad-beat-blackjack", "--decks", "9"], "decks, not 9"),
        (["deal", "bad-beat-baccarat", "--decks", "7"], "is printed for 6 or 8 decks, not 7"),
        (["deal", "bad-beat-blackjack", "--decks", "ten"], "--decks 'ten': write a number"),
        (["deal", "bad-beat-blackjack", "--decks", "-1"], "--decks '-1'"),
        (["deal", "bad-beat-blackjack", "--option", "7"], "has no option '7'; 1 or 2"),
        (["deal", "big-slick-blackjack", "--option", "1"], "has no option '1'; it has none"),
        (["deal", "bad-beat-blackjack", "--paytable", "P6"], "has no paytable 'P6'"),
        (["deal", "bad-beat-blackjack", "--rule", "soft17"], "--rule 'soft17': write it as KEY=VALUE"),
        (["deal", "bad-beat-blackjack", "--rule", "soft17=hit", "--rule", "soft17=hit"], "is given twice"),
        (["deal", "bad-beat-blackjack", "--rule", "hard17=hit"], "there is no rule 'hard17' here; known: das, double"),
        (["deal", "bad-beat-blackjack", "--rule", "das=maybe"], "rule das cannot be 'maybe'; it is yes or no"),
        (["deal", "bad-beat-blackjack", "--bet", "main=-5"], "'-5' is not an amount"),
        (["deal", "bad-beat-blackjack", "--bet", "main=1" + "0" * 30], "is not an amount"),
        (["deal", "bad-beat-blackjack", "--bet", "main=1" + "0" * 29], "is more than any table takes"),
        (["deal", "bad-beat-blackjack", "--bet", "main=1.005"], "has a fraction of a cent"),
        (["deal", "bad-beat-blackjack", "--bet", "main=20000"], "outside the table's limits, 0.01 to 10,000.00"),
        (["deal", "bad-beat-blackjack", "--bet", "mian=5"], "does not offer 'mian'; did you mean 'main'?"),
        (["deal", "bad-beat-blackjack", "--jurisdiction", "washington", "--bet", "main=401"], "over the limit of WAC 230-15-140"),
        (["deal", "bad-beat-blackjack", "--jurisdiction", "oregon"], "there is no jurisdiction 'oregon'"),
        (["deal", "bad-beat-blackjack", "--limit", "main=5"], "write it like main=1-100"),
        (["deal", "bad-beat-blackjack", "--rounds", "0"], "--rounds 0: deal 1 to 100,000 rounds"),
        (["deal", "bad-beat-blackjack", "--rounds", "ten"], "Invalid value for '--rounds': Input should be a valid integer"),
        (["deal", "bad-beat-blackjack", "--spots", "8"], "--spots 8: this game has 1 to 7 spots"),
        (["deal", "bad-beat-blackjack", "--rounding", "sideways"], "it is down, nearest or up"),
        (["deal", "bad-beat-blackjack", "--coin", "0"], "is zero"),
        (["deal", "bad-beat-blackjack", "--strategy", "none.txt"], "there is no strategy and no file 'none.txt'"),
        (["deal", "bad-beat-blackjack", "--offer", "bonus"], "has no wager 'bonus'"),
        (["deal", "bad-beat-blackjack", "--pay", "bad-beat=2:1"], "has no line ''"),
        (["deal", "bad-beat-blackjack", "--seed", "x"], "Invalid value for '--seed': Input should be a valid integer"),
        (["deal"], "Missing argument 'SHEET'"),
        (["dael"], "No such command 'dael'"),
        (["deal", "bad-beat-blackjack", "--sed", "1"], "No such option"),
        (["play", "bad-beat-blackjack", "--decks", "all"], "a person plays at one table"),
        (["play", "bad-beat-blackjack", "--bankroll", "lots"], "'lots' is not an amount"),
    ],
)  # fmt: skip
def test_bad_input(arguments, says):
    assert says in mistaken(*arguments)


def test_bad_files(tmp_path):
    (tmp_path / "broken.toml").write_text("id = [")
    (tmp_path / "binary.toml").write_bytes(bytes(range(256)))
    with (tmp_path / "huge.toml").open("wb") as file:
        file.truncate(100_000_000)
    assert "broken.toml is not TOML" in refused("check", "broken.toml", cwd=tmp_path)
    assert "binary.toml is not a text file" in refused("check", "binary.toml", cwd=tmp_path)
    assert "huge.toml is larger than" in refused("check", "huge.toml", cwd=tmp_path)
    (tmp_path / "chart.txt").write_text("2 3 4\nhard 20 S S\n")
    assert "chart.txt, line 2: 2 codes for 3 up cards" in refused(
        "deal", "bad-beat-blackjack", "--strategy", "chart.txt", cwd=tmp_path
    )


@pytest.mark.parametrize(
    "arguments", ["deal bad-beat-blackjack --rounds 5000 --seed 1", "deal bad-beat-baccarat --rounds 3000 --json"]
)
def test_a_closed_pipe_is_one_line(arguments):
    command = f"{sys.executable} -c 'from feltlab.cli import main; main()' {arguments}"
    done = subprocess.run(
        ["bash", "-c", f"{command} | head -1 > /dev/null; exit ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=ROOT,
    )
    assert (done.returncode, done.stderr) == (
        2,
        "feltlab: the reader of the output closed it early; nothing more was written\n",
    )


# ---- playing


def play(*arguments):
    child = at_a_terminal("play", *arguments)
    child.expect("Your bets: ")
    return child


def finish(child):
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus


def test_play_a_round_by_hand():
    child = play("bad-beat-blackjack", "--seed", "5", "--bankroll", "100")
    for wrong, says in [("main", "write each wager with its amount"), ("mian 5", "did you mean 'main'"), ("main -5", "is not an amount"),
                        ("main 1.005", "a fraction of a cent"), ("main 1000", "and you have 100.00"), ("bad-beat 5", "no main wager"),
                        ("main 5 main 5", "main is given twice"), ("", "there are no last bets yet")]:  # fmt: skip
        child.sendline(wrong)
        child.expect(says)
        child.expect("Your bets: ")
    child.sendline("main 10 bad-beat 5")
    child.expect("bad-beat: taken, 5.00 lost")
    child.expect("Insurance\\?")
    child.sendline("6")
    child.expect("insurance is at most 1:2 of the main wager, 5.00 here")
    child.sendline("5")
    child.expect("s stand, h hit, d double")
    child.sendline("x")
    child.expect("'x' is not an action")
    child.sendline("p")
    child.expect("are not a pair that can be split here")
    child.sendline("s")
    child.expect("the hole card is 9d")
    child.expect("spot 1 loses 20.00 in all")
    child.expect("80.00 in chips")
    child.sendline("")  # the same bets again
    child.expect("s stand, h hit")
    child.sendline("s")
    child.expect("Your bets: ")
    child.sendline("q")
    child.expect("You leave with")
    assert finish(child) == 0


def test_play_action_match_on_a_hit():
    child = play("big-slick-blackjack", "--seed", "5")
    child.sendline("main 10 big-slick 1")
    while child.expect(["Insurance\\?", "'h action-match 5' wagers on the card", "Your bets: "]) == 0:
        child.sendline("")
    child.sendline("h action-match 5")
    child.expect("action-match: ")
    child.sendintr()
    assert finish(child) == 130


def test_play_baccarat():
    child = play("bad-beat-baccarat", "--option", "no-commission", "--seed", "3")
    child.sendline("banker 10 bad-beat 5")
    child.expect("Player 8, Banker 9: Banker wins")
    child.expect("pays 10:1, 50.00 won")
    child.expect("Your bets: ")
    child.sendeof()
    child.expect("You leave with 1,060.00")
    assert finish(child) == 0


def test_control_c_at_a_prompt():
    child = play("bad-beat-blackjack")
    child.sendintr()
    child.expect("feltlab: stopped by control-C")
    assert finish(child) == 130


def test_input_that_ends_in_the_middle_of_a_round():
    said = refused("play", "bad-beat-blackjack", "--seed", "5", stdin="main 10\n")
    assert "the input ended in the middle of a round" in said


def test_nothing_left_ends_the_game():
    text = output("play", "bad-beat-baccarat", "--seed", "3", "--bankroll", "10", stdin="player 10\n")
    assert "You leave with 0.00." in text


def test_a_program_plays_with_json_lines():
    commands = [
        {"command": "bet", "spot": 1, "wager": "main", "amount": 1000},
        {"command": "bet", "spot": 1, "wager": "main", "amount": 1000},
        {"command": "deal"},
        {"command": "rob"},
        {"command": "insure", "spot": 1},
        {"command": "act", "spot": 1, "action": "stand"},
    ]
    text = output(
        "play", "bad-beat-blackjack", "--seed", "5", "--json", stdin="\n".join(map(json.dumps, commands)) + "\n\n"
    )
    said = [json.loads(line) for line in text.splitlines()]
    assert said[0]["table"]["rounding"] == {"to": "down", "coin": 1}
    assert said[1] == {
        "waits_for": {"kind": "bets", "spot": 0, "hand": 0, "actions": [], "side": {}, "most": 0, "even_money": False}
    }
    assert not said[0]["table"]["modified"]
    refusals = [line["refused"] for line in said if "refused" in line]
    assert refusals[0] == "spot 1 has a main wager already"
    assert refusals[1].startswith("this is not a command")
    hole = [line for line in said if line.get("event") == "card" and not line["face_up"]]
    assert [line["card"] for line in hole] == [-1]  # nobody is told an unseen card
    assert [line["nets"] for line in said if line.get("event") == "over"] == [{"1": -1000}]
    assert said[-1]["waits_for"]["kind"] == "bets"


@pytest.mark.parametrize(
    "command", [("sheets",), ("show", "bad-beat-blackjack"), ("deal", "big-slick-blackjack", "--seed", "1")]
)
def test_commands_end_cleanly_many_times(command):
    """The interpreter itself must not crash at exit, which it did now and then while msgspec's Meta was used."""
    assert {run(*command).returncode for _ in range(soak(8, 2))} == {0}


# ---- counting


def test_edge_of_every_printed_value():
    found = data("edge", "bad-beat-baccarat")
    assert len(found) == 2 * 2 * 13
    (one,) = data("edge", "bad-beat-baccarat", "--decks", "8", "--option", "commission", "--wager", "bad-beat")
    assert round(one["house_edge"], 6) == 0.068813
    assert one["total"] == 4_998_398_275_503_360
    assert one["lines"][0]["combinations"] == 20_727_962_554_368
    numerator, denominator = map(int, one["exact"]["house_edge"].split("/"))
    assert numerator / denominator == one["house_edge"]
    assert {
        (item["decks"], item["paytable"]) for item in data("edge", "big-slick-blackjack", "--wager", "action-match")
    } == {(decks, paytable) for decks in (2, 4, 6, 8) for paytable in "AB"}


def test_edge_as_a_table():
    text = output("edge", "bad-beat-baccarat", "--decks", "8", "--option", "commission", "--wager", "banker")
    assert "2,292,252,566,437,888     0.458597   0.435668" in text
    assert "house edge 1.0579%" in text
    played = output("edge", "bad-beat-blackjack", "--decks", "6", "--wager", "bad-beat", "--paytable", "P1")
    assert "(bad-beat; 6 decks, option 2, paytable P1, strategy basic)" in played
    assert "house edge 10.0899%" in played
    assert "modified: rule tie is 9" in output(
        "edge", "bad-beat-baccarat", "--decks", "8", "--wager", "tie", "--rule", "tie=9"
    )
    changed = data(
        "edge", "bad-beat-baccarat", "--decks", "8", "--wager", "banker-7", "--pay", "banker-7/three-card-7=41:1"
    )
    assert changed[0]["modified"]
    removed = data("edge", "bad-beat-baccarat", "--decks", "8", "--wager", "tie", "--remove", "As As Kd")
    assert removed[0]["total"] < 4_998_398_275_503_360


def test_edge_by_strategy():
    wanted = ["edge", "bad-beat-blackjack", "--decks", "2", "--option", "2", "--wager", "bad-beat", "--paytable", "P1"]
    found = data(*wanted, "--strategy", "basic", "--strategy", "bonus", "--strategy", "joint:bad-beat:0.02")
    assert [item["strategy"] for item in found] == ["basic", "bonus", "joint:bad-beat:0.02"]
    assert [round(item["house_edge"], 4) for item in found] == [0.1074, 0.0972, 0.1020]
    for item in found:
        assert abs(sum(line["probability"] for line in item["lines"]) - 1) < 1e-12
        assert abs(sum(line["return"] for line in item["lines"]) + item["house_edge"]) < 1e-12
        assert item["lines"][-1]["name"] == "Lose"
        assert item["lines"][-1]["combinations"] is None
    up_card, in_play = data("edge", "big-slick-blackjack", "--decks", "2", "--wager", "action-match", "--paytable", "A")
    assert (up_card["strategy"], up_card["known"]) == (None, "up-card")
    assert (in_play["strategy"], in_play["known"]) == ("basic", "in-play")
    assert up_card["exact"]["house_edge"] == "11/103"
    assert up_card["exact"]["average_wager"] == "1/1"
    assert up_card["lines"][0]["exact"] == {"probability": "1/103", "return": "25/103"}
    main = data("edge", "bad-beat-blackjack", "--decks", "1", "--option", "2", "--wager", "main", "--strategy", "bonus",
                "--rule", "resplit=2", "--remove", "As")  # fmt: skip
    assert [(item["strategy"], item["removed"]) for item in main] == [("bonus", ["As"])]


def test_edge_of_the_main_wager():
    (main,) = data(
        "edge", "bad-beat-blackjack", "--decks", "1", "--option", "2", "--wager", "main", "--rule", "resplit=2"
    )
    results = {item["net"]: item["probability"] for item in main["results"]}
    assert abs(sum(results.values()) - 1) < 1e-12
    assert main["sampled"] == 0
    mean = sum(net * chance for net, chance in results.items())
    assert abs(mean + main["house_edge"]) < 1e-12
    assert abs(sum(net**2 * chance for net, chance in results.items()) - mean**2 - main["variance"]) < 1e-12
    assert abs(main["hit_frequency"] - sum(chance for net, chance in results.items() if net > 0)) < 1e-15
    assert abs(main["element_of_risk"] * main["average_wager"] - main["house_edge"]) < 1e-15
    assert 1.1 < main["average_wager"] < 1.15


def test_audit():
    found = data("audit")
    claims = found["claims"]
    assert len(claims) == 38
    verdicts = {claim["verdict"] for claim in claims if claim["sheet"] == "bad-beat-blackjack"}
    assert verdicts == {"holds", "holds within the noise of a simulation"}
    assert all(
        abs(claim["difference"]) < 0.00022
        for claim in claims
        if claim["sheet"] == "bad-beat-blackjack" and claim["figure"] == "house-edge"
    )
    matches = [claim for claim in claims if claim["sheet"] == "big-slick-blackjack"]
    assert {claim["verdict"] for claim in matches} == {"does not follow from the sheet"}
    near = [abs(claim["others"][0]["computed"] - claim["claimed"]) < 0.0007 for claim in matches]
    assert near == [False, False, True, True, True, True, True, True]
    other = {(item["wager"], item["decks"]): item["computed"] for item in found["other_readings"]}
    assert round(other["super-shot-as-one", 8], 2) == -1.57
    text = output("audit", "big-slick-blackjack")
    assert "0 of 8 printed figures hold." in text
    assert "as 'Action Match, overlapping events added up' it would be 4.35%, the probable cause" in text
    assert "prints no figures" in output("audit", "bad-beat-baccarat")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--strategy", "bonos"], "there is no strategy and no file 'bonos'"),
        (["--strategy", "bonus:big-slick"], "the table has no side wager 'big-slick' to play for"),
        (["--strategy", "joint"], "needs the ratio of the side stake to the main one, for example 'joint:0.5'"),
        (["--strategy", "joint:x"], "'x' is not a ratio"),
        (["--strategy", "joint:-1"], "'-1' is not a ratio"),
        (["--strategy", "basic:6"], "the strategy 'basic' takes nothing after it"),
        (["--strategy", "hole.txt"], "the chart has a hole at hard 4 against 2"),
        (["--strategy", ""], "there is no strategy and no file ''"),
        (["--strategy", "a" * 5000], "there is no strategy and no file"),
        (["--pay", "main/win=3:2"], "--pay main/win: --wager limits this to bad-beat"),
        (["--paytable", "main=P1"], "main has no paytable 'P1' here"),
        (["--pay", "bad-beat/nope=3:1"], "bad-beat has no line 'nope'"),
    ],
)
def test_edge_refuses_strategies(arguments, says, tmp_path):
    (tmp_path / "hole.txt").write_text("2 3 4 5 6 7 8 9 T A\nhard 20 S S S S S S S S S S\n")
    wanted = ["edge", "bad-beat-blackjack", "--decks", "6", "--wager", "bad-beat", *arguments]
    assert says in mistaken(*wanted, cwd=tmp_path)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--wager", "bankr"], "has no wager 'bankr'; did you mean 'banker'?"),
        (["--paytable", "Q"], "has no paytable 'Q'"),
        (["--decks", "5"], "is printed for 6 or 8 decks, not 5"),
        (["--remove", "Xx"], "'Xx' is not a card"),
        (["--decks", "6", "--remove", "As As As As As As As"], "As cannot be removed 7 times from 6 decks"),
        (["--pay", "nothing/x=1:1"], "has no wager 'nothing'"),
        (["--strategy", "basic"], "which has no decisions"),
    ],
)
def test_edge_refuses(arguments, says):
    assert says in mistaken("edge", "bad-beat-baccarat", *arguments)


# ---- odd streams, odd names


def shell(command, **options):
    line = command.replace("feltlab", f"{sys.executable} -c 'from feltlab.cli import main; main()'", 1)
    return subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, cwd=ROOT, check=False, timeout=120, **options
    )


@pytest.mark.parametrize(
    ("command", "code", "says"),
    [
        ("feltlab show bad-beat-blackjack > /dev/full", 2, "the output cannot be written: No space left on device"),
        ("feltlab deal bad-beat-blackjack --seed 1 --json > /dev/full", 2, "the output cannot be written"),
        ("feltlab sheets >&-", 2, "there is no standard output"),
        ("feltlab play bad-beat-blackjack <&- > /dev/null", 0, ""),
        ("feltlab play bad-beat-blackjack --json <&- > /dev/null", 0, ""),
        (r"printf '\377\n' | feltlab play bad-beat-blackjack --json > /dev/null", 0, ""),
        ("feltlab deal bad-beat-blackjack --seed -1", 2, "--seed -1: a seed is 0 or more"),
        ("feltlab deal bad-beat-blackjack --bet insurance=5", 2, "insurance is answered in the round"),
        (f"feltlab show {'x' * 400}", 2, "there is no sheet 'xxx"),
        (f"feltlab deal bad-beat-blackjack --jurisdiction {'x' * 400}", 2, "there is no jurisdiction 'xxx"),
        (r"feltlab check $'\xff.toml'", 2, "does not exist"),
    ],
)  # fmt: skip
def test_streams_and_names(command, code, says):
    head, pipe, tail = command.rpartition("| ")
    line = tail.replace("feltlab", f"{sys.executable} -c 'from feltlab.cli import main; main()'", 1)
    done = subprocess.run(
        ["bash", "-c", head + pipe + line], capture_output=True, text=True, cwd=ROOT, check=False, timeout=120
    )
    assert done.returncode == code, done
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == (1 if code else 0)
    assert says in done.stderr


def test_a_closed_standard_error_keeps_the_code():
    assert shell("feltlab show nosuch 2>&-").returncode == 2


def test_no_command_shows_the_help():
    done = run()
    assert (done.returncode, done.stderr) == (0, "")
    assert "Commands:" in done.stdout


def test_names_with_brackets_and_letters_no_terminal_has(tmp_path):
    text = (ROOT / "docs/examples/player-pair.toml").read_text()
    odd = text.replace('name = "Player Pair"', 'name = "Odd [/bold] :smile: 张"').replace(
        'name = "Pair"', 'name = "A [/nope] pair"'
    )
    (tmp_path / "odd.toml").write_text(odd)
    for command in (["check"], ["show"], ["deal", "--seed", "1"], ["deal", "--seed", "1", "--json"]):
        done = run(command[0], "odd.toml", *command[1:], cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert "[/bold] :smile: 张" in done.stdout or "json" in command[-1]
    done = subprocess.run(
        [*FELTLAB, "show", "odd.toml"],
        capture_output=True,
        cwd=tmp_path,
        check=False,
        env={"PYTHONIOENCODING": "ascii"},
    )
    assert done.returncode == 0
    assert b"\\u5f20" in done.stdout
    assert "A [/nope] pair" in run("show", "odd.toml", cwd=tmp_path).stdout


@pytest.mark.parametrize("columns", ["0", "20", "40", "80"])
def test_narrow_terminals_lose_no_word(columns):
    line = f"COLUMNS={columns} feltlab show big-slick-blackjack; COLUMNS={columns} feltlab sheets"
    line = line.replace("feltlab", f"{sys.executable} -c 'from feltlab.cli import main; main()'")
    text = subprocess.run(["bash", "-c", line], capture_output=True, text=True, cwd=ROOT, check=True).stdout
    for word in (
        "Big Slick and dealer's Big Slick",
        "1000:1",
        "bonus 1d",
        "35:1",
        "bad-beat-blackjack",
        "super-shot-9-8-three",
    ):
        assert word in text


def test_paytable_all_with_too_many_combinations(tmp_path):
    wager = '\n[[wager]]\nid = "w{w}"\nname = "W"\nsettled = "deal"\n[[wager.line]]\nname = "Pair"\nwhen = "pair(first, second)"\n'
    table = '[[wager.paytable]]\nid = "{t}"\npays = { pair = "{t}:1" }\n'
    text = 'id = "x"\nname = "X"\ngame = "blackjack"\n'
    for number in range(9):
        text += wager.replace("{w}", str(number)) + "".join(table.replace("{t}", str(n)) for n in range(1, 9))
    (tmp_path / "many.toml").write_text(text)
    assert "--paytable all: that is more than 500 tables" in refused(
        "deal", "many.toml", "--paytable", "all", cwd=tmp_path
    )


def test_json_commands_nested_too_deeply_are_refused():
    deep = '{"zz": ' + "[" * 100_000 + "]" * 100_000 + ', "command": "deal"}\n'
    assert '"refused":"this is not a command' in output("play", "bad-beat-blackjack", "--json", stdin=deep)


def test_json_input_that_ends_in_the_middle_of_a_round():
    bet = json.dumps({"command": "bet", "spot": 1, "wager": "main", "amount": 1000})
    assert "the input ended in the middle of a round" in refused("play", "bad-beat-blackjack", "--json", stdin=bet)


def test_seven_spots_and_one_deck_go_on_and_on():
    (table,) = data("deal", "bad-beat-blackjack", "--decks", "1", "--spots", "7", "--rounds", "40", "--seed", "1")
    assert len(table["rounds"]) == 40


def test_play_names_the_law_and_the_rounding():
    text = output("play", "bad-beat-baccarat", "--jurisdiction", "washington", stdin="q\n")
    assert "rounded down" in text
    assert "as of 2026-11-01" in text
    assert "aggregate payout limit" in text


def test_the_version_is_said_and_stands_in_one_place():
    import tomllib

    import feltlab

    assert output("--version") == f"feltlab {feltlab.__version__}\n"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" in project["project"]["dynamic"]
    assert project["tool"]["hatch"]["version"]["path"] == "src/feltlab/__init__.py"
