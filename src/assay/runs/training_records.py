"""The records of a training of an agent of ours: its weights by name, and its learning curves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax
import numpy as np
import pyarrow as pa

from assay.agents.tally import Report
from assay.core.streams import digest_number
from assay.errors import AssayError
from assay.plans.job_plan import Try, job_plan
from assay.plans.pair_jobs import rollout_name
from assay.plans.plan import Weights
from assay.results import Job, open_run


def roll_out(
    job: Job, measured: bool, means_of: Callable[[Try], Mapping[str, np.ndarray]]
) -> dict[str, np.ndarray]:
    """Means over the episodes of every report's policy in the tasks of the job, (reports,) each.

    `means_of` plays all policies in one task. If the env has no measures and there is one task to evaluate
    on, these are the scores and lengths there.
    """
    todo = job_plan(job)
    if not todo.rollouts:
        return {}
    rows = todo.tries
    if not measured and len(rows) <= 2:
        means = means_of(rows[-1])
        return {"rollout": means["score"], "rollout_length": means["length"]}
    return {
        rollout_name(number, measure): values
        for number, each in enumerate(rows)
        for measure, values in means_of(each).items()
    }


def rollout_seed(seed: int) -> int:
    """The seed of the rollouts, apart from that of the evaluation at the end."""
    return digest_number(seed, "rollouts") % 2**63


def curve_rows(reports: Report, more: Mapping[str, np.ndarray]) -> pa.Table | None:
    """A lane's reports, and further measures at each, as the curve table without its column `job`."""
    steps = np.asarray(reports.step, np.int64)
    if not steps.size:
        return None
    curves = {name: values for name, values in reports._asdict().items() if name != "step"} | dict(more)
    curves = {"return" if name == "paid" else name: values for name, values in curves.items()}
    names, values = list(curves), [np.asarray(each, np.float64) for each in curves.values()]
    return pa.table({
        "step": np.tile(steps, len(names)),
        "name": np.repeat(names, steps.size).tolist(),
        "value": np.concatenate(values),
    })  # fmt: skip


def named_arrays(params: Any) -> dict[str, np.ndarray]:
    """The leaves of a pytree by their paths."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(params)
    return {path_name(path): np.asarray(leaf) for path, leaf in leaves}


def path_name(path: Any) -> str:
    return jax.tree_util.keystr(path, simple=True, separator=".") or "params"


def require_finite(job: Job, weights: dict[str, np.ndarray]) -> None:
    bad = [name for name, array in weights.items() if not np.isfinite(array).all()]
    if bad:
        raise AssayError(
            f"{job.agent} trained on {job.train_task} with seed {job.seed} has weights that are not finite "
            f"({bad[0]}); lower its learning rate, or look at the rewards."
        )


def stored_params(job: Job, weights: Weights, shapes: Any) -> Any:
    """The params that an earlier run trained, of these shapes."""
    with open_run(weights.folder) as run:
        arrays = run.weights(weights.job).arrays
    return restore_params(job, weights.folder, shapes, arrays)


def restore_params(job: Job, folder: str, shapes: Any, arrays: dict[str, np.ndarray]) -> Any:
    """Params from their arrays; refuses arrays that are not those of the agent."""
    wanted, structure = jax.tree_util.tree_flatten_with_path(shapes)
    names = [path_name(path) for path, _ in wanted]
    fits = set(names) == set(arrays) and all(arrays[n].shape == s.shape for n, (_, s) in zip(names, wanted))
    if not fits:
        raise AssayError(f"the weights in {folder} are not those of {job.agent} with these settings.")
    return jax.tree_util.tree_unflatten(structure, [arrays[name] for name in names])
