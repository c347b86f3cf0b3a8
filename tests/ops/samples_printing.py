"""Samples of ops that make and write text."""

from tests.ops.harness import S, f32, i32, text

SAMPLES = [
    S("StringFormat", [f32(2), i32(2, 2)], template="a %s b %s"),
    S("PrintV2", text("x").reshape(()), end=""),
]
