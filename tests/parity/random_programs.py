"""Programs whose random numbers must be TensorFlow's, to the last place or nearly.

Each is text that sees `tf` and `np` and ends in the expression that is compared. Shapes are small
where TensorFlow would otherwise divide the work between threads and change its numbers.
"""

from __future__ import annotations

FLOATS = ("float16", "bfloat16", "float32", "float64")
INTEGERS = ("int32", "int64", "uint32", "uint64")
SEEDS = ("[1, 2]", "[0, 0]", "[-3, 4]", "[2**40, -(2**50)]", "np.array([7, 8], 'int32')")
SHAPES = ("[]", "[1]", "[7]", "[2, 3, 4]", "[0, 3]")

STATELESS = {
    **{f"uniform of seed {s}": f"R.stateless_uniform([7], {s})" for s in SEEDS},
    **{f"normal of seed {s}": f"R.stateless_normal([7], {s})" for s in SEEDS},
    **{f"uniform of shape {s}": f"R.stateless_uniform({s}, [1, 2])" for s in SHAPES},
    **{f"normal of shape {s}": f"R.stateless_normal({s}, [1, 2])" for s in SHAPES},
    **{f"uniform {d}": f"R.stateless_uniform([9], [1, 2], dtype='{d}')" for d in FLOATS},
    **{f"normal {d}": f"R.stateless_normal([9], [1, 2], dtype='{d}')" for d in FLOATS},
    **{
        f"truncated normal {d}": f"R.stateless_truncated_normal([60], [1, 2], dtype='{d}')"
        for d in FLOATS
    },
    **{
        f"all integers {d}": f"R.stateless_uniform([9], [1, 2], None, None, '{d}')"
        for d in INTEGERS
    },
    "integers in a range": "R.stateless_uniform([9], [1, 2], -5, 12, 'int32')",
    "wide integers in a range": "R.stateless_uniform([9], [1, 2], -(2**62), 2**62, 'int64')",
    "the widest range": "R.stateless_uniform([9], [1, 2], -(2**31), 2**31 - 1, 'int32')",
    "no range": "R.stateless_uniform([9], [1, 2], 3, 3, 'int32')",
    "no range and no numbers": "R.stateless_uniform([0], [1, 2], 3, 3, 'int32')",
    "uniform with bounds": "R.stateless_uniform([5], [1, 2], -1.5, 7)",
    "uniform with bounds that broadcast": "R.stateless_uniform([2, 1], [1, 2], [0.0, 1.0], 7.0)",
    "normal with mean and deviation": "R.stateless_normal([5], [1, 2], 3.0, 0.25)",
    "truncated normal with deviation": "R.stateless_truncated_normal([5], [1, 2], stddev=0.01)",
    "philox by name": "R.stateless_uniform([3], [1, 2], alg='philox')",
    "philox by number": "R.stateless_uniform([3], [1, 2], alg=1)",
    "philox by member": "R.stateless_uniform([3], [1, 2], alg=R.Algorithm.PHILOX)",
    "threefry": "R.stateless_uniform([3], [1, 2], alg='threefry')",
    "an unknown algorithm": "R.stateless_uniform([3], [1, 2], alg='xorshift')",
    "an algorithm of the wrong type": "R.stateless_uniform([3], [1, 2], alg=1.5)",
    "a seed of three": "R.stateless_uniform([3], [1, 2, 3])",
    "a seed of floats": "R.stateless_uniform([3], [1.0, 2.0])",
    "one bound of integers": "R.stateless_uniform([3], [1, 2], None, 3, 'int32')",
    "bounds of unsigned integers": "R.stateless_uniform([3], [1, 2], 0, 3, 'uint32')",
    "a dtype it cannot make": "R.stateless_uniform([3], [1, 2], dtype='int8')",
    "normal integers": "R.stateless_normal([3], [1, 2], dtype='int32')",
    "split": "R.split([1, 2], 3)",
    "split an int64 seed": "R.split(np.array([1, 2], 'int64'))",
    "fold in": "R.fold_in([1, 2], 3)",
    "fold in an int64": "R.experimental.stateless_fold_in([1, 2], np.int64(3))",
    "gamma": "R.stateless_gamma([8, 5], [1, 2], alpha=[0.1, 0.5, 1.0, 1.5, 30.0])",
    "gamma of a scalar": "R.stateless_gamma([5], [1, 2], alpha=2.5)",
    "gamma with rates": "R.stateless_gamma([4, 2, 2], [1, 2], [1.0, 2.0], [[3.0], [4.0]])",
    "gamma float16": "R.stateless_gamma([9], [1, 2], 0.3, dtype='float16')",
    "gamma float64": "R.stateless_gamma([9, 2], [1, 2], [0.3, 3.0], dtype='float64')",
    "gamma of a shape that does not fit": "R.stateless_gamma([3], [1, 2], alpha=[1.0, 2.0])",
    "gamma of integers": "R.stateless_gamma([3], [1, 2], 2, dtype='int32')",
    "poisson": "R.stateless_poisson([8, 6], [1, 2], [0.0, 0.3, 2.0, 9.9, 15.0, 200.0])",
    "poisson floats": "R.stateless_poisson([8], [1, 2], 3.0, 'float32')",
    "poisson of integer rates": "R.stateless_poisson([4, 2], [1, 2], [3, 30], 'int64')",
    "poisson of a shape that does not fit": "R.stateless_poisson([3], [1, 2], lam=[1.0, 2.0])",
    "binomial": "R.stateless_binomial([8, 5], [1, 2], [5.0, 20.0, 30.0, 100.0, 1000.0], 0.4)",
    "binomial of high chances": "R.stateless_binomial([8, 2], [1, 2], [9.0, 90.0], [0.9, 0.8])",
    "binomial at the edges": "R.stateless_binomial([2, 3], [1, 2], [3.0, 3.0, 0.0], [0.0, 1, 0.5])",
    "binomial of int counts": "R.stateless_binomial([5], [1, 2], counts=10, probs=0.5)",
    "binomial floats": "R.stateless_binomial([5], [1, 2], 10.0, 0.5, 'float64')",
    "binomial of a shape that does not fit": "R.stateless_binomial([3], [1, 2], [1.0, 2.0], [0.5])",
    "categorical": "R.stateless_categorical([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]], 9, [1, 2])",
    "categorical int32": "R.stateless_categorical([[0.5, 0.5]], 9, [1, 2], 'int32')",
    "categorical float64": "R.stateless_categorical(np.array([[0.5, 0.5]]), 9, [1, 2])",
    "categorical of infinities": (
        "R.stateless_categorical([[-np.inf] * 2, [np.inf, 0.0], [np.nan, 0.0]], 5, [1, 2])"
    ),
    "categorical of a vector": "R.stateless_categorical([1.0, 2.0], 3, [1, 2])",
    "categorical of no classes": "R.stateless_categorical(np.zeros([2, 0], 'float32'), 3, [1, 2])",
    "categorical negative": "R.stateless_categorical([[1.0, 2.0]], -3, [1, 2])",
    "categorical int8": "R.stateless_categorical([[1.0, 2.0]], 3, [1, 2], 'int8')",
    "bounded normal": "R.stateless_parameterized_truncated_normal([1], [1, 2])",
    "bounded normal, narrow": (
        "R.stateless_parameterized_truncated_normal([1], [1, 2], 1.0, 2.0, 1.5, 2.0)"
    ),
    "bounded normal, far": (
        "R.stateless_parameterized_truncated_normal([1], [1, 2], 0.0, 1.0, 4.0, 9.0)"
    ),
    "bounded normal, one-sided": (
        "R.stateless_parameterized_truncated_normal([1], [1, 2], 5.0, 1.0, -np.inf, 6.0)"
    ),
    "bounded normal, senseless": (
        "R.stateless_parameterized_truncated_normal([1], [1, 2], 0.0, 1.0, 2.0, 1.0)"
    ),
    "bounded normal, unbounded": (
        "R.stateless_parameterized_truncated_normal([1], [1, 2], 0.0, 1.0, -np.inf, np.inf)"
    ),
    "shuffle": "R.experimental.stateless_shuffle(np.arange(20), [1, 2])",
    "shuffle rows": "R.experimental.stateless_shuffle(np.arange(10).reshape(5, 2), [1, 2])",
    "shuffle a scalar": "R.experimental.stateless_shuffle(3, [1, 2])",
    "index shuffle": "R.experimental.index_shuffle(np.arange(10), [5, 8], np.int64(9))",
    "index shuffle of one": "R.experimental.index_shuffle(2, [5, 8], 9)",
    "index shuffle, wide": "R.experimental.index_shuffle(np.arange(5), [5, 8], np.int64(10**6))",
    "index shuffle by seeds": "R.experimental.index_shuffle([0, 1], [5, 8, 7, 1], 9)",
    "index shuffle beyond the end": "R.experimental.index_shuffle(10, [5, 8], 9)",
    "random index shuffle": "tf.random_index_shuffle([0, 1], [[1, 2, 3], [4, 5, 6]], [9, 9])",
    "random index shuffle, rounds": "tf.random_index_shuffle(3, [1, 2, 3], 70000, rounds=8)",
}

