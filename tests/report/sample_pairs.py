"""Made-up experiments: a dose of five levels, a map of seven by seven, one of hostile names, the smallest."""

import math

import numpy as np

from assay.analysis.exam import LearningCurve
from assay.analysis.experiment import Experiment, maps
from assay.analysis.pairs import PairFinding
from assay.stats.aggregate import Interval

STEPS = tuple(range(1000, 21_000, 1000))


def around(values, boundless=False):
    middle, half = float(np.mean(values)), 2.2 * float(np.std(values)) / math.sqrt(len(values))
    ends = (-math.inf, math.inf) if boundless else (middle - half, middle + half)
    return Interval(middle, *ends)


def finding(train, point, label, score, seeds=10, evaluate=None, rollout=False, boundless=False):
    rng = np.random.default_rng(len(label))
    units = {"trained": score + rng.normal(0, 3, seeds), "area": 0.6 * score + rng.normal(0, 4, seeds),
             "area_length": 60 + rng.normal(0, 5, seeds)}  # fmt: skip
    units["evaluated"] = units["trained"] + (8 if evaluate else 0)
    units["share"], units["regret"] = units["evaluated"] / 100, 100 - units["evaluated"]
    units["area_share"] = units["area"] / 100
    if evaluate:
        units["gap"] = units["evaluated"] - units["trained"]
    if rollout:
        units["rollout"] = units["area"] + 7
    told = {name: around(values, boundless) for name, values in units.items()}
    told = {"gap": None} | told
    return PairFinding(
        train, evaluate or train, seeds, **told, point=point, label=label,
        units={name: tuple(map(float, values)) for name, values in units.items()},
        seed_numbers=tuple(range(seeds)),
    )  # fmt: skip


def curves(found, seeds=10):
    rng = np.random.default_rng(0)
    return tuple(
        LearningCurve(seed, each.label, STEPS, tuple(
            math.nan if step == 1000 else each.trained.value * (1 - math.exp(-step / 6000)) + rng.normal(0, 4)
            for step in STEPS
        ))
        for each in found
        for seed in range(seeds)
    )  # fmt: skip


def experiment(found, **more):
    told = {
        "agent": "dqn", "name": "playground/delay",
        "asks": "how much harder is learning when rewards come late?",
        "seeds": tuple(range(10)), "budget": 20_000, "episodes": 10, "own_mdp": True,
        "intervals": "means; BCa bootstrap, 99.5% each: 10 comparisons share the error", "compat": "",
        "findings": tuple(found), "curves": curves(found),
        "command": "assay run playground/delay --agent dqn",
        "folder": "runs/dqn-playground-delay-1a2b3c", "created": 1.79e9, "jobs": 50, "wall_s": 700.0,
        "cpu_s": 900.0, "versions": {"python": "3.11.7", "jax": "0.10.2"}, "source_digest": "0" * 32,
        "config": {"steps": 20_000, "hidden": [256, 256]},
    }  # fmt: skip
    return Experiment(**(told | more))


def dose():
    levels = zip((0, 1, 2, 4, 8), (97.0, 80.0, 55.0, 30.0, 12.0))
    found = [
        finding(f"toy/discrete+delay={level}", {"delay": level}, f"delay={level}", score,
                evaluate="toy/discrete", rollout=True)
        for level, score in levels
    ]  # fmt: skip
    return experiment(found, compat="as in MDP Playground")


def over_two():
    levels = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
    found = [
        finding(f"toy/continuous+target_radius=0.5+action_space_max={a}+time_unit={b}",
                {"action_space_max": a, "time_unit": b}, f"action_space_max={a:g}, time_unit={b:g}",
                -40.0 * abs(math.log(a * b)) - 12.0)
        for a in levels for b in levels
    ]  # fmt: skip
    points = [each.point for each in found]
    missing = [each for each in found if each.label != "action_space_max=8, time_unit=8"]
    name, asks = "playground/action-space-max-by-time-unit", "do large actions make up for short ones?"
    return experiment(missing, name=name, maps=tuple(maps(missing, points)), asks=asks)


def hostile():
    name = "<script>alert(1)</script>&\"'\n" + "x" * 90
    found = [finding(f"toy/discrete+{name}", {name: "a|b"}, f"{name}=a|b", 1e7, boundless=True),
             finding("toy/discrete", {name: 0}, f"{name}=0", -0.0001)]  # fmt: skip
    return experiment(found, agent=name, name=name, asks=name, failed=(f"{name} raised an error",),
                      command=f"assay run {name}", curves=())  # fmt: skip


def nothing():
    return experiment([], curves=(), jobs=0, seeds=(0,), budget=0, asks="", created=0.0)


PAIR_SAMPLES = {"dose": dose, "over_two": over_two, "hostile pairs": hostile, "nothing": nothing}
