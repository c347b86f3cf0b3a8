"""What the functions of `keras.tree`, `keras.random` and `keras.config` return."""

from __future__ import annotations

# Structures by name, in the code of programs.
_SETUP = """
import collections
P = collections.namedtuple("P", "x y")
Q = collections.namedtuple("Q", "x y")
O, D = collections.OrderedDict, collections.deque
t = k.tree
nested = {"b": [1, (2,)], "a": O(z=3, c=None), "d": P(4, D([5]))}
"""
_TREE = {
    "flatten": "[t.flatten(nested), t.flatten(None), t.flatten(()), t.flatten('ab')]",
    "order of an OrderedDict": "t.flatten(O(b=1, a=2)) + t.flatten(dict(b=1, a=2))",
    "paths": "t.flatten_with_path(nested)",
    "pack": "str(t.pack_sequence_as(nested, [10, 20, 30, 40, 50, 60]))",
    "pack too few": "t.pack_sequence_as(nested, [1])",
    "pack too many": "t.pack_sequence_as([1], [1, 2])",
    "pack no iterable": "t.pack_sequence_as([1], 5)",
    "pack a leaf": "t.pack_sequence_as(1, [7])",
    "map": "str(t.map_structure(lambda v: [v], nested))",
    "map two": "str(t.map_structure(lambda a, b: (a, b), O(b=1, a=2), dict(a=3, b=4)))",
    "map without None": "t.map_structure(lambda v: 1, [None, 2], none_is_leaf=False)",
    "map with None": "t.map_structure(lambda v: 1, [None, 2])",
    "map None and another": "t.map_structure(lambda a, b: 1, [None], [2], none_is_leaf=False)",
    "map of other lengths": "t.map_structure(lambda a, b: 1, [1, 2], [1])",
    "map of other nesting": "t.map_structure(lambda a, b: 1, [1, 2], [1, [2]])",
    "map nothing": "t.map_structure(lambda: 1)",
    "map by no function": "t.map_structure(3, [1])",
    "up to": "t.map_structure_up_to([0, [0, 0]], str, [[1, 1], [2, 2]])",
    "up to deeper": "t.map_structure_up_to([None, [None]], str, [1, 2])",
    "up to two": "str(t.map_structure_up_to({'a': 0}, lambda x, y: [x, y], {'a': [1]}, {'a': 2}))",
    "same": "t.assert_same_structure(nested, nested)",
    "same dicts": "t.assert_same_structure(dict(a=1, b=2), O(b=3, a=4))",
    "not the same: list, tuple": "t.assert_same_structure([1], (1,))",
    "not the same: names": "t.assert_same_structure(P(1, 2), Q(1, 2))",
    "not the same: keys": "t.assert_same_structure({'a': 1}, {'b': 1})",
    "not the same: leaf": "t.assert_same_structure([1], [[1]])",
    "same paths": "t.assert_same_paths([1, P(2, 3)], (1, [2, 3]))",
    "other paths": "t.assert_same_paths([1, 2], [1])",
    "nested": "[t.is_nested(x) for x in (1, 'a', None, [], {}, (), D(), {1}, P(1, 2), O())]",
    "traverse": "(v := [], t.traverse(v.append, nested), str(v))[2]",
    "traverse up": "(v := [], t.traverse(v.append, nested, top_down=False), str(v))[2]",
    "traverse and replace": "str(t.traverse(lambda x: 'T' if x == (2,) else None, nested))",
    "traverse to None": "t.traverse(lambda x: t.MAP_TO_NONE if x == 1 else None, [1, [1, 2]])",
    "lists to tuples": "str(t.lists_to_tuples(nested))",
    "shapes": "str(t.map_shape_structure(lambda s: s + (7,), {'a': (1, None), 'b': [(2,)]}))",
}
_RANDOM = {
    "normal": "r.normal((2, 2), 1.0, 2.0, seed=3)",
    "normal of half": "r.normal((3,), dtype='bfloat16', seed=3)",
    "uniform": "r.uniform((3,), -1.0, 4.0, seed=3)",
    "uniform of a large seed": "r.uniform((3,), seed=2**31 + 5)",
    "uniform of the largest seed": "r.uniform((3,), seed=2**32 - 1)",
    "uniform of a negative seed": "r.uniform((3,), seed=-7)",
    "uniform of integers": "r.uniform((3,), 0, 9, dtype='int32', seed=3)",
    "randint": "r.randint((5,), -3, 9, seed=3)",
    "randint of floats": "r.randint((5,), 0, 9, dtype='float32', seed=3)",
    "categorical": "r.categorical([[1.0, 2.0, 0.0], [0.0, 0.0, 9.0]], 4, seed=3)",
    "categorical of int64": "r.categorical([[1.0, 2.0]], 4, dtype='int64', seed=3)",
    "categorical of a vector": "r.categorical([1.0, 2.0], 4, seed=3)",
    "gamma": "r.gamma((2, 2), 2.5, seed=3)",
    "gamma of half": "r.gamma((2,), 2.5, dtype='bfloat16', seed=3)",
    "binomial": "r.binomial((4,), 10.0, 0.3, seed=3)",
    "binomial of two": "r.binomial((3, 2), [10.0, 20.0], [0.3, 0.6], seed=3)",
    "beta": "r.beta((2, 2), 2.0, 3.0, seed=3)",
    "beta of two": "r.beta((2, 2), [[2.0, 4.0]], [[3.0], [1.0]], seed=3)",
    "shuffle": "r.shuffle(np.arange(6.0), seed=3)",
    "shuffle columns": "r.shuffle(np.arange(6).reshape(2, 3), axis=1, seed=3)",
    "truncated_normal": "r.truncated_normal((4,), 1.0, 2.0, seed=3)",
    "dropout": "r.dropout(np.ones((3, 4), 'float32'), 0.5, seed=3)",
    "dropout with a shape": "r.dropout(np.ones((3, 4), 'float32'), 0.5, (None, 1), seed=3)",
    "dropout of all": "r.dropout(np.ones((2,), 'float32'), 1.0, seed=3)",
    "seed of another type": "r.normal((2,), seed='x')",
    "generator": "g = r.SeedGenerator(5); result = [r.uniform((2,), seed=g) for _ in range(3)]",
    "generator of a large seed": "g = r.SeedGenerator(2**40); result = r.uniform((2,), seed=g)",
    "generator's config": "r.SeedGenerator(5, name='g').get_config()",
    "generator of a float": "r.SeedGenerator(1.5)",
    "program's seed": (
        "k.utils.set_random_seed(7); a = [r.uniform((2,)) for _ in range(3)]; "
        "k.utils.set_random_seed(7); result = [a, r.normal((2,)), r.randint((2,), 0, 9)]"
    ),
    **{
        f"randint of {dtype}": f"r.randint((5,), 0, 9, dtype='{dtype}', seed=3)"
        for dtype in ("int8", "uint8", "int16", "uint16", "uint32", "int64", "uint64")
    },
}
_CONFIG = {
    "flash attention": (
        "c.disable_flash_attention(); a = c.is_flash_attention_enabled(); "
        "c.enable_flash_attention(); result = [a, c.is_flash_attention_enabled()]"
    ),
    "limits": "[c.max_epochs(), c.max_steps_per_epoch(), c.is_nnx_enabled(), c.backend()]",
    "limited fit": """
c.set_max_epochs(2)
c.set_max_steps_per_epoch(3)
m = k.Sequential([k.layers.Dense(1, kernel_initializer="ones")])
m.compile("sgd", "mse")
seen = []
step = k.callbacks.LambdaCallback(on_train_batch_end=lambda batch, logs: seen.append(batch))
h = m.fit(np.ones((20, 2)), np.ones((20, 1)), batch_size=2, epochs=5, verbose=0, callbacks=[step])
result = [len(h.history["loss"]), seen, m.predict(np.ones((20, 2)), batch_size=2, verbose=0).shape]
c.set_max_epochs(None)
c.set_max_steps_per_epoch(None)
""",
    "traceback filtering": (
        "c.disable_traceback_filtering(); a = c.is_traceback_filtering_enabled(); "
        "c.enable_traceback_filtering(); result = [a, c.is_traceback_filtering_enabled()]"
    ),
}


def _programs(code: dict[str, str], setup: str, prefix: str) -> dict[str, str]:
    return {
        f"{prefix}: {name}": setup + (each if "result" in each else f"result = {each}")
        for name, each in code.items()
    }


PROGRAMS = {
    **_programs(_TREE, _SETUP, "tree"),
    **_programs(_RANDOM, "r = k.random\n", "random"),
    **_programs(_CONFIG, "c = k.config\n", "config"),
}
