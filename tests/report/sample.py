"""Made-up exams: a rich one, the smallest, a hostile one, and one of a given agent."""

import math

import numpy as np

from assay.analysis.exam import AxisFinding, Exam, Headline, LearningCurve, LevelFinding, LossCause
from assay.plans.plan import NotAsked
from assay.plans.question import CARRY, LEARN
from assay.stats.aggregate import Interval
from assay.stats.verdict import BREAKS, CANNOT_TELL, HOLDS

MARGIN, RANDOM, PLAIN, OPTIMUM = 0.10, 22.0, 97.0, 100.0
SCALE = PLAIN, PLAIN - RANDOM
BOUNDLESS = Interval(PLAIN, -math.inf, math.inf)
UNKNOWN = Interval(math.nan, -math.inf, math.inf)
LONG_LEVEL = "[[1,2,3,4,5,6,7,0],[2,3,4,5,6,7,0,1],[3,4,5,6,7,0,1,2],[4,5,6,7,0,1,2,3]]"


def level(text, effect, half, axis="axis", random=RANDOM, optimum=None, seeds=10):
    """A level whose score fits its effect: plain + effect * (plain - random)."""
    score = PLAIN + effect * (PLAIN - RANDOM)
    units = tuple(score + 3.0 * math.sin(seed) for seed in range(seeds))
    interval = Interval(effect, effect - half, effect + half)
    return LevelFinding(text, f"toy/discrete+{axis}={text}", interval, score, units, random, optimum)


def finding(axis, levels, arm=CARRY, side="", neutral="0", ordered=True, means="", whose=None):
    """The verdict by the rule of `stats.dose`, from `level effect half-width [optimum]; ...` in percent."""
    if isinstance(levels, str):
        levels = [each.split() for each in levels.split(";")]
        levels = [(text, float(effect) / 100, float(half) / 100, *map(float, best))
                  for text, effect, half, *best in levels]  # fmt: skip
    rows = tuple(level(text, effect, half, axis, optimum=best[0] if best else None)
                 for text, effect, half, *best in levels)  # fmt: skip
    broken = held = None
    for row in reversed(rows):
        if not row.effect.high < -MARGIN:
            break
        broken = row
    for row in rows:
        if not row.effect.low > -MARGIN:
            break
        held = row
    word = BREAKS if broken else HOLDS if held else CANNOT_TELL
    at = broken or held
    widest = max(row.effect.half_width for row in rows)
    because = f"10 seeds see differences above {widest:.0%}, and the loss may lie on either side of 10%"
    return AxisFinding(
        arm, axis, side, (axis.split(".")[0],), means, neutral, ordered, word, at.level if at else "",
        (at or rows[-1]).effect, because, widest, rows,
        whose if word == BREAKS else None,
    )  # fmt: skip


def mine(how="a retrained one keeps 92%", sure=True):
    return LossCause("the agent", sure, Interval(0.1, 0.02, 0.2), how)


def the_tasks(how="the optimum falls by 33%", sure=True):
    return LossCause("the task", sure, Interval(0.9, 0.8, 1.0), how)


def both():
    return LossCause("both", True, Interval(0.5, 0.4, 0.6), "")


def curves(label, seeds, top, slow=1.0, points=80):
    rng = np.random.default_rng(len(label))
    found = []
    for seed in range(seeds):
        steps = np.linspace(250, 20_000, points).astype(int)
        rise = RANDOM + (top - RANDOM) / (1 + np.exp(-(steps / 20_000 - 0.3 * slow) * 14))
        scores = rise + rng.normal(0, 3, points) + rng.normal(0, 2)
        scores[rng.random(points) < 0.02] = math.nan
        found.append(LearningCurve(seed, label, tuple(map(int, steps)), tuple(map(float, scores))))
    return found


