"""Programs on embeddings, sampled classes and label sequences; `nn_programs.py` has the prelude."""

from __future__ import annotations

_TABLE = "T = tf.Variable(v(6, 2)); U = tf.Variable(v(6, 2, k=1)); W = v(5, 2, k=2)\n"
_IDS = (
    "def sp(at, values, shape, t='int64'):\n"
    "    return tf.SparseTensor(np.reshape(at, [-1, len(shape)]), np.array(values, t), shape)\n"
    "AT = [[0, 0], [0, 1], [2, 0], [3, 0]]\n"
    "I, J = sp(AT, [1, 3, 0, 5], [5, 3]), sp(AT, [1, -1, 0, 5], [5, 3])\n"
    "F = sp(AT, [1.0, 2.0, 0.5, 0.0], [5, 3], 'float32')\n"
)
_LOOKUP = _TABLE + _IDS
_COMBINED = "N.embedding_lookup_sparse(T, I, F, combiner='{}')"
EMBEDDING = {
    "embedding lookup": _TABLE + "g(lambda t: N.embedding_lookup(t, [[1, 1], [3, 0]]), T)",
    "embedding lookup in a tensor": _TABLE + "g(lambda t: N.embedding_lookup(t, [1, 1]), W)",
    "embedding lookup in parts": (
        _TABLE + "g(lambda a, b: N.embedding_lookup([a, b], [[0, 5], [6, 11], [2, 2]]), T, U)"
    ),
    "embedding lookup in parts that are not alike": (
        _TABLE + "g(lambda a, b: N.embedding_lookup([a, b], [0, 5, 6, 10]), T, W)"
    ),
    "embedding lookup in parts of the wrong sizes": _TABLE + "N.embedding_lookup([W, U], [5])",
    "embedding lookup with a norm": (
        _TABLE + "g(lambda t: N.embedding_lookup(t, [1, 1, 3], max_norm=0.5), T)"
    ),
    "embedding lookup of zeros with a norm": (
        "g(lambda t: N.embedding_lookup(t, [1], max_norm=0.5), tf.zeros([2, 2]))"
    ),
    "embedding lookup of a scalar": _TABLE + "N.embedding_lookup(T, 2)",
    "embedding lookup out of range": _TABLE + "N.embedding_lookup(T, [6])",
    "embedding lookup out of range of parts": _TABLE + "N.embedding_lookup([T, U], [12])",
    "embedding lookup by floats": _TABLE + "N.embedding_lookup(T, [0.5])",
    "embedding lookup in nothing": "N.embedding_lookup([], [0])",
    "embedding lookup in None": "N.embedding_lookup(None, [0])",
    "embedding lookup of ragged ids": (
        _TABLE + "r = N.embedding_lookup(T, tf.ragged.constant([[0, 1], [2]]))\n"
        "r.flat_values, r.row_splits"
    ),
    **{
        f"embedding lookup sparse, {c}": _LOOKUP + f"g(lambda t: {_COMBINED.format(c)}, T)"
        for c in ("mean", "sqrtn", "sum")
    },
    **{
        f"embedding lookup sparse without weights, {c}": (
            _LOOKUP + f"N.embedding_lookup_sparse(T, I, None, combiner='{c}')"
        )
        for c in ("mean", "sqrtn", "sum")
    },
    "embedding lookup sparse in parts": (
        _LOOKUP + "N.embedding_lookup_sparse([T, U], I, F, max_norm=0.5)"
    ),
    "embedding lookup sparse of half precision": (
        _LOOKUP + "N.embedding_lookup_sparse(tf.cast(W, 'float16'), J.with_values([1, 2, 3, 4]), F)"
    ),
    "embedding lookup sparse of ragged ids": (
        _LOOKUP + "N.embedding_lookup_sparse(T, tf.ragged.constant([[0, 1], [], [2]]), "
        "tf.ragged.constant([[1.0, 2.0], [], [3.0]]))"
    ),
    "embedding lookup sparse of nothing": (
        _LOOKUP + "N.embedding_lookup_sparse(T, sp([], [], [2, 3]), None)"
    ),
    "embedding lookup sparse by no combiner": _LOOKUP + "N.embedding_lookup_sparse(T, I, F, 'max')",
    "embedding lookup sparse of a list": _LOOKUP + "N.embedding_lookup_sparse(T, [1], None)",
    "embedding lookup sparse with a list": _LOOKUP + "N.embedding_lookup_sparse(T, I, [1.0])",
    **{
        f"safe embedding lookup sparse, {c}": (
            _LOOKUP + f"N.safe_embedding_lookup_sparse(T, I, F, combiner='{c}')"
        )
        for c in ("mean", "sqrtn", "sum")
    },
    "safe embedding lookup sparse of negative ids": (
        _LOOKUP + "N.safe_embedding_lookup_sparse(T, J)"
    ),
    "safe embedding lookup sparse with a default": (
        _LOOKUP + "N.safe_embedding_lookup_sparse(T, J, default_id=2)"
    ),
    "safe embedding lookup sparse with a default, weighted": (
        _LOOKUP + "N.safe_embedding_lookup_sparse(T, I, F, default_id=3)"
    ),
    "safe embedding lookup sparse, summed gradient": (
        _LOOKUP + "with tf.GradientTape() as tape:\n"
        "    y = N.safe_embedding_lookup_sparse(T, J, default_id=2)\n"
        "tf.convert_to_tensor(tape.gradient(y, T, output_gradients=weights(y)))"
    ),
    "safe embedding lookup sparse of more axes": (
        _LOOKUP + "N.safe_embedding_lookup_sparse("
        "T, sp([[0, 0, 0], [0, 1, 0], [1, 0, 1]], [1, 3, 0], [2, 2, 3]))"
    ),
    "safe embedding lookup sparse of nothing": (
        _LOOKUP + "N.safe_embedding_lookup_sparse(T, sp([], [], [2, 3]))"
    ),
    "safe embedding lookup sparse in nothing": _LOOKUP + "N.safe_embedding_lookup_sparse([], I)",
    "safe embedding lookup sparse of ragged ids": (
        _LOOKUP + "N.safe_embedding_lookup_sparse(T, tf.ragged.constant([[0, -1], [], [2]]))"
    ),
}

