#!/usr/bin/env python3
"""Write small models of operators that few models in circulation have.

    pip install ai-edge-litert flatbuffers numpy
    python make_ops.py ops
    python record_litert.py ops > litert_ops.jsonl
    python record_tflm.py ops > tflm_ops.jsonl

Each has the operator between two others, so that its working memory meets
what lives before and after it.
"""

import pathlib
import sys

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from flatbuffers import flexbuffers

FLOAT, INT8, INT32, BOOL, COMPLEX = (
    schema.TensorType.FLOAT32,
    schema.TensorType.INT8,
    schema.TensorType.INT32,
    schema.TensorType.BOOL,
    schema.TensorType.COMPLEX64,
)
DTYPES = {FLOAT: np.float32, INT8: np.int8, INT32: np.int32, BOOL: np.bool_}


class Writer:
    """A model that is being put together."""

    def __init__(self):
        self.model = schema.ModelT()
        self.model.version = 3
        self.model.buffers = [schema.BufferT()]
        self.model.operatorCodes = []
        self.model.subgraphs = []

    def subgraph(self):
        s = schema.SubGraphT()
        s.tensors, s.operators, s.inputs, s.outputs = [], [], [], []
        self.model.subgraphs.append(s)
        return s

    def tensor(self, s, shape, kind=FLOAT, data=None, constant=False, variable=False):
        t = schema.TensorT()
        t.name, t.shape, t.type, t.isVariable = f"t{len(s.tensors)}", list(shape), kind, variable
        if constant and data is None:
            data = np.ones(shape)
        if data is not None:
            b = schema.BufferT()
            b.data = np.frombuffer(np.asarray(data, DTYPES[kind]).tobytes(), np.uint8)
            t.buffer = len(self.model.buffers)
            self.model.buffers.append(b)
        if kind == INT8:
            t.quantization = schema.QuantizationParametersT()
            t.quantization.scale, t.quantization.zeroPoint = [0.5], [0]
        s.tensors.append(t)
        return len(s.tensors) - 1

    def constants(self, s, *shapes, kind=FLOAT):
        return [self.tensor(s, shape, kind, constant=True) for shape in shapes]

    def op(self, s, name, inputs, outputs, options=None):
        code = getattr(schema.BuiltinOperator, name)
        for index, c in enumerate(self.model.operatorCodes):
            if c.builtinCode == code:
                break
        else:
            index = len(self.model.operatorCodes)
            c = schema.OperatorCodeT()
            c.builtinCode, c.deprecatedBuiltinCode, c.version = code, min(code, 127), 1
            if name in ("RNN", "UNIDIRECTIONAL_SEQUENCE_RNN", "BIDIRECTIONAL_SEQUENCE_RNN", "BIDIRECTIONAL_SEQUENCE_LSTM"):
                c.version = 3
            self.model.operatorCodes.append(c)
        o = schema.OperatorT()
        o.opcodeIndex, o.inputs, o.outputs = index, inputs, outputs
        if options is not None:
            o.builtinOptionsType = getattr(schema.BuiltinOptions, type(options).__name__[:-1])
            o.builtinOptions = options
        s.operators.append(o)

    def between(self, shape, result, kind, build):
        """ABS, what build adds from one tensor to others, ABS."""
        s = self.subgraph()
        given, start = self.tensor(s, shape), self.tensor(s, shape)
        self.op(s, "ABS", [given], [start])
        made = build(s, start)
        end = self.tensor(s, result, kind)
        self.op(s, "ABS" if kind == FLOAT else "COMPLEX_ABS", [made], [end])
        s.inputs, s.outputs = [given], [end]
        if kind == COMPLEX:
            s.tensors[end].type = FLOAT
        return self

    def save(self, path):
        b = flatbuffers.Builder(4096)
        b.Finish(self.model.Pack(b), b"TFL3")
        path.write_bytes(bytes(b.Output()))


