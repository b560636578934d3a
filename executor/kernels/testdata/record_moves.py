#!/usr/bin/env python3
"""Record operators that move elements and compute nothing, as the reference
kernels of the real runtime do.

    pip install ai-edge-litert flatbuffers numpy
    python record_moves.py > moves.json

Cases are drawn with a fixed seed. Each is a model of one operator; numbers are
written as the bytes, in base64, of tensors. A case that the runtime refuses is
left out.
"""

import importlib.metadata
import json
import sys

import flatbuffers
import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from record_conv import DTYPES, Operand, T, schema, text

B = schema.BuiltinOperator
RNG = np.random.default_rng(777)
CASES = []


def build(code, options, inputs, outs):
    """A model of one operator."""
    m = schema.ModelT()
    m.version, m.buffers, m.operatorCodes = 3, [schema.BufferT()], [schema.OperatorCodeT()]
    m.operatorCodes[0].builtinCode, m.operatorCodes[0].deprecatedBuiltinCode = code, min(code, 127)
    m.operatorCodes[0].version = 2 if code == B.BROADCAST_TO else 1
    s, op = schema.SubGraphT(), schema.OperatorT()
    m.subgraphs, s.tensors, s.inputs, s.outputs = [s], [], [], []
    s.operators, op.inputs, op.outputs = [op], [], []
    if options is not None:
        op.builtinOptionsType = getattr(schema.BuiltinOptions, type(options).__name__[:-1])
        op.builtinOptions = options
    for o in inputs + outs:
        t = schema.TensorT()
        t.name, t.shape, t.type = f"t{len(s.tensors)}", o.shape, o.kind
        if o.scale:
            t.quantization = schema.QuantizationParametersT()
            t.quantization.scale, t.quantization.zeroPoint = o.scale, o.zero
        if o in outs:
            op.outputs.append(len(s.tensors))
        else:
            op.inputs.append(len(s.tensors))
            if o.computed:
                s.inputs.append(len(s.tensors))
            else:
                b = schema.BufferT()
                b.data = np.frombuffer(o.bytes(), np.uint8)
                t.buffer = len(m.buffers)
                m.buffers.append(b)
        s.tensors.append(t)
    s.outputs = list(op.outputs)
    b = flatbuffers.Builder(1024)
    b.Finish(m.Pack(b), b"TFL3")
    return bytes(b.Output())


def case(code, options, fields, inputs, outs):
    """Record a case; fields are the values of the options by their number."""
    c = {"op": int(code), "fields": fields, "in": [o.json() for o in inputs]}
    try:
        i = Interpreter(model_content=build(code, options, inputs, outs),
                        experimental_op_resolver_type=OpResolverType.BUILTIN_REF, num_threads=1)
        i.allocate_tensors()
        for detail, o in zip(i.get_input_details(), [o for o in inputs if o.computed]):
            i.set_tensor(detail["index"], o.data)
        i.invoke()
        c["want"] = []
        for detail, o in zip(i.get_output_details(), outs):
            y = i.get_tensor(detail["index"])
            o.shape = [int(d) for d in y.shape]
            c["want"].append(text(np.ascontiguousarray(y).tobytes()))
    except (RuntimeError, ValueError) as e:
        print("left out:", code, fields, [o.json()["shape"] for o in inputs], str(e)[:150], file=sys.stderr)
        return
    c["out"] = [o.json() for o in outs]
    CASES.append(c)


def data(kind, *shape, scale=None, zero=0):
    """A computed operand."""
    o = Operand(kind, shape, scale, zero)
    if kind == T.FLOAT32:
        o.data = RNG.standard_normal(shape).astype(np.float32)
    elif kind == T.BOOL:
        o.data = RNG.integers(0, 2, shape).astype(np.bool_)
    else:
        info = np.iinfo(DTYPES[kind])
        o.data = RNG.integers(info.min, info.max, shape, dtype=DTYPES[kind], endpoint=True)
    o.computed = True
    return o


def ints(*values, kind=T.INT32):
    """A constant operand."""
    return Operand(kind, [len(values)], data=np.array(values, DTYPES[kind]))


