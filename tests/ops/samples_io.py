"""Samples of ops on files and on strings of bytes that hold values."""

from tests.ops.harness import S, text

SAMPLES = [
    S("ReadFile", text("/dev/null").reshape(())),
    S("WriteFile", text("/dev/null").reshape(()), text("x").reshape(())),
    S("MatchingFiles", text("/dev/null", "/no/such/*")),
    S("MatchingFiles", text("/dev/nul?").reshape(())),
]
