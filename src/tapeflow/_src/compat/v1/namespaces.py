"""Namespaces of `tf.compat.v1` that consist of functions of TensorFlow 2."""

from __future__ import annotations

from tapeflow._src.compat.v1.aliases import namespace

lookup = namespace("lookup")
manip = namespace("manip")
quantization = namespace("quantization")
sets = namespace("sets")
spectral = namespace("spectral")
