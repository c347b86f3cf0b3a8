"""Samples of quantization, real and fake, and of sound files."""

import numpy as np

from tests.ops.harness import Law, S, f32, f64, text

_STEPS = Law(finite=False, jit=False, order2=False, why="steps have no slope, a ramp's is taken")
_LOW, _HIGH = np.float32(-1), np.float32(1.5)
_LOWS, _HIGHS = np.array([-1, -0.5, -2], np.float32), np.array([1, 2, 0.5], np.float32)
_WIDE = _LOWS.astype(np.float64), _HIGHS.astype(np.float64)
_BYTES = np.array([[-128, -1], [0, 127]], np.int8).view([("qint8", np.int8)])
# One channel of two samples, 8000 a second.
_FILE = text(
    b"RIFF\x28\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0"
    b"data\4\0\0\0\0\x40\0\x80"
).reshape(())

SAMPLES = [
    S("FakeQuantWithMinMaxArgs", f32(2, 3), law=_STEPS),
    S("FakeQuantWithMinMaxArgs", f32(0), min=-1.0, max=0.5, num_bits=4, law=_STEPS),
    S("FakeQuantWithMinMaxArgsGradient", f32(2, 3), f32(2, 3), min=-1.0, max=1.0),
    S("FakeQuantWithMinMaxVars", f32(2, 3), _LOW, _HIGH, law=_STEPS),
    S("FakeQuantWithMinMaxVars", f32(2, 3), np.float32(0), np.float32(0), law=_STEPS),
    S("FakeQuantWithMinMaxVarsGradient", f32(2, 3), f32(2, 3), _LOW, _HIGH, narrow_range=True),
    S("FakeQuantWithMinMaxVarsPerChannel", f32(2, 3), _LOWS, _HIGHS, num_bits=3, law=_STEPS),
    S("FakeQuantWithMinMaxVarsPerChannelGradient", f32(2, 3), f32(2, 3), _LOWS, _HIGHS),
    S("QuantizeV2", f32(2, 3), _LOW, _HIGH, T="quint8"),
    S("QuantizeV2", f32(2, 3), _LOW, _HIGH, T="qint8", mode="MIN_FIRST"),
    S("QuantizeV2", f32(2, 3), _LOWS, _HIGHS, T="qint16", mode="SCALED", axis=1),
    S("Dequantize", _BYTES, _LOW, _HIGH),
    S("Dequantize", _BYTES, _LOW, _HIGH, mode="SCALED", dtype="bfloat16"),
    S("QuantizeAndDequantizeV2", f32(2, 3), _LOW, _HIGH, law=_STEPS),
    S("QuantizeAndDequantizeV4", f32(2, 3), _LOW, _HIGH, range_given=True, law=_STEPS),
    S("QuantizeAndDequantizeV4", f64(2, 3), *_WIDE, axis=1, law=_STEPS),
    S("QuantizeAndDequantizeV4Grad", f32(2, 3), f32(2, 3), _LOW, _HIGH, law=_STEPS),
    S("EncodeWav", f32(4, 2), np.int32(8000)),
    S("DecodeWav", _FILE),
    S("DecodeWav", _FILE, desired_channels=2, desired_samples=3),
]
