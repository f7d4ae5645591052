"""The one key of `info` that is reserved: what a task reports of an episode's events, and nothing else."""

EVENTS = "events"
