"""Small jobs and results, the same for the same number."""

import numpy as np

from assay.results import Cost, Curve, Episode, Job

EPISODES = 3


def job(number: int = 0, **changes) -> Job:
    identity = {
        "suite": "examine",
        "version": 1,
        "pair": "delay",
        "train_task": "toy/discrete",
        "eval_task": "toy/discrete+delay=4",
        "agent": "dqn",
        "config": {"learning_rate": 0.001, "layers": [256, 256]},
        "seed": number,
        "budget": 20_000,
        "source_digest": "0" * 32,
    }
    return Job.planned(**(identity | changes))


def result(of: Job) -> dict:
    """What a job of this seed leaves, as the arguments of `finish`."""
    draws = np.random.default_rng(of.seed)
    episodes = [
        Episode(
            job=of.id,
            task=of.eval_task,
            arm="carry",
            axis="delay",
            level="4",
            world_seed=of.seed,
            episode=number,
            steps=int(draws.integers(1, 100)),
            return_=draws.normal(),
            score=draws.normal(),
            terminated=bool(number % 2),
            truncated=not number % 2,
            extra={"lives": number, "route": [1.5, "left"]},
        )
        for number in range(EPISODES)
    ]
    points = [(0, np.nan), *((step, draws.normal()) for step in (1000, 2000))]
    curves = [Curve(job=of.id, step=step, name="score", value=value) for step, value in points]
    weights = {"layers/0": draws.normal(size=(4, 4)).astype(np.float32)}
    return {"episodes": episodes, "curves": curves, "weights": weights, "cost": Cost(1.5, 1.25, None)}