def rnn(name, options, shape, kind):
    w = Writer()

    def build(s, x):
        units = 5
        weights = w.constants(s, (units, shape[-1]), (units, units), kind=kind)
        bias = w.constants(s, (units,))
        state = w.tensor(s, (shape[0], units), variable=True)
        out = w.tensor(s, (*shape[:-1], units))
        w.op(s, name, [x, *weights, *bias, state], [out], options)
        return out

    return w.between(shape, (*shape[:-1], 5), FLOAT, build)


def bidirectional_rnn(kind, aux):
    w, batch, steps, size, fw, bw, extra = Writer(), 3, 4, 6, 5, 7, 9
    options = schema.BidirectionalSequenceRNNOptionsT()
    options.mergeOutputs = True

    def build(s, x):
        inputs = [x]
        for units in fw, bw:
            inputs += w.constants(s, (units, size), (units, units), kind=kind)
            inputs += w.constants(s, (units,))
            inputs.append(w.tensor(s, (batch, units), variable=True))
        if aux:
            inputs += w.constants(s, (batch, steps, extra))
            inputs += w.constants(s, (fw, extra), (bw, extra), kind=kind)
        else:
            inputs += [-1, -1, -1]
        out = w.tensor(s, (batch, steps, fw + bw))
        w.op(s, "BIDIRECTIONAL_SEQUENCE_RNN", inputs, [out], options)
        return out

    return w.between((batch, steps, size), (batch, steps, fw + bw), FLOAT, build)


def bidirectional_lstm(kind, coupled, projected):
    w, batch, steps, size, cells, back = Writer(), 3, 4, 6, 5, 5  # the kernel wants them equal
    fw_out, bw_out = (8, 8) if projected else (cells, back)
    options = schema.BidirectionalSequenceLSTMOptionsT()
    options.mergeOutputs = True
    options.timeMajor = False
    options.fusedActivationFunction = schema.ActivationFunctionType.TANH

    def build(s, x):
        inputs = [x]
        for units, result in (cells, fw_out), (back, bw_out):
            for width in size, result:
                weights = w.constants(s, *[(units, width)] * 4, kind=kind)
                inputs += [-1, *weights[1:]] if coupled else weights
            inputs += [-1, -1, -1]
            biases = w.constants(s, *[(units,)] * 4)
            inputs += [-1, *biases[1:]] if coupled else biases
            inputs += w.constants(s, (result, units), kind=kind) if projected else [-1]
            inputs.append(-1)
        for units, result in (cells, fw_out), (back, bw_out):
            inputs.append(w.tensor(s, (batch, result), variable=True))
            inputs.append(w.tensor(s, (batch, units), variable=True))
        inputs += [-1] * 9
        out = w.tensor(s, (batch, steps, fw_out + bw_out))
        w.op(s, "BIDIRECTIONAL_SEQUENCE_LSTM", inputs, [out], options)
        return out

    return w.between((batch, steps, size), (batch, steps, fw_out + bw_out), FLOAT, build)