def rich():
    """As in a first hour: `dqn` on `toy/discrete`, ten seeds, both arms."""
    findings = (
        finding("observation.delay", "1 -71 4.5; 2 -82 5; 4 -97 4; 8 -104 5",
                means="steps by which the agent sees late", whose=mine()),
        finding("transition_noise", "0.05 -38 6.5 76; 0.1 -52 6 65; 0.25 -77 6 46; 0.5 -93 5 31",
                means="chance that the next state is another one, each equally likely", whose=the_tasks()),
        finding("action.sticky", "0.05 -4 5; 0.1 -11 6; 0.25 -24 5.5; 0.5 -55 6",
                means="chance that the action executed before is executed again", whose=both()),
        finding("action.random", "0.02 -1 3; 0.05 -3 4; 0.1 -9 5; 0.25 -12 8",
                means="chance that a random action is taken instead"),
        finding("observation.dropout", "0.05 0 3; 0.1 -2 5; 0.25 -13 7",
                means="chance that an observation is lost: the last one seen stays"),
        finding("observation.noise", "0.01 -2 3; 0.05 -19 6; 0.1 -34 6; 0.2 -58 7",
                means="chance of seeing another value", whose=mine("a retrained one keeps 71%", sure=False)),
        finding("action.repeat", "2 -31 8; 3 -46 10; 4 -44 12", neutral="1",
                means="steps for which an action is held", whose=mine("a retrained one keeps 88%")),
        finding("horizon", "50 -2 4 50; 25 -6 7 25", side="below", neutral="100",
                means="steps after which an episode is cut (a truncation)"),
        finding("horizon", "200 1 3 200; 400 2 4 400", side="above", neutral="100",
                means="steps after which an episode is cut (a truncation)"),
        finding("terminal_state_density", "0.375 -8 12; 0.5 -12 12", neutral="0.25",
                means="share of each independent set that is terminal"),
        finding("maximally_connected", "false -44 6", neutral="true", ordered=False,
                means="each state of the next set is reached by exactly one action",
                whose=mine("a retrained one keeps 97%")),
        *(finding("init_state_dist", levels, side=levels.split()[0], neutral="uniform", ordered=False,
                  means="chances of the start states")
          for levels in ("[1,0,0,0] -2 5", "[0,1,0,0] -31 5", "[0,0,1,0] 1 5", "[0,0,0,1] -10 5")),
        finding("delay", "1 -1 3; 2 -3 4; 4 -9 6; 8 -22 6", arm=LEARN,
                means="steps between earning a reward and being paid; what waits at the end is lost"),
        finding("reward_noise", "0.1 0 2; 0.5 -1 3; 1 -4 5", arm=LEARN,
                means="standard deviation of normal noise added at every step"),
        finding("reward_scale", "0.1 -5 4; 0.01 -33 8", arm=LEARN, side="below", neutral="1",
                means="factor on reward and noise"),
        finding("reward_scale", "10 1 3; 100 -3 5", arm=LEARN, side="above", neutral="1",
                means="factor on reward and noise"),
        finding("reward.sign", "true 0 2", arm=LEARN, neutral="false", ordered=False,
                means="pay only the sign of the reward"),
    )  # fmt: skip
    shown = [
        ("plain", 97, 1.0), ("delay=1", 96, 1.0), ("delay=2", 95, 1.1), ("delay=4", 90, 1.3),
        ("delay=8", 79, 1.8), ("reward_noise=0.1", 97, 1.0), ("reward_noise=0.5", 96, 1.1),
        ("reward_noise=1", 94, 1.2), ("reward_scale=0.1", 93, 1.2), ("reward_scale=0.01", 72, 2.0),
        ("reward_scale=10", 98, 0.9),
    ]  # fmt: skip
    return Exam(
        agent="dqn", task="toy/discrete", unit="seed", units=tuple(map(str, range(10))), budget=20_000,
        episodes=100, margin=MARGIN, coverage=0.95,
        headline=Headline(Interval(97.0, 96.0, 98.0), Interval(0.97, 0.96, 0.98), RANDOM, OPTIMUM, *SCALE),
        findings=findings,
        not_asked=(NotAsked(("diameter", "irrelevant_features"), "other spaces (`--retrain` trains there)"),
                   NotAsked(("mdp_seed",), "another MDP, not another version of this one")),
        curves=tuple(curve for label, top, slow in shown for curve in curves(label, 10, top, slow)),
        config={"learning_rate": 0.001, "discount": 0.99, "batch": 64, "explore": "1.0 to 0.05"},
        command="assay examine dqn toy/discrete --seeds 10", folder="runs/dqn-toy-discrete-3f9a",
        created=1_752_000_000.0,
        versions={"assay": "0.1.0", "jax": "0.10.2", "numpy": "2.3.1", "python": "3.11.2"},
        source_digest="3f9ac1d2e8b7", jobs=140, wall_s=97.0, cpu_s=181.0,
        power="`assay power` says 64 would see 5%",
    )  # fmt: skip


def minimal():
    """One axis, one level, one seed, nothing else known."""
    only = finding("action.sticky", [("0.25", -0.05, math.inf)])
    return Exam("dqn", "toy/discrete", "seed", ("0",), 1000, 1, MARGIN, 0.95,
                Headline(BOUNDLESS, None, RANDOM, None, *SCALE), (only,))  # fmt: skip


