#!/usr/bin/env python3
"""Record reductions, operators that gather and fill, and images of another size,
as the reference kernels of the real runtime compute them, and as its default
kernels do where that differs.

    pip install ai-edge-litert flatbuffers numpy
    python record_rest.py > rest.json

Cases are drawn with a fixed seed. Each is a model of one operator; numbers are
written as the bytes, in base64, of tensors. A case that the runtime refuses is
left out.
"""

import importlib.metadata
import json
import sys

import numpy as np
import record_moves as moves
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from record_conv import DTYPES, Operand, T, schema, text
from record_moves import B, data, ints, like

DTYPES[T.BOOL], DTYPES[T.COMPLEX64] = np.bool_, np.complex64
moves.RNG = RNG = np.random.default_rng(4711)
CASES = []


def run(model, inputs, outs, resolver):
    """What a runtime computes; sets the shapes of the results."""
    i = Interpreter(model_content=model, experimental_op_resolver_type=resolver, num_threads=1)
    i.allocate_tensors()
    for detail, o in zip(i.get_input_details(), [o for o in inputs if o.computed]):
        i.set_tensor(detail["index"], o.data)
    i.invoke()
    want = []
    for detail, o in zip(i.get_output_details(), outs):
        y = i.get_tensor(detail["index"])
        o.shape = [int(d) for d in y.shape]
        want.append(text(np.ascontiguousarray(y).tobytes()))
    return want


def case(code, options, fields, inputs, outs):
    """Record a case; fields are the values of the options by their number."""
    c = {"op": int(code), "fields": fields, "in": [o.json() for o in inputs]}
    try:
        model = moves.build(code, options, inputs, outs)
        c["want"] = run(model, inputs, outs, OpResolverType.BUILTIN_REF) if code != B.SEGMENT_SUM else []  # there is none
        if c["want"]:
            model = moves.build(code, options, inputs, outs)  # with the shapes, without which delegates decline
        single = run(model, inputs, outs, OpResolverType.AUTO)
    except (RuntimeError, ValueError) as e:
        print("left out:", code, fields, [o.json()["shape"] for o in inputs], str(e)[:150], file=sys.stderr)
        return
    if code == B.SUM and inputs[0].kind in (T.INT8, T.INT16):
        c["want"] = []  # this version's reference takes them for unsigned bytes: sources since then do not
    if single != c["want"]:
        c["single"] = single
    c["out"] = [o.json() for o in outs]
    CASES.append(c)


def scaled(kind, *shape):
    """A computed operand of integers with a scale of its own."""
    zero = {T.INT16: 0, T.UINT8: int(RNG.integers(0, 256)), T.INT8: int(RNG.integers(-128, 128))}.get(kind)
    return data(kind, *shape) if zero is None else data(kind, *shape, scale=RNG.uniform(0.01, 0.2), zero=zero)


def result(o, spread=1.0):
    """A result of the type of an operand, of another scale."""
    if not o.scale:
        return like(o)
    zero = 0 if o.kind == T.INT16 else int(RNG.integers(0, 100))
    return Operand(o.kind, [1], o.scale[0] * RNG.uniform(0.5, 1.5) * spread, zero)


