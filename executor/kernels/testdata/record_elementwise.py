#!/usr/bin/env python3
"""Record elementwise operators of the real runtimes: what LiteRT's reference
kernels, its default kernels and TFLite-Micro compute.

    pip install ai-edge-litert tflite-micro flatbuffers numpy
    python record_elementwise.py > elementwise.json

Cases are drawn with a fixed seed. Each is a model of one operator; numbers are
written as the bytes, in base64, of tensors. A runtime that refuses a case is
left out of it.
"""

import base64
import importlib.metadata
import json
import sys

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from tflite_micro.python.tflite_micro.runtime import Interpreter as Micro

B = schema.BuiltinOperator
T = schema.TensorType
DTYPES = {T.FLOAT32: np.float32, T.FLOAT16: np.float16, T.FLOAT64: np.float64, T.INT8: np.int8, T.UINT8: np.uint8,
          T.INT16: np.int16, T.UINT16: np.uint16, T.INT32: np.int32, T.UINT32: np.uint32, T.INT64: np.int64,
          T.UINT64: np.uint64, T.BOOL: np.bool_}
RNG = np.random.default_rng(54321)
CASES = []


def text(data):
    return base64.b64encode(data).decode()


class Operand:
    """A tensor."""

    def __init__(self, kind, shape, scale=None, zero=0, axis=0, data=None):
        self.kind, self.shape, self.axis, self.data = kind, [int(d) for d in shape], axis, data
        self.scale = None if scale is None else [float(np.float32(s)) for s in np.atleast_1d(scale)]
        self.zero = [int(zero)] * len(self.scale) if self.scale else None

    def json(self):
        out = {"type": self.kind, "shape": self.shape}
        if self.scale:
            out["scale"], out["zero"], out["axis"] = self.scale, self.zero, self.axis
        if self.data is not None:
            out["data"] = text(np.ascontiguousarray(self.data, DTYPES[self.kind]).tobytes())
        return out


def build(code, options, operands, out):
    """A model of one operator, all of whose operands are inputs."""
    m = schema.ModelT()
    m.version, m.buffers, m.operatorCodes = 3, [schema.BufferT()], [schema.OperatorCodeT()]
    m.operatorCodes[0].builtinCode, m.operatorCodes[0].version = code, 1
    m.operatorCodes[0].deprecatedBuiltinCode = min(code, 127)
    s, op = schema.SubGraphT(), schema.OperatorT()
    m.subgraphs, s.operators = [s], [op]
    if options is not None:
        op.builtinOptionsType = getattr(schema.BuiltinOptions, type(options).__name__[:-1])
        op.builtinOptions = options
    s.tensors = []
    for i, o in enumerate(operands + [out]):
        t = schema.TensorT()
        t.name, t.shape, t.type = f"t{i}", o.shape, o.kind
        if o.scale:
            t.quantization = schema.QuantizationParametersT()
            t.quantization.scale, t.quantization.zeroPoint = o.scale, o.zero
            t.quantization.quantizedDimension = o.axis
        s.tensors.append(t)
    s.inputs = op.inputs = list(range(len(operands)))
    s.outputs = op.outputs = [len(operands)]
    b = flatbuffers.Builder(1024)
    b.Finish(m.Pack(b), b"TFL3")
    return bytes(b.Output())


def run(model, operands, resolver):
    """The bytes that LiteRT gives, and the shape."""
    i = Interpreter(model_content=model, experimental_op_resolver_type=resolver, num_threads=1)
    i.allocate_tensors()
    for k, o in enumerate(operands):
        i.set_tensor(k, o.data)
    i.invoke()
    y = i.get_tensor(len(operands))
    return np.ascontiguousarray(y).tobytes(), list(y.shape)


def micro(model, operands):
    """The bytes that TFLite-Micro gives."""
    i = Micro.from_bytes(model, arena_size=1 << 20)
    for k, o in enumerate(operands):
        i.set_input(o.data, k)
    i.invoke()
    y = i.get_output(0)
    return np.ascontiguousarray(y).tobytes(), list(y.shape)