SEEDED = {
    "global seed": "S(1)\n[R.uniform([2]), R.uniform([2]), R.normal([2]), R.uniform([2])]",
    "global seed again": "S(1)\na = R.uniform([2])\nS(1)\n[a, R.uniform([2])]",
    "op seed": "S(None)\n[R.uniform([2], seed=3), R.uniform([2], seed=3), R.uniform([2], seed=4)]",
    "both seeds": "S(5)\n[R.uniform([2], seed=3), R.uniform([2]), R.uniform([2], seed=3)]",
    "zero seeds": "S(0)\n[R.uniform([2], seed=0), R.uniform([2], seed=0)]",
    "negative seeds": "S(-5)\n[R.uniform([2], seed=-3), R.uniform([2])]",
    "large seeds": "S(2**40)\n[R.uniform([2], seed=2**35), R.uniform([2])]",
    "float seed": "S(1.5)\n[R.uniform([2], seed=2.5), R.uniform([2])]",
    "numpy seed": "S(np.int64(5))\n[R.uniform([2], seed=np.int32(2)), R.uniform([2])]",
    "tensor seed": "S(tf.constant(5))\n[R.uniform([2], seed=tf.constant(2)), R.uniform([2])]",
    "text seed": "S('five')\nR.uniform([2])",
    "an op for each dtype": (
        "S(1)\n[R.uniform([2], seed=3, dtype=d) for d in ('float32', 'float64', 'float32')]"
    ),
    "an op for all shapes": "S(1)\n[R.uniform(s, seed=3) for s in ([2], [3], [], [0], [2])]",
    "an op for each shape dtype": (
        "S(1)\n[R.uniform(np.array([2], d), seed=3) for d in ('int32', 'int64', 'int32')]"
    ),
    "an op for each kind": "S(1)\n[R.normal([2], seed=3), R.truncated_normal([2], seed=3)]",
    "normal continues": "S(1)\n[R.normal([5], seed=3), R.normal([5], seed=3)]",
    "normal dtypes": f"S(1)\n[R.normal([5], 1.0, 2.0, d, seed=3) for d in {FLOATS}]",
    "truncated normal continues": "S(1)\n[R.truncated_normal([9], seed=3) for _ in range(2)]",
    "truncated normal dtypes": (
        f"S(1)\n[R.truncated_normal([5], dtype=d, seed=3) for d in {FLOATS}]"
    ),
    "integers continue": "S(1)\n[R.uniform([5], 0, 10, 'int32', seed=3) for _ in range(2)]",
    "integers of 64 bits": "S(1)\nR.uniform([5], -10, 2**40, 'int64', seed=3)",
    "integers without an upper bound": "R.uniform([5], dtype='int32')",
    "integers with vector bounds": "R.uniform([2], [1, 2], 10, dtype='int32')",
    "uniform upper bound": "S(1)\nR.uniform([5], maxval=3, seed=3)",
    "uniform bounds": "S(1)\nR.uniform([2, 3], [1.0, 2.0, 3.0], 10.0, seed=3)",
    "uniform of unsigned": "R.uniform([2], dtype='uint32')",
    "negative size": "R.uniform([-1])",
    "scalar shape": "R.uniform(3)",
    "matrix shape": "R.uniform([[1, 2]])",
    "float shape": "R.uniform([1.5])",
    "normal integers": "R.normal([2], dtype='int32')",
    "shuffle": "S(1)\n[R.shuffle(np.arange(11), seed=3) for _ in range(3)]",
    "shuffle rows": "S(1)\nR.shuffle([[1, 2], [3, 4], [5, 6]])",
    "shuffle text": "S(1)\nR.shuffle(['a', 'b', 'c', 'd', 'e'])",
    "shuffle a scalar": "R.shuffle(3)",
    "categorical": "S(1)\n[R.categorical([[0.0, 1.0], [1.0, 0.0]], 5, seed=3) for _ in range(2)]",
    "categorical int32": "S(1)\nR.categorical([[0.0, 1.0]], 5, 'int32')",
    "gamma": "S(1)\n[R.gamma([3], [0.5, 1.0, 3.0], seed=3) for _ in range(2)]",
    "gamma with rates": "S(1)\nR.gamma([3], [[0.5], [1.0]], [1.0, 2.0], 'float64')",
    "gamma that does not broadcast": "R.gamma([2], alpha=[1.0, 2.0], beta=[1.0, 2.0, 3.0])",
    "poisson": "S(1)\n[R.poisson([3], [0.5, 12.0], seed=3) for _ in range(2)]",
    "poisson int32": "S(1)\nR.poisson([3], [2, 30], 'int32')",
    "poisson bfloat16": "R.poisson([3], 2.0, 'bfloat16')",
}