def reductions():
    shapes = (((2, 3, 4, 5), (1, 2)), ((2, 3, 4, 5), (2, 1)), ((3, 7, 5), (1,)), ((3, 7, 5), (-1,)), ((4, 9), (0, 1)), ((2, 3, 4, 5), (3, 0)), ((2, 8, 1, 3), (1, 2)), ((65,), (0,)))
    for kind in (T.FLOAT32, T.INT8, T.UINT8, T.INT16, T.INT32, T.INT64):
        for n, (shape, axes) in enumerate(shapes):
            for keep in (n % 2,):
                o = schema.ReducerOptionsT()
                o.keepDims = bool(keep)
                x = scaled(kind, *shape)
                if kind in (T.INT32, T.INT64):
                    x.data = (x.data >> 20).astype(DTYPES[kind])
                count = np.prod([shape[a] for a in axes])
                case(B.MEAN, o, [["b", keep]], [x, ints(*axes)], [result(x, count**-0.5)])
                case(B.SUM, o, [["b", keep]], [x, ints(*axes)], [result(x, count**0.5)])
                for code in (B.REDUCE_MAX, B.REDUCE_MIN):
                    case(code, o, [["b", keep]], [x, ints(*axes)], [like(x)])
                if kind in (T.FLOAT32, T.INT32, T.INT64) and n % 2:
                    x.data = (x.data % 7).astype(DTYPES[kind])
                    case(B.REDUCE_PROD, o, [["b", keep]], [x, ints(*axes)], [like(x)])
                if kind in (T.INT8, T.INT16) and n % 2:
                    case(B.REDUCE_PROD, o, [["b", keep]], [x, ints(*axes)], [result(x)])
                if kind in (T.INT8, T.UINT8, T.INT16):  # the same scale on both sides
                    case(B.MEAN, o, [["b", keep]], [x, ints(*axes)], [like(x)])
                    case(B.SUM, o, [["b", keep]], [x, ints(*axes)], [like(x)])
    for shape, axes in shapes[:4]:
        o = schema.ReducerOptionsT()
        x = data(T.BOOL, *shape)
        x.data = RNG.integers(0, 8, shape) > 0
        case(B.REDUCE_ALL, o, [["b", 0]], [x, ints(*axes)], [like(x)])
        x = data(T.BOOL, *shape)
        x.data = RNG.integers(0, 8, shape) == 0
        case(B.REDUCE_ANY, o, [["b", 0]], [x, ints(*axes)], [like(x)])


def chosen(below, *shape, kind=T.INT32):
    """Indices."""
    o = Operand(kind, shape, data=RNG.integers(0, below, shape).astype(DTYPES[kind]))
    o.computed = True
    return o


def gathers():
    for kind in (T.FLOAT32, T.INT8, T.UINT8, T.INT16, T.INT32, T.INT64, T.BOOL):
        q = {"scale": 0.5, "zero": 0} if kind in (T.INT8, T.UINT8, T.INT16) else {}
        x = data(kind, 3, 4, 5, **q)
        for axis, batch, shape, below in ((0, 0, (6,), 3), (1, 0, (2, 3), 4), (-1, 0, (2,), 5), (1, 1, (3, 2), 4), (2, 1, (3, 2), 5), (2, 2, (3, 4, 3), 5), (0, 0, (), 3), (-2, -1, (3, 2), 4)):
            o = schema.GatherOptionsT()
            o.axis, o.batchDims = axis, batch
            for numbers in (T.INT32, T.INT64, T.INT16)[: 3 if kind == T.FLOAT32 else 1]:
                case(B.GATHER, o, [["i", axis], ["i", batch]], [x, chosen(below, *shape, kind=numbers)], [like(x)])
        for shape in ((2, 3), (4, 1), (2, 2, 2), (3,)):
            n = chosen(3, *shape, kind=T.INT64 if kind == T.INT8 else T.INT32)
            case(B.GATHER_ND, schema.GatherNdOptionsT(), [], [x, n], [like(x)])
        out = like(x)
        case(B.DYNAMIC_UPDATE_SLICE, schema.DynamicUpdateSliceOptionsT(), [], [x, data(kind, 2, 2, 5, **q), chosen(3, 3)], [out])
        o = schema.OneHotOptionsT()
        for axis in (-1, 0, 1):
            o.axis = axis
            on, off = data(kind, 1), data(kind, 1)
            on.shape, off.shape, on.data, off.data = [], [], on.data[0], off.data[0]
            depth = Operand(T.INT32, [], data=np.array(4, np.int32))
            case(B.ONE_HOT, o, [["i", axis]], [chosen(5, 2, 3), depth, on, off], [like(on)])
        case(B.EMBEDDING_LOOKUP, None, [], [chosen(3, 5), x], [like(x)])
    x = data(T.FLOAT32, 4, 3)
    for starts in ((-5, 0), (9, 9), (2, 1), (0, 0)):
        s = Operand(T.INT32, [2], data=np.array(starts, np.int32))
        case(B.DYNAMIC_UPDATE_SLICE, schema.DynamicUpdateSliceOptionsT(), [], [x, data(T.FLOAT32, 2, 1), s], [like(x)])
    table = Operand(T.INT8, [6, 8], RNG.uniform(0.01, 0.1), 0, data=RNG.integers(-127, 128, (6, 8)).astype(np.int8))
    case(B.EMBEDDING_LOOKUP, None, [], [chosen(6, 5), table], [Operand(T.FLOAT32, [5, 8])])
    table = Operand(T.INT8, [6, 8], RNG.uniform(0.01, 0.1, 6), 0, data=RNG.integers(-127, 128, (6, 8)).astype(np.int8))
    case(B.EMBEDDING_LOOKUP, None, [], [chosen(6, 5), table], [Operand(T.FLOAT32, [5, 8])])
    table = Operand(T.INT4, [6, 8], RNG.uniform(0.01, 0.1, 6), 0, data=RNG.integers(-8, 8, (6, 8)).astype(np.int8))
    case(B.EMBEDDING_LOOKUP, None, [], [chosen(6, 5), table], [Operand(T.FLOAT32, [5, 8])])