_MANY = (
    "tf.random.set_seed(3)\n"
    "A, B = tf.Variable(v(10, 3)), tf.Variable(v(10))\n"
    "X, Y = v(4, 3), np.array([[1], [2], [0], [9]])\n"
    "Z = np.array([[1, 2], [2, 3], [0, 5], [9, 1]])\n"
)
SAMPLED = {
    "nce loss": _MANY + "g(lambda a, b, x: N.nce_loss(a, b, Y, x, 4, 10), A, B, X)",
    "nce loss of several true classes": (
        _MANY + "g(lambda a, b, x: N.nce_loss(a, b, Z, x, 4, 10, num_true=2, "
        "remove_accidental_hits=True), A, B, X)"
    ),
    "nce loss in parts": _MANY + "N.nce_loss([A[:5], A[5:]], [B[:5], B[5:]], Y, X, 4, 10)",
    "nce loss with samples": (
        _MANY + "s = tf.random.uniform_candidate_sampler(Y, 1, 4, True, 10, seed=1)\n"
        "N.nce_loss(A, B, Y, X, 4, 10, sampled_values=s)"
    ),
    "nce loss of int32": _MANY + "N.nce_loss(A, B, Y.astype('int32'), X, 4, 10)",
    "nce loss of a vector": _MANY + "N.nce_loss(A, B, Y[:, 0], X, 4, 10)",
    "nce loss of too many samples": _MANY + "N.nce_loss(A, B, Y, X, 40, 10)",
    "sampled softmax loss": (
        _MANY + "g(lambda a, b, x: N.sampled_softmax_loss(a, b, Y, x, 4, 10, seed=7), A, B, X)"
    ),
    "sampled softmax loss of several true classes": (
        _MANY + "N.sampled_softmax_loss(A, B, Z, X, 4, 10, num_true=2, seed=7, "
        "remove_accidental_hits=False)"
    ),
    "sampled softmax loss without a seed": _MANY + "N.sampled_softmax_loss(A, B, Y, X, 4, 10)",
    "candidates of tf.nn": (
        _MANY + "N.all_candidate_sampler(Y, 1, 5, True), "
        "N.learned_unigram_candidate_sampler(Y, 1, 3, True, 10, seed=1), "
        "N.fixed_unigram_candidate_sampler(Y, 1, 3, True, 4, unigrams=(1.0, 2.0, 3.0, 4.0), seed=1)"
    ),
    "accidental hits": "N.compute_accidental_hits([[1], [2]], np.array([2, 1, 5]), 1)",
    "top k": "N.top_k(v(2, 5), 2), N.in_top_k([1, 2], v(2, 5), 2)",
}