def case(code, options, fields, inputs, out):
    """Record a case; fields are the values of the options by their number."""
    c = {"op": int(code), "fields": fields, "in": [o.json() for o in inputs]}
    try:
        out.shape = [int(d) for d in np.broadcast_shapes(*(o.shape for o in inputs))]
    except ValueError:
        pass  # SELECT by slices
    runtimes = {"litert-ref": lambda m: run(m, inputs, OpResolverType.BUILTIN_REF),
                "litert": lambda m: run(m, inputs, OpResolverType.AUTO), "tflm": lambda m: micro(m, inputs)}
    for name, runtime in runtimes.items():
        if name == "tflm" and any(o.kind in (T.UINT8, T.INT64, T.UINT64, T.UINT16, T.FLOAT16, T.FLOAT64) for o in inputs + [out]):
            continue
        if name == "tflm" and code == B.GREATER and inputs[0].kind == T.INT16:
            continue  # compares with factors that it never sets
        if name == "tflm" and code == B.SUB and inputs[0].kind in (T.INT8, T.INT16):
            continue  # the package divides scales in float64, the sources at 90b983c in float32
        try:
            data, shape = runtime(build(code, options, inputs, out))
            out.shape = [int(d) for d in shape]  # without it the delegate declines
            c[name] = text(data)
            if name != "litert-ref" and c[name] == c.get("litert-ref"):
                c[name] = "same"
        except (RuntimeError, ValueError, SystemError) as e:
            print(f"{name} left out:", code, [o.kind for o in inputs], out.kind, str(e)[:200], file=sys.stderr)
    if not c.keys() & runtimes.keys():
        return
    c["out"] = out.json()
    CASES.append(c)


def quantised(kind, shape, scale, zero=None, data=True):
    """An operand of integers."""
    if zero is None:
        zero = {T.INT16: 0, T.UINT8: int(RNG.integers(0, 256))}.get(kind, int(RNG.integers(-128, 128)))
    o = Operand(kind, shape, scale, zero)
    if data:
        info = np.iinfo(DTYPES[kind])
        o.data = RNG.integers(info.min, info.max + 1, shape).astype(DTYPES[kind])
    return o


def plain(kind, shape, spread=1.0):
    """An operand without quantisation."""
    o = Operand(kind, shape)
    if kind == T.FLOAT32:
        o.data = (RNG.standard_normal(shape) * spread).astype(np.float32)
    else:
        info = np.iinfo(DTYPES[kind])
        o.data = RNG.integers(info.min, info.max, shape, dtype=DTYPES[kind], endpoint=True)
    return o


def every(kind, scale, zero=None):
    """An operand with each value of eight bits, or many of sixteen."""
    info = np.iinfo(DTYPES[kind])
    values = np.arange(info.min, info.max + 1, 1 if kind != T.INT16 else 257)
    o = quantised(kind, [1, len(values)], scale, zero, data=False)
    o.data = values.astype(DTYPES[kind]).reshape(o.shape)
    return o


SHAPES = [([2, 5, 7], [2, 5, 7]), ([2, 5, 7], [7]), ([3, 1, 5], [1, 4, 1]), ([4, 6], [1]), ([1], [3, 9])]


