"""Records the plans of PyTorch Inductor's memory planner, one JSON object a line.

    pip install torch==2.15.0
    python record_inductor.py ../../datasets/tables/*.csv > inductor.jsonl

The first line gives the version, each other one a table: rows [size, lower,
upper), and the offsets and the size of the pool. Tables come from the files
given and from seeds. The planner itself sorts the rows and puts them into a
pool; it is handed buffers of static sizes, all of which may share one pool
(memory_pool="combined"). It rounds to 64 bytes whatever a buffer holds.
"""
import csv, json, random, sys
from types import SimpleNamespace

import sympy, torch
from torch._inductor import config
from torch._inductor.codegen.memory_planning import BufferGroup, MemoryPlanner
from torch._inductor.virtualized import V


class Node:
    """What the planner wants of a buffer of so many bytes."""

    def __init__(self, name, size):
        self.name, self.bytes, self.size = name, sympy.Integer(size), []

    def get_name(self):
        return self.name

    def get_layout(self):
        return self

    def storage_size(self):
        return self.bytes

    def get_dtype(self):
        return torch.uint8

    def get_device(self):
        return torch.device("cpu")


def record(rows):
    groups = []
    for i, (size, lower, upper) in enumerate(rows):
        group = BufferGroup(Node(f"b{i}", size))
        group.update_usage(lower)
        group.update_usage(upper)
        groups.append(group)
    planner = MemoryPlanner(wrapper=None, buffer_groups=groups)
    sizes = SimpleNamespace(optimization_hint=lambda n, fallback: int(n))
    with config.patch(memory_pool="combined"), V.set_graph_handler(SimpleNamespace(sizevars=sizes)):
        planner.allocate_groups()
    (pools,) = planner.pools.device_to_pools.values()
    (pool,) = pools
    print(json.dumps({
        "rows": rows,
        "arena": int(pool.root.get_symbolic_size()),
        "offsets": [int(g.allocation.offset) for g in groups],
    }, separators=(",", ":")), flush=True)


def read(path):
    with open(path) as f:
        table = csv.DictReader(line for line in f if not line.startswith("#"))
        return [[int(r["size"]), int(r["lower"]), int(r["upper"])] for r in table]


sys.setrecursionlimit(10**5)
print(json.dumps({"torch": torch.__version__}))
for path in sys.argv[1:]:
    record(read(path))
rng = random.Random(13)
for i in range(60):
    n = rng.choice([1, 2, 5, 12, 30, 60, 100])
    span = rng.choice([4, 12, 40])
    top = rng.choice([3, 20, 300, 5000])
    unit = rng.choice([1, 1, 64])
    rows = []
    for _ in range(n):
        lower = rng.randrange(span)
        rows.append([unit * rng.randint(1, top), lower, lower + 1 + rng.randrange(rng.choice([2, 5, span]))])
    record(rows)
