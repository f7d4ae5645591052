"""What docs/results/stori.md says of benchmarks/stori/chances.json: frequencies, the torch, switches."""

from __future__ import annotations

import numpy as np
from stori_tables import GAMES, NONE, Kept, table

WILSON, ROUNDING = 1.96, 1e-9


def wilson(count: int, of: int) -> tuple[float, float]:
    share, square = count / of, WILSON**2
    middle = (share + square / 2 / of) / (1 + square / of)
    half = WILSON / (1 + square / of) * np.sqrt(share * (1 - share) / of + square / 4 / of**2)
    return max(0.0, middle - half), min(1.0, middle + half)


def holds(rate: Kept) -> bool:
    """Whether the interval of what was measured holds what is expected."""
    low, high = wilson(rate["count"], rate["of"]) if rate["of"] else (0.0, 1.0)
    return bool(low - ROUNDING <= rate["expected"] <= high + ROUNDING)


def chances_text(kept: Kept) -> str:
    rows, off = [], []
    for each in kept["rates"]:
        low, high = wilson(each["count"], each["of"]) if each["of"] else (0.0, 1.0)
        inside = holds(each)
        off += [] if inside else [f"{each['game']}, {each['what']}"]
        share = f"{each['count'] / each['of']:.4g}" if each["of"] else NONE
        rows.append([each["game"], each["what"], f"{each['asked']:g}", f"{each['expected']:.4g}",
                     f"{share} [{low:.4g}, {high:.4g}]", f"{each['count']:,} of {each['of']:,}",
                     "yes" if inside else "no"])  # fmt: skip
    heads = ["game", "what", "asked", "expected", "measured, 95%", "counts", "inside"]
    judged = f"{len(rows) - len(off)} of {len(rows)} intervals hold what is expected "
    judged += "(of 95% intervals about one in twenty does not)."
    judged += f" Outside: {'; '.join(off)}." if off else ""
    others = (torch_text(kept), switch_text(kept), alone_text(kept), ball_text(kept))
    return "\n\n".join(filter(None, [judged, table(heads, rows), *others]))


def torch_text(kept: Kept) -> str:
    rows = [
        [f"`{name}`", str(each["radius"]), *(f"{each[what]:.3f}" for what in ("mean", "sd", "min", "max")),
         "yes" if each["pictures_agree"] else "no"]
        for name, each in kept["torch"].items()
    ]  # fmt: skip
    rows.append(["STORI's own, measured", "75", "0.355", "0.098", "0.138", "0.526", NONE])
    heads = ["picture", "radius", "seen: mean", "sd", "least", "most", "all pictures as told"]
    return "The share of the picture that the torch leaves:\n\n" + table(heads, rows)


def switch_text(kept: Kept) -> str:
    rows = [
        [each["game"], f"`{GAMES[each['game']]['2.2'].variation}`",
         ", ".join(f"{'on' if concept else 'off'} at {step:,}" for step, concept in each["switches"])]
        for each in kept["switches"]
    ]  # fmt: skip
    return "The steps at which the concept of 2.2 changed:\n\n" + table(["game", "asked", "changes"], rows)


def alone_text(kept: Kept) -> str:
    told = []
    for each in kept["left_alone"]:
        wrong = f", but not under {', '.join(each['differing'])}" if each["differing"] else ""
        told.append(f"{each['game']} {each['modes']} modes, {each['steps']} steps each{wrong}")
    right = not any(each["differing"] for each in kept["left_alone"])
    verdict = "are those of the plain game, bit for bit" if right else "are compared with the plain game"
    under = "Under every mode of type 3.2, at chance 1 and the same actions, memory, rewards and endings"
    return f"{under} {verdict}: {'; '.join(told)}."


def ball_text(kept: Kept) -> str:
    found = kept["hide_ball"]
    if not found["decoys"]:
        return ""
    return (
        f"`hide_ball` has a fault: of {found['fired']} steps on which FIRE was pressed while the ball was in "
        f"play, {found['decoys']} showed another ball, newly served. Its picture is that of the frame played "
        "again without a ball, in which FIRE serves one. No preset of the experiment uses it."
    )