GENERATOR = {
    "state": "g = G.from_seed(3)\n[g.state, g.key, g.algorithm]",
    "state of a large seed": "R.create_rng_state(2**70 + 5, 'philox')",
    "state of a negative seed": "R.create_rng_state(-1, 'philox')",
    "state of a long vector": "R.create_rng_state([1, 2, 3, 4], 'philox')",
    "state of a short vector": "R.create_rng_state([1], 'philox')",
    "state of a tensor": "R.create_rng_state(tf.constant([1, 2]), R.Algorithm.PHILOX)",
    "state of threefry": "R.create_rng_state(1, 'threefry')",
    "state of an unsigned number": "R.create_rng_state([2**64 - 1], 1)",
    "from state": "G.from_state([1, 2, 2**63 + 4], 'philox').normal([3])",
    "from key and counter": "G.from_key_counter(1, [2, 3], 'philox').normal([3])",
    "a state too short": "G.from_state([1, 2], 'philox')",
    "a counter too short": "G.from_key_counter(1, [2], 'philox')",
    "an unknown algorithm": "G.from_seed(1, 'xorshift')",
    "a shared state": (
        "v = tf.Variable([1, 2, 3], dtype='int64')\na = G.from_state(v, 1)\n"
        "b = G.from_state(v, 1)\n[a.normal([2]), b.normal([2]), v]"
    ),
    "a copy": (
        "g = G.from_seed(1)\nh = G(g)\n[g.normal([2]), h.normal([2]), g.normal([2]), h.state]"
    ),
    "normals": (
        "g = G.from_seed(1)\n[g.normal([3]), g.normal([2, 2], 1.0, 2.0), g.normal([]), g.state]"
    ),
    "dtypes": f"g = G.from_seed(1)\n[g.normal([3], dtype=d) for d in {FLOATS}]",
    "truncated normals": (
        "g = G.from_seed(1)\n[g.truncated_normal([9]), g.truncated_normal([3], 5.0)]"
    ),
    "uniforms": "g = G.from_seed(1)\n[g.uniform([3]), g.uniform([2], 1.0, 2.0), g.uniform([2])]",
    "integers": (
        "g = G.from_seed(1)\n[g.uniform([3], 0, 10, 'int32'), g.uniform([2], None, None, 'int64'),"
        " g.uniform_full_int([2]), g.uniform_full_int([2], 'int32')]"
    ),
    "integers with one bound": "G.from_seed(1).uniform([3], None, 10, 'int32')",
    "binomial": "g = G.from_seed(1)\n[g.binomial([3, 2], [10.0, 50.0], [0.5, 0.4]), g.state]",
    "binomial that does not fit": "G.from_seed(1).binomial([3], [10.0, 50.0], [0.5, 0.4])",
    "seeds": "g = G.from_seed(1)\n[g.make_seeds(2), g.state]",
    "split": "g = G.from_seed(1)\n[h.state for h in g.split(3)] + [g.normal([2])]",
    "split draws": "G.from_seed(1).split(2)[1].normal([3])",
    "skip": "g = G.from_seed(1)\n[g.skip(3), g.state, g.normal([2])]",
    "skip carries": "g = G.from_state([-1, 7, 5], 1)\n[g.normal([3]), g.state, g.normal([3])]",
    "reset": "g = G.from_seed(1)\na = g.normal([2])\ng.reset([1, 0, 0])\n[a, g.normal([2])]",
    "reset from seed": "g = G.from_seed(1)\ng.reset_from_seed(2)\n[g.state, g.normal([2])]",
    "reset from key": "g = G.from_seed(1)\ng.reset_from_key_counter(2, [3, 4])\n[g.state]",
    "reset to another length": "G.from_seed(1).reset([1, 2])",
    "threefry": "G.from_seed(1, 'threefry').normal([2])",
    "global generator": (
        "R.set_global_generator(G.from_seed(1))\nR.get_global_generator().normal([2])"
    ),
    "determined by the shape's size": "g = G.from_seed(1)\ng.normal([2, 5])\ng.state",
}

