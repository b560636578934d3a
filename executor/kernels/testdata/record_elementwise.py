#!/usr/bin/env python3
"""Record elementwise operators of the real runtimes: what LiteRT's reference
kernels, its default kernels and TFLite-Micro compute.

    pip install ai-edge-litert tflite-micro flatbuffers numpy
    python record_elementwise.py > elementwise.json

Cases are drawn with a fixed seed. Each is a model of one operator; numbers are
written as the bytes, in base64, of tensors. A runtime that refuses a case is
left out of it.
"""

import importlib.metadata
import json
import sys

import numpy as np
from record_conv import DTYPES, Operand, T, build, run, schema, text
from ai_edge_litert.interpreter import OpResolverType
from tflite_micro.python.tflite_micro.runtime import Interpreter as Micro

B = schema.BuiltinOperator
RNG = np.random.default_rng(54321)
CASES = []


class NONET:
    """Options of operators that have none."""

    def Pack(self, builder):
        return 0


def micro(model, operands):
    i = Micro.from_bytes(model, arena_size=1 << 20)
    k = 0
    for n, o in enumerate(operands):
        if o is not None and (o.data is None or n == 0):
            i.set_input(o.data, k)
            k += 1
    i.invoke()
    return np.ascontiguousarray(i.get_output(0)).tobytes()


def case(code, options, fields, inputs, out):
    """Record a case; fields are the values of the options by their number."""
    c = {"op": int(code), "fields": fields, "in": [o and o.json() for o in inputs]}
    options = options or NONET()
    try:
        ref, shape = run(build(code, options, inputs, out), inputs, OpResolverType.BUILTIN_REF)
        c["litert-ref"] = text(ref)
        out.shape = [int(d) for d in shape]  # without it the delegate declines
        default, _ = run(build(code, options, inputs, out), inputs, OpResolverType.AUTO)
        c["litert"] = text(default)
    except (RuntimeError, ValueError) as e:
        print("LiteRT left out:", code, [o and o.json()["type"] for o in inputs], str(e)[:200], file=sys.stderr)
        return
    if not any(o and o.kind in (T.UINT8, T.INT64) for o in inputs):
        try:
            c["tflm"] = text(micro(build(code, options, inputs, out), inputs))
        except (RuntimeError, ValueError, SystemError) as e:
            print("Micro left out:", code, [o and o.json()["type"] for o in inputs], str(e)[:200], file=sys.stderr)
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
    values = np.arange(info.min, info.max + 1, 1 if kind != T.INT16 else 97)
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


def main():
    families = [arithmetic, softmax, sigmoids]
    for family in families:
        family()
    versions = {p: importlib.metadata.version(p) for p in ("ai-edge-litert", "tflite-micro", "numpy", "flatbuffers")}
    json.dump({"versions": versions, "cases": CASES}, sys.stdout, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main()
