#!/usr/bin/env python3
"""Record convolutions, fully connected layers, pools and matrix products of
the real runtime: what its reference kernels and its default kernels compute.

    pip install ai-edge-litert flatbuffers numpy
    python record_conv.py > conv.json

Cases are drawn with a fixed seed. Each is a model of one operator; numbers are
written as the bytes of tensors, base64, those of default kernels only if they
differ.
"""

import base64
import importlib.metadata
import json
import sys

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

T = schema.TensorType
DTYPES = {T.FLOAT32: np.float32, T.INT8: np.int8, T.UINT8: np.uint8, T.INT16: np.int16,
          T.INT32: np.int32, T.INT64: np.int64, T.INT4: np.int8}
RNG = np.random.default_rng(12345)


def text(b):
    return base64.b64encode(b).decode()


class Operand:
    """A tensor: constant if it has data."""

    def __init__(self, kind, shape, scale=None, zero=0, axis=0, data=None):
        self.kind, self.shape, self.axis, self.data = kind, [int(d) for d in shape], axis, data
        self.computed = False  # not a constant although it has data
        self.scale = None if scale is None else [float(np.float32(s)) for s in np.atleast_1d(scale)]
        self.zero = [int(zero)] * len(self.scale) if self.scale else None

    def constant(self, index, code):
        """Whether it is one; the first operand never is, of transposed convolutions the third."""
        return not self.computed and index != (2 if code == schema.BuiltinOperator.TRANSPOSE_CONV else 0)

    def bytes(self):
        if self.kind == T.INT4:
            q = np.append(self.data.ravel(), np.int8(0))[: (self.data.size + 1) // 2 * 2].astype(np.uint8) & 15
            return (q[0::2] | q[1::2] << 4).astype(np.uint8).tobytes()
        return np.ascontiguousarray(self.data, DTYPES[self.kind]).tobytes()

    def json(self):
        out = {"type": self.kind, "shape": self.shape}
        if self.scale:
            out["scale"], out["zero"], out["axis"] = self.scale, self.zero, self.axis
        if self.data is not None:
            if self.computed:
                out["computed"] = True
            out["data"] = text(self.bytes())
        return out


def numbers(kind, shape, spread=1.0):
    """Random numbers of a type."""
    if kind == T.FLOAT32:
        return (RNG.standard_normal(shape) * spread).astype(np.float32)
    low, high = {T.INT4: (-8, 8)}.get(kind) or (np.iinfo(DTYPES[kind]).min, np.iinfo(DTYPES[kind]).max + 1)
    return RNG.integers(low, high, shape).astype(DTYPES[kind])


def build(code, options, inputs, out):
    """A model of one operator."""
    m = schema.ModelT()
    m.version, m.buffers, m.operatorCodes = 3, [schema.BufferT()], [schema.OperatorCodeT()]
    m.operatorCodes[0].builtinCode = code
    m.operatorCodes[0].deprecatedBuiltinCode = min(code, 127)
    m.operatorCodes[0].version = 1
    s = schema.SubGraphT()
    m.subgraphs, s.tensors, s.inputs, s.outputs = [s], [], [], []
    op = schema.OperatorT()
    s.operators, op.inputs, op.outputs = [op], [], []
    kind = type(options).__name__[:-1]
    op.builtinOptionsType, op.builtinOptions = getattr(schema.BuiltinOptions, kind), options
    for i, o in enumerate(inputs + [out]):
        if o is None:
            op.inputs.append(-1)
            continue
        t = schema.TensorT()
        t.name, t.shape, t.type = f"t{i}", o.shape, o.kind
        if o.scale:
            t.quantization = schema.QuantizationParametersT()
            t.quantization.scale, t.quantization.zeroPoint = o.scale, o.zero
            t.quantization.quantizedDimension = o.axis
        if o is not out and o.constant(i, code):
            b = schema.BufferT()
            b.data = np.frombuffer(o.bytes(), np.uint8)
            t.buffer = len(m.buffers)
            m.buffers.append(b)
        elif o is not out:
            s.inputs.append(len(s.tensors))
        (op.outputs if o is out else op.inputs).append(len(s.tensors))
        s.tensors.append(t)
    s.outputs = list(op.outputs)
    b = flatbuffers.Builder(1024)
    b.Finish(m.Pack(b), b"TFL3")
    return bytes(b.Output())


def run(code, model, operands, resolver):
    """The bytes that a runtime gives, and the shape."""
    i = Interpreter(model_content=model, experimental_op_resolver_type=resolver, num_threads=1)
    i.allocate_tensors()
    free = [o for k, o in enumerate(operands) if o is not None and not o.constant(k, code)]
    for detail, o in zip(i.get_input_details(), free):
        i.set_tensor(detail["index"], o.data)
    i.invoke()
    d = i.get_output_details()[0]
    y = i.get_tensor(d["index"])
    return np.ascontiguousarray(y).tobytes(), list(y.shape)


CASES = []


def case(code, options, fields, inputs, out):
    """Record a case; fields are the values of the options by their number."""
    model = build(code, options, inputs, out)
    try:
        ref, shape = run(code, model, inputs, OpResolverType.BUILTIN_REF)
        out.shape = [int(d) for d in shape]  # without it the delegate declines
        default, _ = run(code, build(code, options, inputs, out), inputs, OpResolverType.AUTO)
    except (RuntimeError, ValueError) as e:
        print("left out:", code, [o and o.json()["type"] for o in inputs], str(e)[:200], file=sys.stderr)
        return
    CASES.append({"op": int(code), "fields": fields, "in": [o and o.json() for o in inputs], "out": out.json(),
                  "litert-ref": text(ref)} | ({} if default == ref else {"litert": text(default)}))


def quantised(kind, shape, spread, data=True):
    """An operand of integers."""
    zero = {T.INT16: 0, T.UINT8: int(RNG.integers(0, 256))}.get(kind, int(RNG.integers(-128, 128)))
    o = Operand(kind, shape, spread, zero)
    if data:
        o.data = numbers(kind, shape)
    return o


def operands(kind, in_shape, w_shape, w_axis, channels, depth, bias, weights, per_channel):
    """Input, weights, bias and an empty result of a layer."""
    if kind == T.FLOAT32:
        x = Operand(kind, in_shape, data=numbers(kind, in_shape))
    else:
        x = quantised(kind, in_shape, RNG.uniform(0.005, 0.05))
    if weights == T.FLOAT32:
        w = Operand(weights, w_shape, data=numbers(weights, w_shape))
    else:
        scale = RNG.uniform(0.002, 0.02, channels if per_channel else 1)
        w = Operand(weights, w_shape, scale, 0, w_axis if per_channel else 0, numbers(weights, w_shape))
        if weights == T.INT8:
            w.data = np.maximum(w.data, -127)  # vector instructions take -(-128) for -128
        if weights == T.UINT8:
            w.zero = [int(RNG.integers(100, 156))]
    b = None
    if bias:
        if kind == T.FLOAT32:
            b = Operand(T.FLOAT32, [channels], data=numbers(T.FLOAT32, [channels]))
        else:
            t = bias
            b = Operand(t, [channels], np.float32(x.scale[0]) * np.asarray(w.scale, np.float32), 0, 0,
                        RNG.integers(-2000, 2000, channels).astype(DTYPES[t]))
    if kind == T.FLOAT32:
        y = Operand(kind, [1])
    else:
        reach = {T.INT16: 32767.0}.get(kind, 127.0)
        spread = x.scale[0] * max(w.scale) * (depth ** 0.5) * reach * {T.INT4: 4, T.INT16: 16000}.get(weights, 70)
        y = quantised(kind, [1], spread / reach * RNG.uniform(0.5, 2), data=False)
    return x, w, b, y


def window(o, full=True):
    o.padding = int(RNG.integers(0, 2))
    o.strideW, o.strideH = int(RNG.integers(1, 3)), int(RNG.integers(1, 3))
    o.fusedActivationFunction = int(RNG.integers(0, 4))
    if full:
        o.dilationWFactor, o.dilationHFactor = 1, 1
        if RNG.integers(0, 3) == 0:
            o.strideW = o.strideH = 1
            o.dilationWFactor, o.dilationHFactor = int(RNG.integers(1, 3)), int(RNG.integers(1, 3))


LAYERS = [  # input, weights, one scale for each channel, bias
    (T.FLOAT32, T.FLOAT32, False, True),
    (T.INT8, T.INT8, True, T.INT32),
    (T.INT8, T.INT8, False, T.INT32),
    (T.UINT8, T.UINT8, False, T.INT32),
    (T.INT16, T.INT8, True, T.INT64),
    (T.INT8, T.INT4, True, T.INT32),
    (T.FLOAT32, T.INT8, True, True),
    (T.FLOAT32, T.INT8, False, True),
    (T.FLOAT32, T.INT4, True, True),
]


def convolutions():
    for kind, weights, per_channel, bias in LAYERS:
        for groups in (1, 1, 1, 2):
            o = schema.Conv2DOptionsT()
            window(o)
            h, w, fh, fw = (int(v) for v in RNG.integers([4, 4, 1, 1], [8, 8, 4, 4]))
            depth, filters = int(RNG.integers(1, 14)), groups * int(RNG.integers(1, 9))
            ops = operands(kind, [2, h, w, depth * groups], [filters, fh, fw, depth], 0, filters, depth * fh * fw, bias,
                           weights, per_channel)
            case(schema.BuiltinOperator.CONV_2D, o, [["b", o.padding], ["i", o.strideW], ["i", o.strideH],
                 ["b", o.fusedActivationFunction], ["i", o.dilationWFactor], ["i", o.dilationHFactor]], list(ops[:3]), ops[3])


def depthwise():
    for kind, weights, per_channel, bias in LAYERS:
        if kind == T.FLOAT32 and (weights == T.INT4 or weights == T.INT8 and not per_channel):
            continue  # not computed; reads behind the only scale
        for multiplier in (1, 1, 1, 3):
            o = schema.DepthwiseConv2DOptionsT()
            window(o)
            o.strideW = o.strideH
            o.depthMultiplier = multiplier
            h, w, fh, fw = (int(v) for v in RNG.integers([4, 4, 1, 1], [8, 8, 4, 4]))
            c = int(RNG.integers(1, 12))
            ops = operands(kind, [2, h, w, c], [1, fh, fw, c * multiplier], 3, c * multiplier, fh * fw, bias, weights, per_channel)
            case(schema.BuiltinOperator.DEPTHWISE_CONV_2D, o, [["b", o.padding], ["i", o.strideW], ["i", o.strideH],
                 ["i", multiplier], ["b", o.fusedActivationFunction], ["i", o.dilationWFactor], ["i", o.dilationHFactor]],
                 list(ops[:3]), ops[3])


def fully_connected():
    more = [(T.INT8, T.INT4, False, T.INT32), (T.FLOAT32, T.INT4, False, True), (T.INT16, T.INT8, False, T.INT64),
            (T.INT16, T.INT16, False, T.INT64), (T.INT16, T.INT16, False, T.INT32), (T.INT16, T.INT8, True, T.INT32),
            (T.INT8, T.INT8, True, None), (T.FLOAT32, T.FLOAT32, False, None)]
    for kind, weights, per_channel, bias in LAYERS + more:
        for variant in range(4):
            o = schema.FullyConnectedOptionsT()
            o.fusedActivationFunction = int(RNG.integers(0, 4))
            o.keepNumDims = bool(variant % 2)
            o.asymmetricQuantizeInputs = bool(variant // 2) and kind == T.FLOAT32 and weights != T.FLOAT32
            o.quantizedBiasType = bias if kind == T.INT16 and bias else 0
            rows, depth, channels = (int(v) for v in RNG.integers([1, 1, 1], [5, 50, 20]))
            ops = operands(kind, [2, rows, depth], [channels, depth], 0, channels, depth, bias, weights, per_channel)
            case(schema.BuiltinOperator.FULLY_CONNECTED, o, [["b", o.fusedActivationFunction], ["b", 0], ["b", int(o.keepNumDims)],
                 ["b", int(o.asymmetricQuantizeInputs)], ["b", int(o.quantizedBiasType)]], list(ops[:3]), ops[3])


def pools():
    B = schema.BuiltinOperator
    for code in (B.AVERAGE_POOL_2D, B.MAX_POOL_2D, B.L2_POOL_2D):
        for kind in (T.FLOAT32, T.INT8, T.UINT8, T.INT16):
            for _ in range(3 if code != B.L2_POOL_2D or kind == T.FLOAT32 else 0):
                o = schema.Pool2DOptionsT()
                window(o, full=False)
                o.filterWidth, o.filterHeight = int(RNG.integers(1, 4)), int(RNG.integers(1, 4))
                shape = [2] + [int(v) for v in RNG.integers([4, 4, 1], [9, 9, 12])]
                if kind == T.FLOAT32:
                    x, y = Operand(kind, shape, data=numbers(kind, shape)), Operand(kind, [1])
                else:
                    x = quantised(kind, shape, 0.05)
                    y = Operand(kind, [1], x.scale, x.zero[0])
                case(code, o, [["b", o.padding], ["i", o.strideW], ["i", o.strideH], ["i", o.filterWidth],
                     ["i", o.filterHeight], ["b", o.fusedActivationFunction]], [x], y)


def products():
    stacks = [([], []), ([2], [2]), ([3], []), ([2, 1], [1, 3]), ([1], [2])]
    for left, right, result in ((T.FLOAT32, T.FLOAT32, T.FLOAT32), (T.INT8, T.INT8, T.INT8), (T.INT8, T.INT8, T.INT32),
                                (T.INT16, T.INT16, T.INT16), (T.INT16, T.INT8, T.INT16), (T.FLOAT32, T.INT8, T.FLOAT32)):
        for i, (a, b) in enumerate(stacks):
            o = schema.BatchMatMulOptionsT()
            o.adjX, o.adjY, o.asymmetricQuantizeInputs = bool(i & 1), bool(i & 2), bool(i & 1) and left != right
            m, k, n = (int(v) for v in RNG.integers([1, 1, 1], [9, 40, 9]))
            x, y = a + ([k, m] if o.adjX else [m, k]), b + ([n, k] if o.adjY else [k, n])
            if left == T.FLOAT32:
                x, z = Operand(left, x, data=numbers(left, x)), Operand(left, [1])
            else:
                x = quantised(left, x, 0.02)
                z = quantised(result, [1], 0.02 * 0.01 * (k ** 0.5) * {T.INT16: 70, T.INT8: 60}.get(right), data=False)
                if right == T.INT16:
                    z.scale = [z.scale[0] * 250]
            w = Operand(right, y, data=numbers(right, y)) if right == T.FLOAT32 else quantised(right, y, 0.01)
            if left != right:
                w.zero, w.data = [0], np.maximum(w.data, -127)
            w.computed = i > 2
            case(schema.BuiltinOperator.BATCH_MATMUL, o, [["b", int(o.adjX)], ["b", int(o.adjY)],
                 ["b", int(o.asymmetricQuantizeInputs)]], [x, w], z)


def transposed():
    for kind, weights, per_channel, bias in LAYERS[:5] + LAYERS[6:8]:
        for variant in range(5):
            o = schema.TransposeConvOptionsT()
            o.padding, o.strideW, o.strideH = int(RNG.integers(0, 2)), int(RNG.integers(1, 4)), int(RNG.integers(1, 4))
            o.fusedActivationFunction = int(RNG.integers(0, 4))
            h, w, fh, fw = (int(v) for v in RNG.integers([2, 2, 1, 1], [6, 6, 5, 5]))
            depth, filters = (int(v) for v in RNG.integers([1, 1], [9, 7]))
            size = [(n * s if o.padding == 0 else (n - 1) * s + f) for n, s, f in ((h, o.strideH, fh), (w, o.strideW, fw))]
            ops = operands(kind, [2, h, w, depth], [filters, fh, fw, depth], 0, filters, depth * fh * fw,
                           bias if variant else None, weights, per_channel)
            shape = Operand(T.INT32, [4], data=np.array([2, *size, filters], np.int32))
            case(schema.BuiltinOperator.TRANSPOSE_CONV, o, [["b", o.padding], ["i", o.strideW], ["i", o.strideH],
                 ["b", o.fusedActivationFunction]], [shape, ops[1], ops[0]] + ([ops[2]] if variant else []), ops[3])


def volumes():
    for _ in range(3):
        o = schema.Conv3DOptionsT()
        o.padding, o.fusedActivationFunction = int(RNG.integers(0, 2)), int(RNG.integers(0, 4))
        o.strideD, o.strideW, o.strideH = (int(v) for v in RNG.integers(1, 3, 3))
        o.dilationDFactor = o.dilationWFactor = o.dilationHFactor = 1
        shape = [1] + [int(v) for v in RNG.integers([3, 3, 3, 1], [6, 6, 6, 6])]
        f = [int(v) for v in RNG.integers([1, 1, 1, 1], [4, 4, 4, 5])]
        w = [*f[:3], shape[4], f[3]]
        case(schema.BuiltinOperator.CONV_3D, o, [["b", o.padding], ["i", o.strideD], ["i", o.strideW], ["i", o.strideH],
             ["b", o.fusedActivationFunction]], [Operand(T.FLOAT32, s, data=numbers(T.FLOAT32, s)) for s in (shape, w, f[3:])],
             Operand(T.FLOAT32, [1]))


def main():
    volumes()
    transposed()
    products()
    convolutions()
    depthwise()
    fully_connected()
    pools()
    json.dump({"versions": {p: importlib.metadata.version(p) for p in ("ai-edge-litert", "numpy", "flatbuffers")},
               "cases": CASES}, sys.stdout, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main()