def arithmetic():
    for code, make in ((B.ADD, schema.AddOptionsT), (B.SUB, schema.SubOptionsT), (B.MUL, schema.MulOptionsT)):
        for kind in (T.INT8, T.UINT8, T.INT16, T.FLOAT32, T.INT32, T.INT64):
            for number, (a, b) in enumerate(SHAPES):
                for small in (False, True) if kind in (T.INT8, T.INT16) else (False,):
                    o = make()
                    o.fusedActivationFunction = int(RNG.integers(0, 4)) if number else 0
                    if kind in (T.INT8, T.UINT8, T.INT16):
                        step = 1 / 32768 if kind == T.INT16 else 1 / 128
                        x, y = quantised(kind, a, step * RNG.uniform(0.5, 4)), quantised(kind, b, step * RNG.uniform(0.1, 9))
                        z = quantised(kind, [1], step * (RNG.uniform(0.7, 9) if small else RNG.uniform(7, 13)), data=False)
                    else:
                        x, y, z = plain(kind, a), plain(kind, b), Operand(kind, [1])
                    fields = [["b", o.fusedActivationFunction]]
                    if code != B.MUL:
                        o.potScaleInt16 = False
                        fields.append(["b", 0])
                    case(code, o, fields, [x, y], z)
    for code, make in ((B.ADD, schema.AddOptionsT), (B.SUB, schema.SubOptionsT)):
        for left, right in ((0, 0), (0, 3), (2, 0)):
            o = make()
            o.potScaleInt16 = True
            x, y = quantised(T.INT16, [3, 20], 2.0 ** (-12 - left)), quantised(T.INT16, [3, 20], 2.0 ** (-12 - right))
            case(code, o, [["b", 0], ["b", 1]], [x, y], quantised(T.INT16, [1], 2.0 ** -12, data=False))


def delegated():
    """Cases at the limits of what XNNPACK takes."""
    for code, make in ((B.ADD, schema.AddOptionsT), (B.SUB, schema.SubOptionsT), (B.MUL, schema.MulOptionsT)):
        for shape in ([2, 1, 2, 3, 1, 2, 2], [2, 3, 1, 2, 2, 2]):
            x, y = quantised(T.INT8, shape, 0.031), quantised(T.INT8, shape, 0.013)
            case(code, make(), [["b", 0]], [x, y], quantised(T.INT8, [1], 0.047, data=False))
        for a, b, z in ((3e-5, 0.05, 0.04), (0.05, 3e-5, 0.06), (9.0, 8.0, 12.0), (0.001, 0.0013, 2.5), (0.02, 0.03, 1e-4)):
            if code == B.MUL or z > max(a, b) / 200:  # else the default kernels overflow
                x, y = quantised(T.INT8, [40], a), quantised(T.INT8, [40], b)
                case(code, make(), [["b", 0]], [x, y], quantised(T.INT8, [1], z, data=False))
    for shape in ([2, 1, 2, 3, 1, 2, 2],):
        case(B.QUANTIZE, None, [], [plain(T.FLOAT32, shape, 9)], quantised(T.INT8, [1], 0.1, data=False))
        case(B.QUANTIZE, None, [], [quantised(T.INT8, shape, 0.03)], quantised(T.INT8, [1], 0.05, data=False))
        o = schema.LeakyReluOptionsT()
        o.alpha = 0.3
        case(B.LEAKY_RELU, o, [["f", 0.3]], [quantised(T.INT8, shape, 0.03)], quantised(T.INT8, [1], 0.05, data=False))
    for a, z in ((0.00001, 0.05), (5.0, 0.01)):
        case(B.QUANTIZE, None, [], [every(T.INT8, a)], quantised(T.INT8, [1], z, data=False))
        case(B.LEAKY_RELU, o, [["f", 0.3]], [every(T.INT8, a)], quantised(T.INT8, [1], z, data=False))