def fills():
    for kind in (T.FLOAT32, T.INT8, T.INT16, T.INT32, T.INT64, T.BOOL):
        v = data(kind, 1)
        v.shape, v.data = [], v.data[0]
        case(B.FILL, schema.FillOptionsT(), [], [ints(2, 3, kind=T.INT64 if kind == T.INT8 else T.INT32), v], [like(v)])
    for kind in (T.FLOAT32, T.INT32, T.INT64):
        x = data(kind, 2, 3)
        case(B.ZEROS_LIKE, schema.ZerosLikeOptionsT(), [], [x], [like(x)])
    o = schema.ShapeOptionsT()
    for kind in (T.INT32, T.INT64):
        o.outType = kind
        case(B.SHAPE, o, [["b", kind]], [data(T.FLOAT32, 2, 3, 1)], [Operand(kind, [1])])
    case(B.RANK, schema.RankOptionsT(), [], [data(T.INT8, 2, 3, 1)], [Operand(T.INT32, [])])
    for kind, three in ((T.INT32, (2, 11, 3)), (T.INT32, (11, 2, -3)), (T.INT64, (0, 6, 2)), (T.INT32, (3, 3, 1)), (T.FLOAT32, (0.1, 2, 0.3)), (T.FLOAT32, (1, -1, -0.1)), (T.FLOAT32, (0, 1, 0.1))):
        case(B.RANGE, schema.RangeOptionsT(), [], [Operand(kind, [], data=np.array(v, DTYPES[kind])) for v in three], [Operand(kind, [1])])


def ranks():
    for kind in (T.FLOAT32, T.INT8, T.UINT8, T.INT16, T.INT32, T.INT64, T.BOOL):
        q = {"scale": 0.5, "zero": 0} if kind in (T.INT8, T.UINT8, T.INT16) else {}
        x = data(kind, 3, 5, 4, **q)
        x.data = x.data if kind in (T.FLOAT32, T.BOOL) else (x.data % 5).astype(DTYPES[kind])
        for axis in (0, 1, -1):
            for code, o in ((B.ARG_MAX, schema.ArgMaxOptionsT()), (B.ARG_MIN, schema.ArgMinOptionsT())):
                wide = T.INT64 if axis == 1 else T.INT32
                o.outputType = wide
                case(code, o, [["b", wide]], [x, Operand(T.INT32, [], data=np.array(axis, np.int32))], [Operand(wide, [1])])
            o = schema.CumsumOptionsT()
            for flags in range(4):
                o.exclusive, o.reverse = bool(flags & 1), bool(flags & 2)
                case(B.CUMSUM, o, [["b", flags & 1], ["b", flags >> 1]], [x, Operand(T.INT32, [], data=np.array(axis, np.int32))], [like(x)])
        for k in (0, 1, 3, 4):
            case(B.TOPK_V2, schema.TopKV2OptionsT(), [], [x, Operand(T.INT32, [], data=np.array(k, np.int32))], [like(x), Operand(T.INT32, [1])])