def empty():
    """Nothing was asked."""
    return Exam("dqn", "toy/discrete", "seed", ("0", "1"), 1000, 1, MARGIN, 0.95,
                Headline(Interval(PLAIN, 96.0, 98.0), None, RANDOM, None, *SCALE), ())  # fmt: skip


def hostile():
    """Forty findings, two hundred levels, infinite, NaN, far outside, long, and markup in every name."""
    evil = '<script>alert("x")</script>&amp;"\'`|*_'
    long = "a_very_long_axis_name_that_goes_on_and_on.and_has.no_place_to_break_whatsoever_at_all"
    far = [("1", -3.0, 0.4), ("2", 5.0, 0.5), ("3", -0.2, math.inf), ("4", -1e9, 1e8)]
    none = [LevelFinding(text, "toy/discrete", UNKNOWN, 12.0, (12.0,)) for text in ("1", "2")]
    nothing = "plain play cannot be told from random play, so there is nothing to lose"
    undecided = AxisFinding(CARRY, "undecidable", "", ("action",), evil, "0", True, CANNOT_TELL, "", UNKNOWN,
                            nothing, math.inf, tuple(none))  # fmt: skip
    silent = LevelFinding(evil, evil, UNKNOWN, math.nan, (), math.nan, math.inf)
    unscored = AxisFinding(LEARN, evil, "", (), evil, evil, True, CANNOT_TELL, "", UNKNOWN, evil, math.inf,
                           (silent,))  # fmt: skip
    many = [
        finding(f"family.axis_number_{place}", [(f"{dose / 10:g}", -0.03 * dose * (place % 4) - 0.01, 0.04)
                                                for dose in range(1, 6)], means="one of many")
        for place in range(32)
    ]  # fmt: skip
    findings = (
        finding(evil, [(evil, -0.5, 0.1)], means=evil, whose=mine(evil), neutral=evil),
        finding(long, "0.000001 -30 2; 1000000 -60 2", means=long * 3, whose=mine(long, sure=False)),
        finding("far", far),
        finding("far", [("-1", -4.0, 0.1)], side="below"),
        finding("dense", [(f"{dose}", -dose / 30, 0.05) for dose in range(1, 25)], whose=both()),
        *(finding("transition_function", [(LONG_LEVEL[: 40 + 9 * place], -0.2 * place, 0.05)],
                  side=LONG_LEVEL, neutral="generated", ordered=False) for place in range(4)),
        undecided,
        unscored,
        *many,
    )  # fmt: skip
    lines = [*curves("plain", 3, 90), LearningCurve(3, "plain", (100, 200, 300), (math.nan, 5.0, math.nan)),
             LearningCurve(0, evil, (0,), (1e12,)), LearningCurve(0, "nothing", (1, 2), (math.nan, math.nan)),
             *curves(long, 12, 40, points=3000)]  # fmt: skip
    return Exam(
        agent=evil, task=f"toy/{long}+{long}=1", unit="seed", units=tuple(map(str, range(12))), budget=10**9,
        episodes=1, margin=0.1, coverage=0.95,
        headline=Headline(BOUNDLESS, None, RANDOM, OPTIMUM, *SCALE), findings=findings,
        not_asked=(NotAsked(tuple(f"axis_{n}" for n in range(30)), evil), NotAsked((long, evil), long)),
        curves=tuple(lines), failed=(evil, f"job {long}\x1b[31m\nTraceback: out of memory"),
        config={evil: evil, "layers": [64] * 40, "nan": math.nan}, command=f"assay examine {evil} {long}",
        folder="/tmp/" + long, created=1_752_000_000.0, versions={evil: evil}, source_digest="f" * 64,
        jobs=10**6, wall_s=math.inf, cpu_s=1e9, power=evil,
    )  # fmt: skip


def given():
    """One agent, examined over its episodes, on a task whose optimum nobody knows."""
    findings = (
        finding("action.sticky", [("0.1", -0.06, 0.09), ("0.25", -0.4, 0.1)], means="chance of a repeat"),
        finding(
            "lazy_enemy", [("true", -0.62, 0.12)], neutral="false", ordered=False, means="it stands still"
        ),
    )
    return Exam("mine:act", "atari/Breakout", "episode", tuple(map(str, range(30))), 0, 30, MARGIN, 0.95,
                Headline(Interval(212.4, 200.2, 221.0), None, RANDOM, None, *SCALE), findings)  # fmt: skip


SAMPLES = {"rich": rich, "minimal": minimal, "empty": empty, "hostile": hostile, "given": given}