def softmax():
    for kind, scale, out_scale, out_zero in ((T.FLOAT32, 0, 0, 0), (T.INT8, 0.05, 1 / 256, -128), (T.UINT8, 0.05, 1 / 256, 0),
                                             (T.INT16, 0.0005, 1 / 32768, 0)):
        for beta in (1.0, 0.3, 8.0):
            for shape in ([3, 10], [1, 2, 61], [4, 1]):
                o = schema.SoftmaxOptionsT()
                o.beta = beta
                if kind == T.FLOAT32:
                    x, y = plain(kind, shape, 3), Operand(kind, [1])
                else:
                    x, y = quantised(kind, shape, scale * RNG.uniform(0.1, 2)), Operand(kind, [1], out_scale, out_zero)
                    if RNG.integers(0, 2):  # close to each other
                        x.data = (x.data // 16).astype(DTYPES[kind])
                case(B.SOFTMAX, o, [["f", beta]], [x], y)
    for beta in (1.0, 2.0):
        o = schema.SoftmaxOptionsT()
        o.beta = beta
        x = quantised(T.INT8, [2, 30], 0.03)
        case(B.SOFTMAX, o, [["f", beta]], [x], Operand(T.INT16, [1], 1 / 65536, -32768))


def sigmoids():
    for code in (B.LOGISTIC, B.TANH):
        case(code, None, [], [plain(T.FLOAT32, [5, 60], 6)], Operand(T.FLOAT32, [1]))
        for kind in (T.INT8, T.UINT8):
            for scale in (0.01, 0.0471, 0.2):
                zero = {T.INT8: -128, T.UINT8: 0}[kind] + (128 if code == B.TANH else 0)
                case(code, None, [], [every(kind, scale)], Operand(kind, [1], 1 / 128 if code == B.TANH else 1 / 256, zero))
        for scale in (2.0 ** -12, 2.0 ** -11, 1 / 5000, 0.001, 1 / 32768):
            case(code, None, [], [every(T.INT16, scale)], Operand(T.INT16, [1], 1 / 32768))


def rescaling():
    for zero in (0, 3):
        for kind in (T.INT8, T.UINT8, T.INT16):
            x = plain(T.FLOAT32, [4, 40], 2)
            x.data[0, :8] = [0.05, -0.05, 0.15, 0.25, 1e9, -1e9, 0.35, -0.45]  # halves, and what does not fit
            case(B.QUANTIZE, None, [], [x], Operand(kind, [1], 0.1 if kind != T.INT16 else 0.001, zero if kind != T.INT16 else 0))
    for a, b in ((T.INT8, T.INT8), (T.UINT8, T.UINT8), (T.INT8, T.UINT8), (T.UINT8, T.INT8), (T.INT8, T.INT16), (T.INT16, T.INT8),
                 (T.INT16, T.INT16), (T.INT16, T.INT32), (T.INT32, T.INT8), (T.INT32, T.INT16)):
        for ratio in (0.4571, 1, 3.7):
            step = {T.INT16: 0.0005, T.INT32: 1e-7}.get(a, 0.05)
            out = {T.INT16: 0.0005, T.INT32: 1e-7}.get(b, 0.05)
            x = every(a, step * ratio) if a != T.INT32 else quantised(a, [100], step * ratio, 0)
            if a == T.INT32:
                x.data //= 200
            zero = 0 if b in (T.INT16, T.INT32) else x.zero[0] + (128 if b == T.UINT8 and a == T.INT8 else 0) - (128 if a == T.UINT8 and b == T.INT8 else 0)
            case(B.QUANTIZE, None, [], [x], Operand(b, [1], out, zero))
    for kind in (T.INT8, T.UINT8, T.INT16):
        case(B.DEQUANTIZE, None, [], [every(kind, 0.0371)], Operand(T.FLOAT32, [1]))
    x = Operand(T.INT8, [3, 4, 5], [0.1, 0.2, 0.3, 0.7], 0, 1, RNG.integers(-128, 128, [3, 4, 5]).astype(np.int8))
    case(B.DEQUANTIZE, None, [], [x], Operand(T.FLOAT32, [1]))
    h = Operand(T.FLOAT16, [2, 500])
    h.data = RNG.integers(0, 0x7C00, [2, 500]).astype(np.uint16).view(np.float16) * np.float16(-1) ** RNG.integers(0, 2, [2, 500]).astype(np.float16)
    h.data = h.data.astype(np.float16)
    case(B.DEQUANTIZE, None, [], [h], Operand(T.FLOAT32, [1]))


def casts():
    kinds = (T.FLOAT32, T.FLOAT16, T.FLOAT64, T.INT8, T.UINT8, T.INT16, T.UINT16, T.INT32, T.UINT32, T.INT64, T.BOOL)
    for a in kinds:
        for b in kinds:
            x = Operand(a, [40])
            if a in (T.FLOAT32, T.FLOAT16, T.FLOAT64):
                x.data = (RNG.standard_normal(40) * 60).astype(DTYPES[a])
                x.data[:4] = [0, 0.5, -0.75, 1e4]
            elif a == T.BOOL:
                x.data = RNG.integers(0, 2, 40).astype(bool)
            else:
                x = plain(a, [40])
                x.data[:2] = [0, 1]
            o = schema.CastOptionsT()
            o.inDataType, o.outDataType = a, b
            case(B.CAST, o, [["b", int(a)], ["b", int(b)]], [x], Operand(b, [1]))


def activations():
    for code in (B.RELU, B.RELU6, B.RELU_N1_TO_1, B.RELU_0_TO_1, B.HARD_SWISH, B.ELU):
        case(code, None, [], [plain(T.FLOAT32, [3, 50], 5)], Operand(T.FLOAT32, [1]))
        for kind in (T.INT8, T.UINT8) + ((T.INT16,) if code in (B.RELU, B.RELU6) else ()):
            for ratio in (1, 0.71, 1.9):
                if kind == T.UINT8 and code == B.ELU:
                    continue
                step = 0.0004 if kind == T.INT16 else RNG.uniform(0.03, 0.1)
                x = every(kind, step)
                case(code, None, [], [x], Operand(kind, [1], step if ratio == 1 else step * ratio, x.zero[0]))
    for approximate in (False, True):
        o = schema.GeluOptionsT()
        o.approximate = approximate
        case(B.GELU, o, [["b", int(approximate)]], [plain(T.FLOAT32, [3, 50], 2)], Operand(T.FLOAT32, [1]))
        for kind in (T.INT8, T.UINT8):
            case(B.GELU, o, [["b", int(approximate)]], [every(kind, 0.04)], quantised(kind, [1], 0.03, data=False))
    for alpha in (0.1, 0.37, 1.5, -0.2):
        o = schema.LeakyReluOptionsT()
        o.alpha = alpha
        case(B.LEAKY_RELU, o, [["f", alpha]], [plain(T.FLOAT32, [3, 30])], Operand(T.FLOAT32, [1]))
        for kind in (T.INT8, T.UINT8, T.INT16):
            for ratio in (1, 0.77):
                case(B.LEAKY_RELU, o, [["f", alpha]], [every(kind, 0.03)], quantised(kind, [1], 0.03 * ratio, data=False))
    for shape in ([2, 4, 5], [1, 1, 5], [1], [4, 1]):
        case(B.PRELU, None, [], [plain(T.FLOAT32, [2, 4, 5]), plain(T.FLOAT32, shape)], Operand(T.FLOAT32, [1]))
        for a, b in ((T.INT8, T.INT8), (T.UINT8, T.UINT8), (T.INT16, T.INT8)):
            x, y = quantised(a, [2, 4, 5], 0.031), quantised(b, shape, 0.0073)
            case(B.PRELU, None, [], [x, y], quantised(a, [1], 0.027, data=False))


def functions():
    for code in (B.EXP, B.LOG, B.SQRT, B.RSQRT, B.SIN, B.COS, B.ABS, B.NEG, B.SQUARE, B.FLOOR, B.CEIL, B.ROUND, B.SIGN):
        x = plain(T.FLOAT32, [2, 60], 4)
        if code in (B.LOG, B.SQRT, B.RSQRT):
            x.data = np.abs(x.data)
        if code == B.ROUND:
            x.data[0, :6] = [0.5, 1.5, -0.5, -1.5, 2.5, -2.5]
        case(code, None, [], [x], Operand(T.FLOAT32, [1]))
        for kind, step in ((T.INT8, 0.031), (T.INT16, 0.00031)):
            zero = -128 if code in (B.SQRT, B.RSQRT) else None
            x = every(kind, step, zero if kind == T.INT8 else 0)
            if kind == T.INT16 and code in (B.SQRT, B.RSQRT):
                x.data = np.abs(np.maximum(x.data, -32767))
            scale = {B.EXP: 30, B.RSQRT: 3}.get(code, 0.9) * step
            case(code, None, [], [x], quantised(kind, [1], scale, -20 if kind == T.INT8 else 0, data=False))
        for kind in (T.INT32, T.INT64):
            case(code, None, [], [plain(kind, [30])], Operand(kind, [1]))
    b = Operand(T.BOOL, [20], data=RNG.integers(0, 2, 20).astype(bool))
    case(B.LOGICAL_NOT, None, [], [b], Operand(T.BOOL, [1]))


def pairs():
    kinds = {T.FLOAT32: 0, T.INT32: 0, T.INT64: 0, T.INT8: 0.05, T.UINT8: 0.05, T.INT16: 0.0005}
    for code in (B.MAXIMUM, B.MINIMUM, B.SQUARED_DIFFERENCE, B.DIV, B.POW, B.FLOOR_DIV, B.FLOOR_MOD):
        for kind, step in kinds.items():
            for a, b in SHAPES[:3]:
                if step:
                    x, y = quantised(kind, a, step * RNG.uniform(0.5, 1)), quantised(kind, b, step * RNG.uniform(0.3, 1))
                    z = quantised(kind, [1], step * RNG.uniform(0.7, 2) * (80 if code == B.SQUARED_DIFFERENCE else 1), data=False)
                    if code in (B.MAXIMUM, B.MINIMUM):
                        y.scale, y.zero = x.scale, x.zero
                        z.scale, z.zero = x.scale, x.zero
                else:
                    x, y, z = plain(kind, a, 3), plain(kind, b, 3), Operand(kind, [1])
                    if code == B.POW:
                        x.data, y.data = np.abs(x.data % 9), np.abs(y.data % 9)
                if code in (B.DIV, B.FLOOR_DIV, B.FLOOR_MOD):
                    zero = y.zero[0] if y.zero else 0
                    y.data[y.data == zero] = zero + 1 if zero < 127 else zero - 1
                o, fields = None, []
                if code == B.DIV:
                    o = schema.DivOptionsT()
                    o.fusedActivationFunction = int(RNG.integers(0, 4))
                    fields = [["b", o.fusedActivationFunction]]
                case(code, o, fields, [x, y], z)
    for code in (B.EQUAL, B.NOT_EQUAL, B.LESS, B.LESS_EQUAL, B.GREATER, B.GREATER_EQUAL):
        for kind, step in list(kinds.items()) + [(T.BOOL, 0)]:
            for a, b in SHAPES[:3]:
                if kind == T.BOOL:
                    x, y = (Operand(kind, s, data=RNG.integers(0, 2, s).astype(bool)) for s in (a, b))
                elif step:
                    x, y = quantised(kind, a, step), quantised(kind, b, step * RNG.choice([1, 0.5, 0.7]))
                else:
                    x, y = plain(kind, a), plain(kind, b)
                    x.data, y.data = x.data % 3 // 1, y.data % 3 // 1
                case(code, None, [], [x, y], Operand(T.BOOL, [1]))
    case(B.ATAN2, None, [], [plain(T.FLOAT32, [5, 30]), plain(T.FLOAT32, [5, 30])], Operand(T.FLOAT32, [1]))
    power = plain(T.FLOAT32, [1])
    for exponent in (2, 3, 0.5):
        power.data[:] = exponent
        x = plain(T.FLOAT32, [4, 30])
        x.data = np.abs(x.data)
        case(B.POW, None, [], [x, power], Operand(T.FLOAT32, [1]))
    for code in (B.LOGICAL_AND, B.LOGICAL_OR):
        x, y = (Operand(T.BOOL, s, data=RNG.integers(0, 2, s).astype(bool)) for s in ([3, 1, 5], [4, 1]))
        case(code, None, [], [x, y], Operand(T.BOOL, [1]))
    for code in (B.BITWISE_XOR, B.RIGHT_SHIFT):
        for kind in (T.INT8, T.UINT8, T.INT16, T.UINT16, T.INT32, T.UINT32):
            x, y = plain(kind, [5, 7]), plain(kind, [7])
            if code == B.RIGHT_SHIFT:
                y.data = (y.data % 40).astype(DTYPES[kind])
            case(code, None, [], [x, y], Operand(kind, [1]))


def selections():
    for kind in (T.FLOAT32, T.INT8, T.INT16, T.INT32, T.INT64):
        for code, shapes in ((B.SELECT, ([3, 4], [3, 4], [3, 4])), (B.SELECT, ([3], [3, 4], [3, 4])), (B.SELECT, ([], [3, 4], [3, 4])),
                             (B.SELECT_V2, ([3, 1], [3, 4], [4])), (B.SELECT_V2, ([1], [2, 1, 4], [3, 1]))):
            c = Operand(T.BOOL, shapes[0], data=np.asarray(RNG.integers(0, 2, shapes[0]), bool))
            ops = [plain(kind, s) for s in shapes[1:]]
            case(code, None, [], [c] + ops, Operand(kind, [1]))


def normalizations():
    for shape in ([3, 20], [2, 2, 7], [4, 1]):
        o = schema.L2NormOptionsT()
        case(B.L2_NORMALIZATION, o, [["b", 0]], [plain(T.FLOAT32, shape)], Operand(T.FLOAT32, [1]))
        case(B.LOG_SOFTMAX, None, [], [plain(T.FLOAT32, shape, 3)], Operand(T.FLOAT32, [1]))
        for kind, zero in ((T.INT8, 0), (T.UINT8, 128)):
            for small in (1, 16):
                x = quantised(kind, shape, 0.04)
                x.data = (x.data // small).astype(DTYPES[kind])
                case(B.L2_NORMALIZATION, o, [["b", 0]], [x], Operand(kind, [1], 1 / 128, zero))
                x.scale = [0.04 * small]
                case(B.LOG_SOFTMAX, None, [], [x], Operand(kind, [1], 1 / 16, zero + 127))
    for radius in (1, 3, 20):
        o = schema.LocalResponseNormalizationOptionsT()
        o.radius, o.bias, o.alpha, o.beta = radius, 1.5, 0.3, 0.75
        case(B.LOCAL_RESPONSE_NORMALIZATION, o, [["i", radius], ["f", 1.5], ["f", 0.3], ["f", 0.75]],
             [plain(T.FLOAT32, [2, 3, 2, 11])], Operand(T.FLOAT32, [1]))
    for kind in (T.FLOAT32, T.INT32, T.INT8):
        for count in (2, 3, 5):
            xs = [plain(kind, [3, 7]) if kind != T.INT8 else quantised(kind, [3, 7], 0.04, 5) for _ in range(count)]
            case(B.ADD_N, None, [], xs, Operand(kind, [1]) if kind != T.INT8 else quantised(kind, [1], 0.07, data=False))


def main():
    families = [arithmetic, delegated, softmax, sigmoids, rescaling, casts, activations, functions, pairs, selections, normalizations]
    for family in families:
        family()
    versions = {p: importlib.metadata.version(p) for p in ("ai-edge-litert", "tflite-micro", "numpy", "flatbuffers")}
    json.dump({"versions": versions, "cases": CASES}, sys.stdout, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main()
