"""A Ray cluster of two nodes of this machine, until stdin ends; prints its address.

A line on stdin adds a node, with the PYTHONPATH that it has if any, and prints it again.
"""

import os
import sys

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
from ray.cluster_utils import Cluster  # noqa: E402

NODE = {"num_cpus": 1, "memory": 3 << 30, "object_store_memory": 1 << 27}

if __name__ == "__main__":
    cluster = Cluster(True, head_node_args={**NODE, "include_dashboard": False})
    cluster.add_node(**NODE)
    print(cluster.address, flush=True)
    for line in sys.stdin:
        cluster.add_node(**NODE, env_vars={"PYTHONPATH": line.strip()} if line.strip() else None)
        print(cluster.address, flush=True)
    cluster.shutdown()
