#!/usr/bin/env python3
"""Record operators that keep a state from one invocation to the next, as the
reference kernels of the real runtime compute them.

    pip install ai-edge-litert flatbuffers numpy
    python record_recurrent.py > recurrent.json

Cases are drawn with a fixed seed. Each is a model of one operator that is
invoked some times; numbers are written as the bytes, in base64, of tensors. A
case that the runtime refuses is left out.
"""

import importlib.metadata
import json
import sys

import flatbuffers
import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from record_conv import DTYPES, Operand, T, schema, text

B = schema.BuiltinOperator
RNG = np.random.default_rng(20250101)
CASES = []


def build(code, options, inputs, mid, out):
    """A model of one operator; of the operands the first is its input."""
    m = schema.ModelT()
    m.version, m.buffers, m.operatorCodes = 3, [schema.BufferT()], [schema.OperatorCodeT()]
    m.operatorCodes[0].builtinCode = m.operatorCodes[0].deprecatedBuiltinCode = code
    m.operatorCodes[0].version = 1
    s, op = schema.SubGraphT(), schema.OperatorT()
    m.subgraphs, s.tensors, s.inputs, s.outputs = [s], [], [0], []
    s.operators, op.inputs, op.outputs, op.intermediates = [op], [], [], []
    op.builtinOptionsType = getattr(schema.BuiltinOptions, type(options).__name__[:-1])
    op.builtinOptions = options
    for kind, o in [("in", o) for o in inputs] + [("mid", o) for o in mid] + [("out", out)]:
        to = {"in": op.inputs, "mid": op.intermediates, "out": op.outputs}[kind]
        if o is None:
            to.append(-1)
            continue
        to.append(len(s.tensors))
        t = schema.TensorT()
        t.name, t.shape, t.type = f"t{len(s.tensors)}", o.shape, o.kind
        t.isVariable = kind == "in" and o.data is None and o is not inputs[0]
        if o.scale:
            t.quantization = schema.QuantizationParametersT()
            t.quantization.scale, t.quantization.zeroPoint = o.scale, o.zero
        if o.data is not None:
            b = schema.BufferT()
            b.data = np.frombuffer(o.bytes(), np.uint8)
            t.buffer = len(m.buffers)
            m.buffers.append(b)
        s.tensors.append(t)
    s.outputs = list(op.outputs)
    b = flatbuffers.Builder(1024)
    b.Finish(m.Pack(b), b"TFL3")
    return bytes(b.Output())


def case(code, options, fields, inputs, mid, out, xs):
    """Record a case; fields are the values of the options by their number."""
    try:
        i = Interpreter(model_content=build(code, options, inputs, mid, out),
                        experimental_op_resolver_type=OpResolverType.BUILTIN_REF, num_threads=1)
        i.allocate_tensors()
        want = []
        for x in xs:
            i.set_tensor(i.get_input_details()[0]["index"], x)
            i.invoke()
            y = i.get_tensor(i.get_output_details()[0]["index"])
            out.shape = [int(d) for d in y.shape]
            want.append(text(np.ascontiguousarray(y).tobytes()))
    except (RuntimeError, ValueError) as e:
        print("left out:", code, fields, [o and o.kind for o in inputs], str(e)[:150], file=sys.stderr)
        return
    CASES.append({"op": int(code), "fields": fields, "in": [o and o.json() for o in inputs], "mid": [o and o.json() for o in mid],
                  "out": out.json(), "x": [text(x.tobytes()) for x in xs], "want": want})


def floats(*shape, spread=0.5):
    return Operand(T.FLOAT32, shape, data=(RNG.standard_normal(shape) * spread).astype(np.float32))


def integers(kind, *shape, scale, bits):
    top = 1 << bits
    return Operand(kind, shape, scale, 0, data=RNG.integers(-top + 1, top, shape).astype(DTYPES[kind]))


