"""Records the plans of TVM's USMP algorithms, one JSON object a line.

    pip install hhb-tvm==3.2.3 "numpy<2" "ml-dtypes<0.5" decorator attrs psutil scipy cloudpickle typing_extensions tornado
    python record_tvm.py ../../datasets/tables/*.csv > tvm.jsonl

hhb-tvm is a build of TVM 0.16.dev0; apache-tvm's own packages no longer hold
USMP. The first line gives the versions, each other one a table: alignment, rows
[size, lower, upper), and by algorithm the offsets. Row i is named "b" and i: the
name decides ties. Tables come from the files given and from seeds. The conflicts
of a row are handed over by row, and the peak of live bytes as the memory
pressure, at which the hill climb stops.
"""
import csv, json, random, sys
from importlib.metadata import version
import tvm
from tvm.ir.memory_pools import WorkspacePoolInfo
from tvm.tir.usmp.utils import BufferInfo

ALGORITHMS = {"size": "greedy_by_size", "conflicts": "greedy_by_conflicts", "climb": "hill_climb"}
# Tables in which it shows that the hill climb takes a swap back a second time
# after an attempt that swapped nothing; one in ten thousand.
TWICE = [
    [[213, 3, 4], [184, 6, 10], [87, 11, 14], [119, 4, 5], [80, 0, 1], [253, 8, 10], [181, 3, 8], [146, 11, 14]],
    [[276, 11, 14], [232, 9, 12], [288, 12, 13], [105, 14, 16], [8, 9, 10], [300, 10, 11], [42, 14, 17], [64, 17, 19]],
]
POOL = WorkspacePoolInfo("pool", [tvm.target.Target("c")])


def plan(algorithm, align, rows):
    bufs = [BufferInfo(f"b{i}", size, [POOL], align) for i, (size, _, _) in enumerate(rows)]
    for b, (_, lower, upper) in zip(bufs, rows):
        b.set_conflicts([c for c, r in zip(bufs, rows) if c is not b and r[1] < upper and lower < r[2]])
    peak = max(sum(s for s, lo, hi in rows if lo <= r[1] < hi) for r in rows)
    f = tvm.get_global_func("tir.usmp.algo." + algorithm)
    return {b.name_hint: int(p.byte_offset) for b, p in f(bufs, peak).items()}


def record(align, rows):
    line = {"align": align, "rows": rows}
    for key, algorithm in ALGORITHMS.items():
        at = plan(algorithm, align, rows)
        line[key] = [at[f"b{i}"] for i in range(len(rows))]
    print(json.dumps(line, separators=(",", ":")), flush=True)


def read(path):
    with open(path) as f:
        table = csv.DictReader(line for line in f if not line.startswith("#"))
        return [[int(r["size"]), int(r["lower"]), int(r["upper"])] for r in table]


print(json.dumps({"hhb-tvm": version("hhb-tvm"), "tvm": tvm.__version__}))
for path in sys.argv[1:]:
    record(1, read(path))
for rows in TWICE:
    record(16, rows)
rng = random.Random(11)
for i in range(60):
    n = rng.choice([1, 2, 3, 12, 30, 45, 60, 75])
    span = rng.choice([6, 12, 40])
    top = rng.choice([3, 20, 300, 5000])
    rows = []
    for _ in range(n):
        lower = rng.randrange(span)
        rows.append([rng.randint(1, top), lower, lower + 1 + rng.randrange(rng.choice([2, 5, span]))])
    record(rng.choice([1, 1, 16, 64]), rows)
