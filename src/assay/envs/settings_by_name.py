"""Settings of an open family of native envs, in which each env has a record of its own. No jax here."""

from __future__ import annotations

from abc import ABC, abstractmethod


class SettingsByName(ABC):
    """The settings of `family/*`; the catalogue asks for those of an env by its name."""

    @classmethod
    @abstractmethod
    def of_env(cls, name: str) -> type:
        """The settings of the env called `name`, or UnknownName."""