def lstm(sequence, integer, coupled, peephole, norm, projected, major, clip, hybrid=0):
    batch, steps, n, cells = 2, 4, 5, 6
    size = 3 if projected else cells
    shape = (steps, batch, n) if major else (batch, steps, n)
    if not sequence:
        shape = (batch, n)
    ops = [None] * 24
    weight = (lambda *s: integers(T.INT8, *s, scale=RNG.uniform(0.004, 0.02), bits=7)) if integer else floats
    if hybrid:  # 1: symmetric, 2: asymmetric
        weight = lambda *s: integers(T.INT8, *s, scale=RNG.uniform(0.004, 0.02), bits=7)
    vector = (lambda *s: integers(T.INT16, *s, scale=RNG.uniform(0.5, 2) / 32768, bits=15)) if integer else floats
    if integer:
        ops[0] = Operand(T.INT8, shape, RNG.uniform(0.005, 0.03), int(RNG.integers(-30, 30)))
        ops[18] = Operand(T.INT8, (batch, size), RNG.uniform(0.005, 0.01), int(RNG.integers(-20, 20)))
        ops[19] = Operand(T.INT16, (batch, cells), 2.0 ** -int(RNG.integers(11, 14)), 0)
    else:
        ops[0], ops[18], ops[19] = (Operand(T.FLOAT32, s) for s in (shape, (batch, size), (batch, cells)))
    for g in range(4):
        if coupled and g == 0:
            continue
        ops[1 + g], ops[5 + g] = weight(cells, n), weight(cells, size)
        ops[12 + g] = floats(cells)
        if integer:
            ops[12 + g] = Operand(T.INT32, (cells,), ops[0].scale[0] * ops[1 + g].scale[0], 0, data=RNG.integers(-9000, 9000, cells).astype(np.int32))
        if norm:
            ops[20 + g] = vector(cells)
            if integer:
                ops[12 + g].data = RNG.integers(-1 << 20, 1 << 20, cells).astype(np.int32)
        if peephole and g != 2:
            ops[9 + min(g, 2)] = weight(cells) if hybrid else vector(cells)
    if projected:
        ops[16] = weight(size, cells)
        ops[17] = Operand(T.INT32, (size,), 1e-4, 0, data=RNG.integers(-3000, 3000, size).astype(np.int32)) if integer else floats(size)
    mid = []
    if integer:
        scale = (lambda: RNG.uniform(0.5, 2) / 4096) if norm else (lambda: 1.0)
        mid = [Operand(T.INT16, [0], scale(), 0) for _ in range(4)]
        hidden = Operand(T.INT8, [0], RNG.uniform(0.004, 0.01), int(RNG.integers(-10, 10)))
        if not projected:
            hidden.scale, hidden.zero = ops[18].scale, ops[18].zero
        mid.append(hidden)
    out = Operand(ops[0].kind, [*shape[:-1], size], ops[18].scale and ops[18].scale[0], ops[18].zero[0] if integer else 0)
    o = schema.UnidirectionalSequenceLSTMOptionsT() if sequence else schema.LSTMOptionsT()
    o.fusedActivationFunction, o.cellClip, o.projClip = schema.ActivationFunctionType.TANH, clip, clip / 2
    o.asymmetricQuantizeInputs = hybrid == 2
    fields = [["b", 4], ["f", o.cellClip], ["f", o.projClip], ["b", 0], ["b", int(hybrid == 2)]]
    if sequence:
        o.timeMajor = bool(major)
        fields[3] = ["b", int(major)]
    xs = [(RNG.integers(-128, 128, shape).astype(np.int8) if integer else RNG.standard_normal(shape).astype(np.float32)) for _ in range(3)]
    xs[1] *= 0
    case(B.UNIDIRECTIONAL_SEQUENCE_LSTM if sequence else B.LSTM, o, fields, ops, mid, out, xs)


def lstms():
    for integer in (False, True):
        for variant in range(16):
            coupled, peephole, norm, projected = (bool(variant >> k & 1) for k in range(4))
            lstm(variant % 3 > 0, integer, coupled, peephole, norm, projected, variant % 2 == 0, 0.0 if variant % 4 else 1.5)
            if variant in (0, 15):
                for sequence in (False, True):
                    lstm(sequence, integer, coupled, peephole, norm, projected, False, 0.0)