def fourier(height, width):
    w = Writer()

    def build(s, x):
        length = w.tensor(s, (2,), INT32, [height, width])
        out = w.tensor(s, (2, height, width // 2 + 1), COMPLEX)
        w.op(s, "RFFT2D", [x, length], [out], schema.Rfft2dOptionsT())
        return out

    return w.between((2, height, width), (2, height, width // 2 + 1), COMPLEX, build)


def detection(boxes, classes, found, each):
    """The end of an SSD model; the sizes of its results are right in the file."""
    w = Writer()
    s = w.subgraph()
    given = [w.tensor(s, (1, boxes, 4)), w.tensor(s, (1, boxes, classes + 1))]
    start = [w.tensor(s, (1, boxes, 4)), w.tensor(s, (1, boxes, classes + 1))]
    for a, b in zip(given, start):
        w.op(s, "ABS", [a], [b])
    n = found * each
    results = [w.tensor(s, shape) for shape in ((1, n, 4), (1, n), (1, n), (1,))]
    w.op(s, "CUSTOM", [*start, *w.constants(s, (boxes, 4))], results)
    w.model.operatorCodes[-1].customCode = "TFLite_Detection_PostProcess"
    options = {
        "max_detections": found, "max_classes_per_detection": each, "num_classes": classes,
        "nms_score_threshold": 0.5, "nms_iou_threshold": 0.5,
        "y_scale": 10.0, "x_scale": 10.0, "h_scale": 5.0, "w_scale": 5.0,
    }
    s.operators[-1].customOptions = np.frombuffer(flexbuffers.Dumps(options), np.uint8)
    ends = [w.tensor(s, (1, n, 4))]
    w.op(s, "ABS", results[:1], ends)
    s.inputs, s.outputs = given, ends + results[1:]
    return w


def loop(read):
    """WHILE whose second value never changes; the caller reads it or does not."""
    w = Writer()
    main, cond, body = w.subgraph(), w.subgraph(), w.subgraph()
    shapes = [(1,), (40,), (24,)]
    given = [w.tensor(main, s) for s in shapes]
    start = [w.tensor(main, s) for s in shapes]
    results = [w.tensor(main, s) for s in shapes]
    for a, b in zip(given, start):
        w.op(main, "ABS", [a], [b])
    options = schema.WhileOptionsT()
    options.condSubgraphIndex, options.bodySubgraphIndex = 1, 2
    w.op(main, "WHILE", start, results, options)
    ends = []
    for k in (0, 1, 2) if read else (0, 2):
        ends.append(w.tensor(main, shapes[k]))
        w.op(main, "ABS", [results[k]], [ends[-1]])
    main.inputs, main.outputs = given, ends

    cond.inputs = [w.tensor(cond, s) for s in shapes]
    most = w.tensor(cond, (1,), data=[3.0])
    cond.outputs = [w.tensor(cond, (1,), BOOL)]
    w.op(cond, "LESS", [cond.inputs[0], most], cond.outputs)

    body.inputs = [w.tensor(body, s) for s in shapes]
    one = w.tensor(body, (1,), data=[1.0])
    count, sum = w.tensor(body, (1,)), w.tensor(body, (24,))
    w.op(body, "ADD", [body.inputs[0], one], [count], schema.AddOptionsT())
    w.op(body, "ABS", [body.inputs[2]], [sum])
    body.outputs = [count, body.inputs[1], sum]
    return w


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, model in {
        "rnn_hybrid": rnn("RNN", schema.RNNOptionsT(), (3, 6), INT8),
        "unidirectional_rnn": rnn("UNIDIRECTIONAL_SEQUENCE_RNN", schema.SequenceRNNOptionsT(), (3, 4, 6), FLOAT),
        "unidirectional_rnn_hybrid": rnn("UNIDIRECTIONAL_SEQUENCE_RNN", schema.SequenceRNNOptionsT(), (3, 4, 6), INT8),
        "bidirectional_rnn": bidirectional_rnn(FLOAT, False),
        "bidirectional_rnn_hybrid": bidirectional_rnn(INT8, False),
        "bidirectional_rnn_hybrid_aux": bidirectional_rnn(INT8, True),
        "bidirectional_lstm": bidirectional_lstm(FLOAT, False, False),
        "bidirectional_lstm_coupled": bidirectional_lstm(FLOAT, True, False),
        "bidirectional_lstm_hybrid": bidirectional_lstm(INT8, False, False),
        "bidirectional_lstm_hybrid_projected": bidirectional_lstm(INT8, True, True),
        "rfft2d_wide": fourier(4, 32),
        "rfft2d_high": fourier(32, 8),
        "detection": detection(30, 7, 10, 1),
        "detection_several_classes": detection(12, 3, 40, 2),
        "while_kept_read": loop(True),
        "while_kept_unread": loop(False),
    }.items():
        model.save(folder / f"{name}.tflite")


if __name__ == "__main__":
    main()
