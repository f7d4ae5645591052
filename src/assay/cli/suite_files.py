"""The suite that a user names: one of ours, one in a YAML file, or an experiment file of MDP Playground."""

from __future__ import annotations

from pathlib import Path

from assay.catalogue import suite as named
from assay.cli.output import tell
from assay.suites.find import is_file, read
from assay.suites.suite import Suite

EXPERIMENTS = ".py"
# Reasons that lose nothing of an experiment, so nobody has to read them before a run.
NO_LOSS = ("no effect", "about the machine", "it changes nothing")


def is_suite_file(text: str) -> bool:
    return is_file(text) or text.endswith(EXPERIMENTS)


def suite_at(text: str) -> Suite:
    """The suite; of an experiment file, what nothing here stands for is told."""
    if not text.endswith(EXPERIMENTS):
        return read(Path(text)) if is_file(text) else named(text)
    from assay.interop.experiments.experiment import from_playground_experiment

    experiment = from_playground_experiment(text)
    for key, why in experiment.dropped.items():
        if not why.startswith(NO_LOSS):
            tell(f"{key} of {text} is left out: {why}")
    return experiment.suite
