"""Records the plans of Arm's Vela on lifetime tables, one JSON object a line.

    pip install ethos-u-vela==5.2.0
    python record_vela.py ../../datasets/tables/*.csv > vela.jsonl

Each line holds a table, (first, last, size) a row with closed lives, and what
Vela's three allocators make of it: the arena and the offset of each row. Tables
come from the files given and from seeds. All rows have the alignment of the
line. The hill climb is given no memory limit to meet,
except where "limit" is set.
"""

import csv
import importlib.metadata
import json
import random
import sys

from ethosu.vela import greedy_allocation, hillclimb_allocation
from ethosu.vela.live_range import LiveRange
from ethosu.vela.tensor_allocation import linear_allocate_live_ranges

NO_LIMIT = 1 << 62


class Tensor:
    """What the allocators want of a tensor."""

    weight_compression_config = None
    purpose = None
    ops = consumer_list = ()

    def __init__(self, name, size):
        self.name, self.size, self.mem_area, self.address = name, size, None, None

    def storage_size(self):
        return self.size


class Graph:
    def __init__(self, rows, align):
        self.lrs, self.ranges = [], {}
        for i, (first, last, size) in enumerate(rows):
            tensor = Tensor(f"b{i}", size)
            lr = LiveRange(tensor, align)
            lr.start_time, lr.end_time = first, last
            self.lrs.append(lr)
            self.ranges[tensor] = lr

    def offsets(self):
        return [lr.tensors[0].address for lr in self.lrs]


def plan(rows, offsets):
    return {"arena": max(o + size for o, (_, _, size) in zip(offsets, rows)), "offsets": offsets}


def record(name, rows, align, limit=None):
    graph = Graph(rows, align)
    # Neither the purpose nor the compression of these tensors is ever equal.
    linear_allocate_live_ranges(graph, align)
    linear = plan(rows, graph.offsets())
    graph = Graph(rows, align)
    greedy_allocation.allocate_live_ranges(graph, align)
    greedy = plan(rows, graph.offsets())
    graph = Graph(rows, align)
    climb = plan(rows, hillclimb_allocation.allocate_live_ranges(graph.lrs, None, limit or NO_LIMIT))
    line = {"name": name, "align": align, "rows": rows, "linear": linear, "greedy": greedy, "climb": climb}
    if limit:
        line["limit"] = limit
    print(json.dumps(line, separators=(",", ":")))


def read(file):
    with open(file) as f:
        lines = [line for line in f if not line.startswith("#")]
    rows = []
    for row in csv.DictReader(lines):
        rows.append((int(row["lower"]), int(row["upper"]) - 1, int(row["size"])))
    return rows


def draw(rng, n, steps, life, sizes):
    rows = []
    for _ in range(n):
        first = rng.randrange(steps)
        rows.append((first, first + rng.randrange(life), sizes(rng)))
    return rows


def main():
    versions = {"ethos-u-vela": importlib.metadata.version("ethos-u-vela"), "python": sys.version.split()[0]}
    print(json.dumps({"versions": versions}))
    for file in sys.argv[1:]:
        record(file.rsplit("/", 1)[-1], read(file), 16)
    rng = random.Random(20)
    small = lambda r: r.randrange(1, 40)
    wide = lambda r: r.randrange(1, 64) << r.randrange(10)
    for k in range(40):
        n = rng.randrange(1, 25)
        record(f"small {k}", draw(rng, n, 1 + n, 1 + rng.randrange(n), small), rng.choice([1, 4, 16]))
    for k in range(20):
        n = rng.randrange(30, 90)
        record(f"wide {k}", draw(rng, n, n // 2, 2 + rng.randrange(n // 3), wide), rng.choice([1, 16, 64]))
    for k in range(4):
        rows = draw(rng, 30, 15, 8, wide)
        load = max(sum(z for a, b, z in rows if a <= t <= b) for t in range(30))
        record(f"limit {k}", rows, 1, load)


main()
