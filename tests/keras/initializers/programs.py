"""The first values of variables for given seeds, their configs, and what is refused."""

from __future__ import annotations

MADE = (
    "RandomNormal(seed=3)",
    "RandomNormal(1.0, 2.0, seed=4)",
    "RandomUniform(seed=3)",
    "RandomUniform(-2.0, 3.0, seed=4)",
    "TruncatedNormal(seed=3)",
    "GlorotNormal(seed=3)",
    "GlorotUniform(seed=3)",
    "HeNormal(seed=3)",
    "HeUniform(seed=3)",
    "LecunNormal(seed=3)",
    "LecunUniform(seed=3)",
    "Orthogonal(seed=3)",
    "Orthogonal(gain=2.0, seed=4)",
    "VarianceScaling(2.0, 'fan_avg', 'untruncated_normal', seed=3)",
    "VarianceScaling(2.0, 'fan_out', 'uniform', seed=3)",
    "Constant(0.5)",
    "Constant([1.0, 2.0, 3.0])",
    "Ones()",
    "Zeros()",
)
VALUE = """
initializer = k.initializers.{made}
result = [initializer((2, 3)), initializer((4, 3), "float64"), initializer((2, 3), tf.float16)]
result += [initializer.get_config(), type(initializer.clone()).__name__]
"""

PROGRAMS = {
    **{made: VALUE.format(made=made) for made in MADE},
    **{
        f"GlorotUniform of {shape}": f"k.initializers.GlorotUniform(seed=1)({shape})"
        for shape in ((), (4,), (2, 3, 4), (1, 2, 3, 4))
    },
    "Orthogonal of (2, 2, 3)": "k.initializers.Orthogonal(seed=1)((2, 2, 3))",
    "Orthogonal of (4, 2)": "k.initializers.Orthogonal(seed=1)((4, 2))",
    "Identity": "[k.initializers.Identity(2.0)(s) for s in ((2, 3), (3, 2), (2, 2))]",
    "axes": (
        "k.initializers.VarianceScaling(seed=1, input_axes=[0], output_axes=(1, 2))((2, 3, 4))"
    ),
    "config of axes": (
        "k.initializers.VarianceScaling(seed=1, input_axes=[0], output_axes=(1, 2)).get_config()"
    ),
    "a generator of seeds": """
initializer = k.initializers.RandomNormal(seed=k.random.SeedGenerator(5, name="seeds"))
result = [initializer((2,)), initializer((2,)), initializer.get_config()]
""",
    "STFT": "k.initializers.STFT(window=None, scaling=None)((4, 1, 3))",
    "STFT of sines": (
        "k.initializers.STFT('imag', window=np.array([1.0, 2.0, 3.0, 4.0]), scaling='spectrum')"
        "((4, 1, 3))"
    ),
    "integers": "[k.initializers.Constant(3)((2,), 'int32'), k.initializers.Ones()((2,), bool)]",
    "drawn integers": "k.initializers.RandomUniform(0, 5, seed=1)((3,), dtype='int32')",
    "strings": "k.initializers.Zeros()((2,), dtype='string').shape.as_list()",
    "by name": """
names = ("zeros", "zero", "Ones", "one", "normal", "uniform", "glorot_uniform", "GlorotNormal",
         "he_normal", "lecun_uniform", "orthogonal", "IdentityInitializer", "truncated_normal",
         "variance_scaling", "identity", "random_normal", "OrthogonalInitializer")
result = [type(k.initializers.get(name)).__name__ for name in names]
""",
    "an array": "k.initializers.get(np.ones((2,), 'float32'))((2,), dtype='float64')",
    "a class": "type(k.initializers.get(k.initializers.Zeros)).__name__",
    "by config": (
        "k.initializers.get({'class_name': 'RandomNormal', 'config': {'seed': 2}}).get_config()"
    ),
    "serialized": "k.initializers.serialize(k.initializers.RandomNormal(seed=1))",
    "none": "k.initializers.get(None)",
    "unknown": "k.initializers.get('foo')",
    "no initializer": "k.initializers.get(3)",
    "no seed": "k.initializers.RandomNormal(seed='a')",
    "a vector is not orthogonal": "k.initializers.Orthogonal()((2,))",
    "no matrix": "k.initializers.Identity()((2, 3, 4))",
    "a negative scale": "k.initializers.VarianceScaling(-1.0)",
    "another mode": "k.initializers.VarianceScaling(mode='x')",
    "another distribution": "k.initializers.VarianceScaling(distribution='x')",
    "the base": "k.initializers.Initializer()((2,))",
    "another side": "k.initializers.STFT(side='x')",
}
