"""A cluster of Ray on this machine, in a process of its own.

    python -m assay.runs.cluster_head FOLDER CPUS BYTES

Prints the address of the cluster. When its standard input ends, as it does when the parent process is killed,
the cluster is stopped and its folder removed. Ray starts its processes by a fork that runs Python, which is
not safe in a process with jax's threads; this one has none.
"""

from __future__ import annotations

import logging
import shutil
import sys


def main(folder: str, cpus: int, object_bytes: int) -> None:
    import ray

    try:
        ray.init(
            num_cpus=cpus, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR,
            object_store_memory=object_bytes, _node_ip_address="127.0.0.1", _temp_dir=folder,
        )  # fmt: skip
        print(ray.get_runtime_context().gcs_address, flush=True)
        sys.stdin.read()
    finally:
        ray.shutdown()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