def like(o):
    return Operand(o.kind, [1], o.scale, o.zero[0] if o.zero else 0)


KINDS = [T.FLOAT32, T.INT8, T.INT16, T.INT64]


def kinds():
    for k in KINDS:
        yield k, ({"scale": 0.5, "zero": 7} if k in (T.INT8, T.UINT8) else {"scale": 0.5, "zero": 0} if k == T.INT16 else {})


def layout():
    for k, q in kinds():
        for shape, perm in (((2, 3), (1, 0)), ((2, 3, 4), (2, 0, 1)), ((2, 3, 4, 5), (0, 3, 1, 2)), ((2, 3, 4, 5), (3, 1, 0, 2)), ((2, 1, 3, 2, 2), (4, 0, 2, 1, 3))):
            x = data(k, *shape, **q)
            case(B.TRANSPOSE, schema.TransposeOptionsT(), [], [x, ints(*perm)], [like(x)])
        x = data(k, 2, 3, 4, **q)
        for axes in ((0,), (2,), (0, 1), (-1,)):
            case(B.REVERSE_V2, schema.ReverseV2OptionsT(), [], [x, ints(*axes)], [like(x)])
        case(B.TILE, schema.TileOptionsT(), [], [x, ints(2, 1, 3)], [like(x)])
        case(B.TILE, schema.TileOptionsT(), [], [x, ints(1, 2, 2, kind=T.INT64)], [like(x)])
        x = data(k, 3, 1, 4, **q)
        case(B.BROADCAST_TO, schema.BroadcastToOptionsT(), [], [x, ints(2, 3, 5, 4)], [like(x)])
        for block in (2, 3):
            o = schema.SpaceToDepthOptionsT()
            o.blockSize = block
            x = data(k, 2, 6, 12, 3, **q)
            case(B.SPACE_TO_DEPTH, o, [["i", block]], [x], [like(x)])
            o = schema.DepthToSpaceOptionsT()
            o.blockSize = block
            x = data(k, 2, 3, 2, 36, **q)
            case(B.DEPTH_TO_SPACE, o, [["i", block]], [x], [like(x)])
        x = data(k, 12, 3, 4, 2, **q)
        for block, crops in (((2, 3), (0, 0, 0, 0)), ((2, 2), (1, 0, 2, 1)), ((1, 2), (0, 1, 0, 3))):
            c = Operand(T.INT32, [2, 2], data=np.array(crops, np.int32).reshape(2, 2))
            case(B.BATCH_TO_SPACE_ND, schema.BatchToSpaceNDOptionsT(), [], [x, ints(*block), c], [like(x)])
        x = data(k, 2, 4, 6, 3, **q)
        for block, pads in (((2, 3), (0, 0, 0, 0)), ((2, 2), (1, 1, 2, 0)), ((3, 4), (1, 1, 0, 2))):
            c = Operand(T.INT32, [2, 2], data=np.array(pads, np.int32).reshape(2, 2))
            case(B.SPACE_TO_BATCH_ND, schema.SpaceToBatchNDOptionsT(), [], [x, ints(*block), c], [like(x)])


def slices():
    for k, q in kinds():
        x = data(k, 4, 5, 6, **q)
        for begin, size in (((0, 0, 0), (4, 5, 6)), ((1, 2, 3), (2, -1, 1)), ((3, 0, 5), (1, 5, 1))):
            out = like(x)
            out.shape = [d - b if s < 0 else s for b, s, d in zip(begin, size, x.shape)]
            case(B.SLICE, schema.SliceOptionsT(), [], [x, ints(*begin), ints(*size)], [out])
        for masks in () if k in (T.INT16, T.INT64) else ((0, 0, 0, 0, 0), (1, 0, 0, 0, 0), (0, 5, 0, 0, 0), (0, 0, 0, 0, 2), (0, 0, 0, 0, 5), (7, 7, 0, 0, 0), (0, 0, 2, 0, 0), (0, 0, 0, 1, 0)):
            for begin, end, step in (((1, 1, 1), (3, 4, 6), (1, 1, 1)), ((0, 1, 5), (4, 5, 0), (2, 3, -2)), ((-2, -9, 4), (9, -1, 1), (1, 2, -1)), ((3, 4, 0), (0, 0, 6), (-1, -2, 4))):
                if any(masks[4] >> d & 1 and (step[d] != 1 or not -x.shape[d] <= begin[d] < x.shape[d]) for d in range(3)):
                    continue  # the runtime reads what lies there
                o = schema.StridedSliceOptionsT()
                o.beginMask, o.endMask, o.ellipsisMask, o.newAxisMask, o.shrinkAxisMask = masks
                case(B.STRIDED_SLICE, o, [["i", m] for m in masks], [x, ints(*begin), ints(*end), ints(*step)], [like(x)])