def scatters():
    for kind in (T.FLOAT32, T.INT8, T.UINT8, T.INT32, T.INT64, T.BOOL):
        shape = (4, 5, 3)
        for rows, depth in (((3,), 1), ((2, 4), 2), ((6,), 3)):
            numbers = Operand(T.INT32, (*rows, depth), data=np.stack([RNG.integers(0, d, rows) for d in shape[:depth]], -1).astype(np.int32))
            numbers.computed = True
            case(B.SCATTER_ND, schema.ScatterNdOptionsT(), [], [numbers, data(kind, *rows, *shape[depth:]), ints(*shape)], [like(data(kind, 1))])
        if kind != T.BOOL:
            flat = np.sort(RNG.choice(60, 7, replace=False))
            numbers = Operand(T.INT32, (7, 3), data=np.stack(np.unravel_index(flat, shape), -1).astype(np.int32))
            numbers.computed = True
            rest = data(kind, 1)
            rest.shape, rest.data = [], rest.data[0]
            case(B.SPARSE_TO_DENSE, schema.SparseToDenseOptionsT(), [], [numbers, ints(*shape), data(kind, 7), rest], [like(rest)])
            case(B.SPARSE_TO_DENSE, schema.SparseToDenseOptionsT(), [], [chosen(9, 4, kind=T.INT64), ints(9, kind=T.INT64), rest, Operand(kind, [], data=np.array(3, DTYPES[kind]))], [like(rest)])
        x = data(kind, 3, 2, 4)
        x.data = (x.data * RNG.integers(0, 2, x.data.shape)).astype(DTYPES[kind])
        case(B.WHERE, schema.WhereOptionsT(), [], [x], [Operand(T.INT64, [1, 3])])
        x = data(kind, 2, 3, 4, 5)
        for axes in ((1, 0), (0, 3), (3, 1), (2, 0)):
            o = schema.ReverseSequenceOptionsT()
            o.seqDim, o.batchDim = axes
            case(B.REVERSE_SEQUENCE, o, [["i", axes[0]], ["i", axes[1]]], [x, chosen(x.shape[axes[0]] + 1, x.shape[axes[1]])], [like(x)])
        if kind != T.BOOL:
            case(B.MATRIX_DIAG, schema.MatrixDiagOptionsT(), [], [data(kind, 2, 3)], [like(x)])
            for shape in ((2, 3, 3), (3, 2), (2, 2, 4)):
                case(B.MATRIX_SET_DIAG, schema.MatrixSetDiagOptionsT(), [], [data(kind, *shape), data(kind, *shape[:-2], min(shape[-2:]))], [like(x)])
        if kind in (T.FLOAT32, T.INT32):
            x = data(kind, 6, 2, 3)
            numbers = Operand(T.INT32, (6,), data=np.array([0, 0, 1, 2, 2, 2], np.int32))
            numbers.computed = True
            case(B.SEGMENT_SUM, schema.SegmentSumOptionsT(), [], [x, numbers], [like(x)])
            for code, o in ((B.UNSORTED_SEGMENT_SUM, schema.UnsortedSegmentSumOptionsT()), (B.UNSORTED_SEGMENT_PROD, schema.UnsortedSegmentProdOptionsT()),
                            (B.UNSORTED_SEGMENT_MAX, schema.UnsortedSegmentMaxOptionsT()), (B.UNSORTED_SEGMENT_MIN, schema.UnsortedSegmentMinOptionsT())):
                for shape in ((6,), (6, 2)):
                    numbers = chosen(4, *shape)
                    numbers.data -= 1
                    case(code, o, [], [x, numbers, Operand(T.INT32, [], data=np.array(5, np.int32))], [like(x)])
    for kind in (T.INT32, T.INT64):
        for a, b in (((2, 1, 3), (5, 1)), ((1,), (4, 2)), ((3,), (3,))):
            a, b = ints(*a, kind=kind), ints(*b, kind=kind)
            a.computed = b.computed = True
            case(B.BROADCAST_ARGS, None, [], [a, b], [like(a)])


