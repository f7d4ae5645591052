"""Somebody else's package that adds to the catalogue: one env that keeps the laws, and axes that do not.

A third family, `lamps.py`, is named by an entry point of its own.

Each wrong axis breaks its declaration in its own way; `tests/proof` asks that `assay check` catches all.
"""

from dataclasses import dataclass

from assay.catalogue import AgentEntry, Entries
from assay.core.axis import Axis, axes, axis
from assay.core.family import EnvEntry, Family
from assay.suites.suite import Pair, Suite


def wrong(declared: str, means: str):
    """A field that says it touches `declared`; the env's functions read it elsewhere."""
    return axis(declared, 0.0, low=0, high=1, levels=(1.0,), means=means, origin="test")


@dataclass(frozen=True)
class Corridor:
    """Walk right to the door."""

    slip: float = axis(
        "transition", 0.0, low=0, high=1, levels=(0.1, 0.5), means="moves the other way", origin="test"
    )
    horizon: int = axis("terminal", 20, low=1, levels=(10, 40), means="steps of an episode", origin="test")
    wrong_initial: float = wrong("transition", "starts elsewhere, which is the initial component")
    wrong_action: float = wrong("observation", "turns actions round, which is the action component")
    wrong_transition: float = wrong(
        "observation", "moves once in 250 steps, which is the transition component"
    )
    wrong_reward: float = wrong(
        "observation", "pays more on an episode's last step, which is the reward component"
    )
    wrong_observation: float = wrong("reward", "shows another cell, which is the observation component")
    wrong_terminal: float = wrong("transition", "ends at another cell, which is the terminal component")
    too_much: float = axis("observation reward", 0.0, low=0, high=1, levels=(1.0,),
                           means="shows another cell only", origin="test")  # fmt: skip
    nothing: float = wrong("observation", "does nothing")


def record_axis(name: str, components: str) -> Axis:
    return Axis(name, tuple(components.split()), "dose", float, 0.0, (1.0,), means=name, origin="test",
                acts=f"assay_outside.corridor:{name.upper()}")  # fmt: skip


CORRIDOR = EnvEntry(
    "outside/corridor",
    native=True,
    means="walk right to the door",
    origin="test",
    build="assay_outside.corridor:build",
    params=Corridor,
    axes=axes(Corridor)
    + (
        record_axis("after_a_reset", "observation"),
        record_axis("foreign_stream", "transition"),
        record_axis("not_neutral", "reward"),
        record_axis("global_chance", "reward"),
        record_axis("own_key", "reward"),
        record_axis("own_table", "reward"),
        record_axis("long_after", "reward"),
        record_axis("unfelt_start", "initial"),
    ),
)


def leaky_axis(name: str, component: str) -> Axis:
    return Axis(name, (component,), "dose", float, 0.0, (0.5,), means=name, origin="test",
                acts=f"assay_outside.leaky:{name.upper()}")  # fmt: skip


LEAKY = EnvEntry(
    "leaky/array", native=False, means="hands out its own state array", origin="test",
    build="assay_outside.leaky:build", axes=(
        Axis("in_place", ("observation",), "dose", float, 0.0, (0.5,), means="scales in place", origin="test",
             acts="assay_outside.leaky:IN_PLACE"),
        Axis("counts_resets", ("reward",), "dose", float, 0.0, (1.0,),
             means="dims the picture from the third reset on", origin="test",
             acts="assay_outside.leaky:COUNTS_RESETS"),
        *(leaky_axis(name, "reward") for name in (
            "into_info", "own_noise", "own_drops", "ignores_its_draw", "late", "very_late")),
        leaky_axis("repaints", "observation"),
    ),
)  # fmt: skip

OUTSIDE = Family("outside", envs=(CORRIDOR,), checker="assay.proof.native:CHECKER", cost="compiled")
HOSTED = Family("leaky", envs=(LEAKY,), checker="assay.proof.hosted:CHECKER", cost="light")

ENTRIES = Entries(
    families=(OUTSIDE, HOSTED),
    suites=(Suite("outside/slippery", 1, "Does it hold on ice?",
                  (Pair("outside/corridor", "outside/corridor+slip=0.5"),), seeds=(0, 1), episodes=10),),
    agents=(AgentEntry("outside-right", "assay_outside.corridor:always_right", "walks right"),),
)  # fmt: skip