TRUE = "np.array([[1, 2], [3, 2]])"
CANDIDATES = {
    f"{name}, unique {unique}": (
        f"S(1)\n[list(R.{name}_candidate_sampler({TRUE}, 2, 4, {unique}, 10, seed=1))"
        " for _ in range(2)]"
    )
    for name in ("uniform", "log_uniform", "learned_unigram")
    for unique in (False, True)
}
CANDIDATES |= {
    "uniform, a power of two": f"S(1)\nR.uniform_candidate_sampler({TRUE}, 2, 9, False, 16)[0]",
    "uniform, many": f"S(1)\nR.uniform_candidate_sampler({TRUE}, 2, 60, True, 90)[0]",
    "fixed": (
        f"S(1)\nlist(R.fixed_unigram_candidate_sampler({TRUE}, 2, 9, False, 4,"
        " unigrams=[1.0, 2.0, 3.0, 4.0]))"
    ),
    "fixed, distorted and unique": (
        f"S(1)\nlist(R.fixed_unigram_candidate_sampler({TRUE}, 2, 3, True, 5, distortion=0.75,"
        " num_reserved_ids=1, unigrams=[1.0, 2.0, 3.0, 4.0]))"
    ),
    "fixed, without weights": f"R.fixed_unigram_candidate_sampler({TRUE}, 2, 3, True, 5)",
    "fixed, wrong range": (
        f"R.fixed_unigram_candidate_sampler({TRUE}, 2, 3, True, 5, unigrams=[1.0] * 4)"
    ),
    "all": f"list(R.all_candidate_sampler({TRUE}, 2, 4, True))",
    "a class out of range": f"R.uniform_candidate_sampler({TRUE}, 2, 3, True, 3)",
    "too many": f"R.uniform_candidate_sampler({TRUE}, 2, 30, True, 10)",
    "wrong columns": f"R.uniform_candidate_sampler({TRUE}, 1, 3, True, 10)",
    "a vector of classes": "R.uniform_candidate_sampler([1, 2], 1, 3, True, 10)",
    "classes of 32 bits": "R.uniform_candidate_sampler(tf.constant([[1]]), 1, 3, True, 10)",
    "accidental hits": (
        f"list(tf.raw_ops.ComputeAccidentalHits(true_classes={TRUE}, num_true=2,"
        " sampled_candidates=np.array([2, 7, 2, 3])))"
    ),
}