_CTC = (
    "L = v(5, 2, 4)\n"
    "S = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 1, 2], [2, 2])\n"
    "R = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0, 1, 2], [2, 2])\n"
    "D = np.array([[1, 1], [2, 0]], 'int32')\n"
    "def parts(decoded, score):\n"
    "    return [(s.indices, s.values, s.dense_shape) for s in decoded], score\n"
)
CTC = {
    **{
        f"ctc loss of dense labels, blank {b}": (
            _CTC + f"g(lambda x: N.ctc_loss(D, x, [2, 1], [5, 4], blank_index={b}), L)"
        )
        for b in ("None", "0", "3", "-1")
    },
    **{
        f"ctc loss of sparse labels, blank {b}": (
            _CTC + f"g(lambda x: N.ctc_loss(S, x, None, [5, 4], blank_index={b}), L)"
        )
        for b in ("0", "1", "3", "-1", "-4")
    },
    "ctc loss of sparse labels without a blank": _CTC + "N.ctc_loss(S, L, None, [5, 4])",
    "ctc loss of sparse labels from zero": _CTC + "N.ctc_loss(R, L, None, [5, 4], blank_index=-1)",
    "ctc loss, batch first": (
        _CTC + "g(lambda x: N.ctc_loss(D, x, [2, 1], [5, 4], logits_time_major=False, "
        "blank_index=0), v(2, 5, 4))"
    ),
    "ctc loss of unique labels": (
        _CTC + "N.ctc_loss(D, L, [2, 1], [5, 4], unique=N.ctc_unique_labels(D), blank_index=0)"
    ),
    "ctc loss of no labels": _CTC + "g(lambda x: N.ctc_loss(D, x, [0, 1], [5, 4]), L)",
    "ctc loss of no time": _CTC + "N.ctc_loss(D, L, [0, 1], [0, 4])",
    "ctc loss of sparse labels of no path": (
        _CTC + "g(lambda x: N.ctc_loss(S, x, None, [2, 4], blank_index=0), L)"
    ),
    "ctc loss of sparse labels without time": _CTC
    + "N.ctc_loss(S, L, None, [1, 4], blank_index=0)",
    "ctc loss float16": (
        _CTC + "g(lambda x: N.ctc_loss(D, x, [2, 1], [5, 4]), v(5, 2, 4, t='float16'))"
    ),
    "ctc loss of int64 labels": _CTC + "N.ctc_loss(D.astype('int64'), L, [2, 1], [5, 4])",
    "ctc loss of sparse labels twice": (
        _CTC + "with tf.GradientTape() as outer:\n"
        "    outer.watch(L)\n"
        "    with tf.GradientTape() as inner:\n"
        "        inner.watch(L)\n"
        "        y = N.ctc_loss(S, L, None, [5, 4], blank_index=0)\n"
        "    first = inner.gradient(y, L)\n"
        "outer.gradient(first, L)"
    ),
    **{
        f"CTCLoss {options}": (
            _CTC + "m(*tf.raw_ops.CTCLoss(inputs=L, labels_indices=S.indices, "
            f"labels_values=[1, 1, 2], {options}))"
        )
        for options in (
            "sequence_length=[5, 4], ctc_merge_repeated=False",
            "sequence_length=[5, 4], preprocess_collapse_repeated=True",
            "sequence_length=[1, 4], ignore_longer_outputs_than_inputs=True",
            "sequence_length=[0, 4], ignore_longer_outputs_than_inputs=True",
            "sequence_length=[1, 4]",
            "sequence_length=[9, 4]",
        )
    },
    **{
        f"CTCLoss of labels {labels}": (
            _CTC + "m(*tf.raw_ops.CTCLoss(inputs=L, labels_indices=S.indices, "
            f"labels_values={labels}, sequence_length=[5, 4]))"
        )
        for labels in ("[1, 3, 2]", "[1, 9, 2]", "[3, 1, 2]", "[1, -1, 2]")
    },
    "CTCLoss of a row without labels": (
        _CTC + "tf.raw_ops.CTCLoss(inputs=L, labels_indices=S.indices[:2], labels_values=[1, 1], "
        "sequence_length=[5, 4])"
    ),
    "greedy decoder": _CTC + "parts(*N.ctc_greedy_decoder(L, [5, 4]))",
    "greedy decoder, not merged": (
        _CTC + "parts(*N.ctc_greedy_decoder(L, [5, 4], merge_repeated=False, blank_index=0))"
    ),
    "greedy decoder float64": (
        _CTC + "parts(*N.ctc_greedy_decoder(v(5, 2, 4, t='float64'), [5, 0]))"
    ),
    "greedy decoder of too long a sequence": _CTC + "N.ctc_greedy_decoder(L, [9, 4])",
    "greedy decoder of no blank": _CTC + "N.ctc_greedy_decoder(L, [5, 4], blank_index=4)",
    "beam search decoder": _CTC + "parts(*N.ctc_beam_search_decoder(L, [5, 4]))",
    "beam search decoder, several paths": (
        _CTC + "parts(*N.ctc_beam_search_decoder(L, [5, 4], beam_width=50, top_paths=3))"
    ),
    "beam search decoder, narrow": (
        _CTC + "parts(*N.ctc_beam_search_decoder(L, [5, 4], beam_width=2, top_paths=2))"
    ),
    "beam search decoder of too many paths": (
        _CTC + "N.ctc_beam_search_decoder(L, [5, 4], beam_width=2, top_paths=3)"
    ),
    "beam search decoder of too few leaves": (
        _CTC + "N.ctc_beam_search_decoder(L, [1, 1], top_paths=20)"
    ),
    "beam search decoder of too long a sequence": _CTC + "N.ctc_beam_search_decoder(L, [9, 4])",
    "unique labels": "N.ctc_unique_labels([[3, 3, 1, 3], [0, 2, 0, 5]])",
    "collapse repeated": "N.collapse_repeated([[1, 1, 2, 2], [3, 0, 0, 0]], [3, 4])",
    "collapse repeated to nothing": "N.collapse_repeated([[1, 1], [3, 0]], [0, 0])",
    "collapse repeated int64": "N.collapse_repeated([[1, 1, 2]], np.array([2]))",
}

PROGRAMS = {"embedding": EMBEDDING, "sampled": SAMPLED, "ctc": CTC}