def hybrids():
    for variant in range(16):
        coupled, peephole, norm, projected = (bool(variant >> k & 1) for k in range(4))
        lstm(variant % 3 > 0, False, coupled, peephole, norm, projected, variant % 2 == 0, 0.0 if variant % 4 else 1.5, 1 + variant // 2 % 2)
    for batch, n, units, rank, memory, biased, asymmetric in ((1, 4, 3, 2, 7, 1, 0), (2, 9, 4, 1, 3, 0, 1), (3, 2, 2, 3, 1, 1, 1)):
        filters = units * rank
        o = schema.SVDFOptionsT()
        o.rank, o.fusedActivationFunction, o.asymmetricQuantizeInputs = rank, 0, bool(asymmetric)
        ops = [Operand(T.FLOAT32, (batch, n)), integers(T.INT8, filters, n, scale=0.01, bits=7), integers(T.INT8, filters, memory, scale=0.02, bits=7),
               floats(units) if biased else None, Operand(T.FLOAT32, (batch, filters * memory))]
        xs = [RNG.standard_normal((batch, n)).astype(np.float32) for _ in range(4)]
        case(B.SVDF, o, [["i", rank], ["b", 0], ["b", asymmetric]], ops, [], Operand(T.FLOAT32, (batch, units)), xs)


def svdfs():
    for integer in (False, True):
        for batch, n, units, rank, memory, biased in ((1, 4, 3, 2, 7, 1), (2, 5, 4, 1, 3, 0), (3, 2, 2, 3, 1, 1)):
            filters = units * rank
            o = schema.SVDFOptionsT()
            o.rank, o.fusedActivationFunction = rank, schema.ActivationFunctionType.RELU
            fields = [["i", rank], ["b", 1]]
            if integer:
                x = Operand(T.INT8, (batch, n), 0.05, int(RNG.integers(-30, 30)))
                ops = [x, integers(T.INT8, filters, n, scale=0.01, bits=7), integers(T.INT16, filters, memory, scale=3e-5, bits=15),
                       Operand(T.INT32, (units,), 1e-6, 0, data=RNG.integers(-9000, 9000, units).astype(np.int32)) if biased else None,
                       Operand(T.INT16, (batch, filters * memory), 3e-4, 0)]
                out = Operand(T.INT8, (batch, units), 0.03, int(RNG.integers(-30, 30)))
                xs = [RNG.integers(-128, 128, (batch, n)).astype(np.int8) for _ in range(4)]
            else:
                ops = [Operand(T.FLOAT32, (batch, n)), floats(filters, n), floats(filters, memory), floats(units) if biased else None,
                       Operand(T.FLOAT32, (batch, filters * memory))]
                out = Operand(T.FLOAT32, (batch, units))
                xs = [RNG.standard_normal((batch, n)).astype(np.float32) for _ in range(4)]
            case(B.SVDF, o, fields, ops, [], out, xs)


def rnns():
    for activation in (0, 1, 3, 4):
        for major in (None, False, True):
            batch, steps, n, units = 2, 3, 5, 4
            shape = (batch, n) if major is None else (steps, batch, n) if major else (batch, steps, n)
            ops = [Operand(T.FLOAT32, shape), floats(units, n), floats(units, units), floats(units), Operand(T.FLOAT32, (batch, units))]
            out = Operand(T.FLOAT32, [*shape[:-1], units])
            o, fields = schema.RNNOptionsT(), [["b", activation]]
            if major is not None:
                o, fields = schema.SequenceRNNOptionsT(), [["b", int(major)], ["b", activation]]
                o.timeMajor = major
            o.fusedActivationFunction = activation
            xs = [RNG.standard_normal(shape).astype(np.float32) for _ in range(2)]
            case(B.RNN if major is None else B.UNIDIRECTIONAL_SEQUENCE_RNN, o, fields, ops, [], out, xs)


if __name__ == "__main__":
    lstms()
    svdfs()
    rnns()
    hybrids()
    versions = {"ai-edge-litert": importlib.metadata.version("ai-edge-litert")}
    print(json.dumps({"versions": versions, "cases": CASES}, separators=(",", ":")))