GRADIENTS = {
    "gamma": (
        "a = tf.constant([0.3, 1.0, 4.0])\nwith tf.GradientTape() as t:\n    t.watch(a)\n"
        "    y = R.stateless_gamma([3, 3], [1, 2], a)\nt.gradient(y, a)"
    ),
    "gamma, stateful": (
        "S(1)\na = tf.constant([[0.3], [30.0]], 'float64')\nwith tf.GradientTape() as t:\n"
        "    t.watch(a)\n    y = R.gamma([2], a, 2.0, 'float64')\nt.gradient(y, a)"
    ),
    "bounded normal": (
        "p = [tf.constant(v) for v in (0.5, 1.5, -1.0, 2.0)]\nwith tf.GradientTape() as t:\n"
        "    t.watch(p)\n    y = R.stateless_parameterized_truncated_normal([1], [1, 2], *p)\n"
        "t.gradient(y, p)"
    ),
    "uniform": (
        "m = tf.constant(2.0)\nwith tf.GradientTape() as t:\n    t.watch(m)\n"
        "    y = R.stateless_uniform([3], [1, 2], 0.0, m)\nt.gradient(y, m)"
    ),
    "normal": (
        "m = tf.constant(2.0)\nwith tf.GradientTape() as t:\n    t.watch(m)\n"
        "    y = R.stateless_normal([3], [1, 2], m, m)\nt.gradient(y, m)"
    ),
    "shuffle": (
        "m = tf.constant([2.0, 3.0])\nwith tf.GradientTape() as t:\n    t.watch(m)\n"
        "    y = R.shuffle(m)\nt.gradient(y, m)"
    ),
}

SHORT = "R, S, G = tf.random, tf.random.set_seed, tf.random.Generator\n"
PROGRAMS = {
    f"{family}: {name}": SHORT + code
    for family, table in (
        ("stateless", STATELESS),
        ("seeded", SEEDED),
        ("generator", GENERATOR),
        ("candidates", CANDIDATES),
        ("gradient", GRADIENTS),
    )
    for name, code in table.items()
}