def boxes():
    for n, most, overlap, least, sigma in ((20, 6, 0.5, 0.1, None), (40, 30, 0.3, 0.0, None), (20, 8, 0.5, 0.1, 0.0), (40, 20, 0.9, 0.05, 0.3), (5, 8, 0.4, 2.0, 0.5)):
        b = data(T.FLOAT32, n, 4)
        b.data = RNG.uniform(0, 1, (n, 4)).astype(np.float32)
        b.data[:, 2:] = b.data[:, :2] + RNG.uniform(0.1, 0.9, (n, 2)).astype(np.float32)
        s = data(T.FLOAT32, n)
        s.data = RNG.uniform(0, 1, n).astype(np.float32)
        scalars = [Operand(T.INT32, [], data=np.array(most, np.int32))] + [
            Operand(T.FLOAT32, [], data=np.array(v, np.float32)) for v in (overlap, least, sigma) if v is not None]
        outs = [Operand(T.INT32, [most]), Operand(T.FLOAT32, [most]), Operand(T.INT32, [])]
        if sigma is None:
            del outs[1]
            case(B.NON_MAX_SUPPRESSION_V4, schema.NonMaxSuppressionV4OptionsT(), [], [b, s, *scalars], outs)
        else:
            case(B.NON_MAX_SUPPRESSION_V5, schema.NonMaxSuppressionV5OptionsT(), [], [b, s, *scalars], outs)


def transforms():
    for shape, size in (((4, 8), (4, 8)), ((1, 2), (1, 2)), ((2, 1, 13), (1, 16)), ((3, 20), (8, 16)), ((2, 5, 6), (2, 4))):
        x = data(T.FLOAT32, *shape)
        out = Operand(T.COMPLEX64, [1])
        case(B.RFFT2D, schema.Rfft2dOptionsT(), [], [x, ints(*size)], [out])
    x = Operand(T.COMPLEX64, (2, 3), data=(RNG.standard_normal((2, 3)) + 1j * RNG.standard_normal((2, 3))).astype(np.complex64))
    x.computed = True
    for code in (B.COMPLEX_ABS, B.REAL, B.IMAG):
        case(code, None, [], [x], [Operand(T.FLOAT32, [1])])


def images():
    for kind in (T.FLOAT32, T.INT8, T.UINT8, T.INT16):
        q = {"scale": 0.5, "zero": 3} if kind in (T.INT8, T.UINT8) else {"scale": 0.5, "zero": 0} if kind == T.INT16 else {}
        for shape, size in (((2, 3, 4, 2), (6, 8)), ((1, 7, 5, 1), (3, 4)), ((1, 4, 4, 3), (7, 9)), ((1, 3, 2, 1), (1, 1)), ((1, 1, 3, 2), (4, 3))):
            x = data(kind, *shape, **q)
            for corners, half in ((0, 0), (1, 0), (0, 1)):
                o = schema.ResizeBilinearOptionsT()
                o.alignCorners, o.halfPixelCenters = bool(corners), bool(half)
                case(B.RESIZE_BILINEAR, o, [["i", 0], ["i", 0], ["b", corners], ["b", half]], [x, ints(*size)], [like(x)])
                o = schema.ResizeNearestNeighborOptionsT()
                o.alignCorners, o.halfPixelCenters = bool(corners), bool(half)
                case(B.RESIZE_NEAREST_NEIGHBOR, o, [["b", corners], ["b", half]], [x, ints(*size)], [like(x)])


if __name__ == "__main__":
    reductions()
    gathers()
    fills()
    ranks()
    images()
    scatters()
    boxes()
    transforms()
    versions = {"ai-edge-litert": importlib.metadata.version("ai-edge-litert")}
    print(json.dumps({"versions": versions, "cases": CASES}, separators=(",", ":")))