def padding():
    for k, q in kinds():
        x = data(k, 2, 3, 4, **q)
        for pads in ((1, 2, 0, 1, 3, 0), (0, 0, 0, 0, 0, 0), (0, 0, 2, 2, 0, 1)):
            p = Operand(T.INT32, [3, 2], data=np.array(pads, np.int32).reshape(3, 2))
            case(B.PAD, schema.PadOptionsT(), [], [x, p], [like(x)])
            v = data(k, 1, **q)
            case(B.PADV2, schema.PadV2OptionsT(), [], [x, p, v], [like(x)])
        for mode in (0, 1):
            for pads in ((1, 1, 2, 1, 0, 3), (0, 0, 0, 2, 1, 1)):
                p = Operand(T.INT32, [3, 2], data=np.array(pads, np.int32).reshape(3, 2))
                o = schema.MirrorPadOptionsT()
                o.mode = mode
                case(B.MIRROR_PAD, o, [["b", mode]], [x, p], [like(x)])


def joints():
    for k, q in kinds():
        for axis in (0, 1, -1):
            shapes = [[2, 3, 4], [2, 3, 4], [2, 3, 4]]
            for n, s in enumerate(shapes):
                s[axis] += n
            xs = [data(k, *s, **q) for s in shapes]
            o = schema.ConcatenationOptionsT()
            o.axis = axis
            case(B.CONCATENATION, o, [["i", axis], ["b", 0]], xs, [like(xs[0])])
            xs = [data(k, 2, 3, **q) for _ in range(3)]
            o = schema.PackOptionsT()
            o.axis, o.valuesCount = axis, 3
            case(B.PACK, o, [["i", 3], ["i", axis]], xs, [like(xs[0])])
            x = data(k, 4, 6, 2, **q)
            n = x.shape[axis]
            o = schema.UnpackOptionsT()
            o.axis, o.num = axis, n
            case(B.UNPACK, o, [["i", n], ["i", axis]], [x], [like(x) for _ in range(n)])
            o = schema.SplitOptionsT()
            o.numSplits = 2
            case(B.SPLIT, o, [["i", 2]], [Operand(T.INT32, [1], data=np.array([axis], np.int32)), x], [like(x), like(x)])
            o = schema.SplitVOptionsT()
            o.numSplits = 2
            for sizes in ((1, n - 1), (n - 1, -1)):
                case(B.SPLIT_V, o, [["i", 2]], [x, ints(*sizes), Operand(T.INT32, [1], data=np.array([axis], np.int32))], [like(x), like(x)])
    o = schema.ConcatenationOptionsT()
    o.axis = 1
    for _ in range(6):
        xs = [data(T.UINT8, 2, n, scale=RNG.uniform(0.01, 0.1), zero=int(RNG.integers(0, 256))) for n in (40, 60, 20)]
        out = Operand(T.UINT8, [1], RNG.uniform(0.01, 0.1), int(RNG.integers(0, 256)))
        case(B.CONCATENATION, o, [["i", 1], ["b", 0]], xs, [out])


if __name__ == "__main__":
    layout()
    slices()
    padding()
    joints()
    print(json.dumps({"versions": {"ai-edge-litert": importlib.metadata.version("ai-edge-litert")}, "cases": CASES}, separators=(",", ":")))
