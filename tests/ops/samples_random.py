"""Samples of the random ops. Their gradients, where there are any, are no derivative of the body
in JAX's eyes (the bodies loop), and are tested in `test_random.py`."""

import numpy as np

from tests.ops.harness import Law, S, boolean, f32, i32, positive

LOOPS = Law(grad=False, why="JAX cannot differentiate a loop of unknown length")
WIDE = Law(rtol=1e-4, why="log and power of a float64 differ in the last places")
KEY = np.array([0x1234567890ABCDEF], np.uint64)
COUNTER = np.array([5, 7], np.uint64)
KCA = (KEY, COUNTER, 1)
SEED = np.array([3, -4], np.int64)
INT64_PAIR = (np.int64(-17), np.int64(2**40))
BOUNDS = (f32(1), positive(3), np.float32(-2), np.float32(2.5))

SAMPLES = [
    S("RandomUniform", [2, 3], dtype="float32", seed=1, seed2=2),
    S("RandomUniform", [5], dtype="float64", seed=1),
    S("RandomUniform", np.array([4, 0], np.int64), dtype="float16", seed=1),
    S("RandomUniform", [], dtype="bfloat16", seed=1),
    S("RandomUniformInt", [7], -3, 10, seed=1),
    S("RandomUniformInt", [2, 3], *INT64_PAIR, seed=1),
    S("RandomUniformInt", [0], 3, 3, seed=1),
    S("RandomStandardNormal", [2, 3], dtype="float32", seed=1, seed2=2),
    S("RandomStandardNormal", [5], dtype="float64", seed=1),
    S("RandomStandardNormal", [3], dtype="bfloat16", seed=1),
    S("TruncatedNormal", [20, 3], dtype="float32", seed=1, seed2=2),
    S("TruncatedNormal", [50], dtype="float64", seed=1),
    S("TruncatedNormal", [0], dtype="float16", seed=1),
    S(
        "ParameterizedTruncatedNormal",
        [3, 4],
        f32(3),
        positive(1),
        np.float32(-9),
        np.float32(1),
        seed=1,
    ),
    S("RandomShuffle", f32(9, 2), seed=1),
    S("RandomShuffle", i32(1), seed=1),
    S("RandomShuffle", boolean(), seed=1),
    S("Multinomial", f32(3, 4), 5, seed=1),
    S("Multinomial", f32(3, 4), 0, seed=1, output_dtype="int32"),
    S("Multinomial", f32(2, 900).astype(np.float64), 9, seed=1),
    S("RandomGamma", [4], positive(2, 3), seed=1, law=LOOPS),
    S("RandomGamma", [2, 2], positive().astype(np.float16), seed=1),
    S("RandomGamma", [3], np.zeros(0, np.float64), seed=1, law=LOOPS),
    S("RandomGammaGrad", positive(3), positive(2, 3), law=WIDE),
    S("RandomGammaGrad", np.float64(0.3), positive(5, dtype=np.float64, high=30)),
    S("RandomPoissonV2", [4], positive(2, 3), seed=1),
    S("RandomPoissonV2", [4], np.array([3, 300]), seed=1, dtype="float32"),
    S("NonDeterministicInts", [0, 3]),  # none, for no two calls give the same
    S("StatelessRandomGetKeyCounter", SEED),
    S("StatelessRandomGetKeyCounter", [3, -4]),
    S("StatelessRandomGetAlg"),
    S("StatelessRandomGetKeyCounterAlg", SEED),
    S("StatelessRandomUniform", [2, 3], SEED),
    S("StatelessRandomUniform", [5], [1, 2], dtype="float64"),
    S("StatelessRandomNormal", [2, 3], SEED),
    S("StatelessRandomNormal", [5], [1, 2], dtype="float16"),
    S("StatelessTruncatedNormal", [20, 3], SEED),
    S("StatelessTruncatedNormal", [20], SEED, dtype="float64"),
    S("StatelessRandomUniformFullInt", [5], SEED),
    S("StatelessRandomUniformFullInt", [2, 3], SEED, dtype="int32"),
    S("StatelessRandomUniformInt", [2, 3], SEED, *INT64_PAIR),
    S("StatelessRandomUniformInt", [5], SEED, -3, 10),
    S("StatelessRandomUniformV2", [2, 3], *KCA),
    S("StatelessRandomUniformV2", [5], KEY, COUNTER, 3, dtype="bfloat16"),
    S("StatelessRandomNormalV2", [2, 3], *KCA),
    S("StatelessRandomNormalV2", [5], *KCA, dtype="float64"),
    S("StatelessTruncatedNormalV2", [20, 3], *KCA),
    S("StatelessRandomUniformFullIntV2", [5], *KCA),
    S("StatelessRandomUniformFullIntV2", [], *KCA, dtype="uint32"),
    S("StatelessRandomUniformIntV2", [2, 3], *KCA, -3, 10),
    S("StatelessRandomUniformIntV2", [4], *KCA, np.uint64(3), np.uint64(2**63 + 5)),
    S("StatelessRandomGammaV2", [4, 2, 3], SEED, positive(2, 3), law=LOOPS),
    S("StatelessRandomGammaV3", [4, 3], *KCA, positive(3, dtype=np.float64), law=LOOPS),
    S("StatelessRandomGammaV3", [4], *KCA, np.float32(1), law=LOOPS),
    S("StatelessRandomPoisson", [4, 2, 3], SEED, positive(2, 3), dtype="int32"),
    S("StatelessRandomPoisson", [6], SEED, np.int64(30), dtype="float64"),
    S("StatelessRandomBinomial", [4, 3], SEED, positive(3, high=90), np.float32(0.4)),
    S("StatelessRandomBinomial", [5], SEED, np.float64(4), np.float64(0.9), dtype="float32"),
    S("StatelessParameterizedTruncatedNormal", [5, 3], SEED, *BOUNDS, law=LOOPS),
    S("StatelessMultinomial", f32(3, 4), 5, SEED),
    S("StatelessMultinomial", f32(1, 1), 2, SEED, output_dtype="int32"),
    S("StatelessShuffle", f32(9, 2), *KCA),
    S("StatelessShuffle", i32(), *KCA),
    S("RandomIndexShuffle", np.arange(9, dtype=np.int32), [1, 2, 3], 90),
    S("RandomIndexShuffle", np.int64(5), np.array([1, -2, 3]), np.int64(2**40), rounds=6),
    S("RandomIndexShuffle", 0, np.array([[1, 2, 3], [4, 5, 6]], np.uint32), [20000, 70000]),
    *(
        S(
            f"{name}CandidateSampler",
            np.array([[1, 2], [3, 2]]),
            num_true=2,
            num_sampled=4,
            unique=unique,
            range_max=10,
            seed=1,
        )
        for name in ("Uniform", "LogUniform", "LearnedUnigram", "ThreadUnsafeUnigram")
        for unique in (False, True)
    ),
    S(
        "FixedUnigramCandidateSampler",
        np.array([[1]]),
        num_true=1,
        num_sampled=3,
        unique=True,
        range_max=5,
        distortion=0.75,
        num_reserved_ids=1,
        unigrams=(1.0, 2.0, 3.0, 4.0),
        seed=1,
    ),
    S(
        "AllCandidateSampler",
        np.array([[1], [2]]),
        num_true=1,
        num_sampled=3,
        unique=True,
    ),
    S(
        "ComputeAccidentalHits",
        np.array([[1, 2], [3, 2]]),
        np.array([2, 7, 2, 3]),
        num_true=2,
    ),
]
