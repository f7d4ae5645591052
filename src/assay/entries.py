"""What a package adds to the catalogue: families, variations, suites and agents. Loads without jax."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from assay.core.axis import Axis
from assay.core.family import EnvEntry, Family
from assay.suites.suite import Suite


@dataclass(frozen=True)
class AgentEntry:
    """An agent by name; `code` is "module:attribute" of an `agents.agent.Agent`."""

    name: str
    code: str
    means: str
    origin: str = ""


@dataclass(frozen=True)
class Entries:
    """What a package adds to the catalogue."""

    families: tuple[Family, ...] = ()
    variations: tuple[Axis, ...] = ()
    suites: tuple[Suite, ...] = ()
    agents: tuple[AgentEntry, ...] = ()

    @cached_property
    def envs(self) -> tuple[EnvEntry, ...]:
        """The envs of all families, in order."""
        return tuple(entry for family in self.families for entry in family.envs)

    @cached_property
    def axes_by_env(self) -> dict[str, tuple[Axis, ...]]:
        """The axes that `variations` looked up so far: a plan asks for them a thousand times."""
        return {}
