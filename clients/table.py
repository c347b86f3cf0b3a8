"""The libraries that are tried, and what each of them runs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Client:
    """One library.

    Attributes:
        name: What the table calls it.
        wheels: The library itself, installed without its dependencies: they name TensorFlow.
        needs: What it needs besides.
        tests: Paths of tests in the installed library; none if a program is run.
        program: A file of `clients/programs`; it prints one line for each part that works.
        parts: How many parts the program has.
    """

    name: str
    wheels: tuple[str, ...]
    needs: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    program: str = ""
    parts: int = 0


_TEST_TOOLS = ("pytest", "pytest-xdist", "execnet", "parameterized", "absl-py", "mock")
# TensorFlow Probability and what stands on it import Keras 2.
_PROBABILITY = ("tensorflow-probability==0.25.0", "tf_keras")
_WEB = ("requests", "charset-normalizer", "idna", "urllib3", "certifi")
_PROBABILITY_NEEDS = (
    *("dm-tree", "wrapt", "attrs", "decorator", "cloudpickle", "gast", "absl-py", "six"),
    *_WEB,
)
# TensorFlow writes summaries with it.
_TENSORBOARD = (
    *("grpcio", "markdown", "markupsafe", "tensorboard", "tensorboard-data-server", "werkzeug"),
)
_KERAS_2 = ("tf_keras", "absl-py", "six", "wrapt", *_WEB)

CLIENTS = (
    Client(
        "einops",
        ("einops",),
        needs=_TEST_TOOLS,
        tests=("einops/tests",),
    ),
    Client(
        "dm-sonnet",
        ("dm-sonnet",),
        needs=(*_TEST_TOOLS, "dm-tree", "wrapt", "tabulate", "docker", "attrs"),
        tests=("sonnet/src",),
    ),
    Client(
        "dm-sonnet, main jobs",
        ("dm-sonnet",),
        needs=("dm-tree", "wrapt", "tabulate", "absl-py"),
        program="sonnet_jobs.py",
        parts=5,
    ),
    Client(
        "keras 3.15",
        ("keras==3.15.1",),
        needs=("optree", "namex", "absl-py"),
        program="keras_jobs.py",
        parts=17,
    ),
    Client(
        "tensorflow-probability",
        _PROBABILITY,
        needs=_PROBABILITY_NEEDS,
        program="probability_jobs.py",
        parts=15,
    ),
    Client(
        "gpflow",
        ("gpflow", *_PROBABILITY),
        needs=(
            *_PROBABILITY_NEEDS,
            *("check_shapes", "dropstackframe", "lark"),
            *("multipledispatch", "tabulate", "deprecated"),
        ),
        program="gpflow_jobs.py",
        parts=7,
    ),
    Client("tf_keras", ("tf_keras",), needs=_KERAS_2[1:], program="keras2_jobs.py", parts=8),
    Client(
        "tensorflow_datasets, core",
        ("tensorflow-datasets==4.9.10",),
        needs=(
            *_TEST_TOOLS,
            *_WEB,
            *("array_record", "apache-beam<2.65", "attrs", "beautifulsoup4", "cloudpickle"),
            *("conllu", "datasets", "dill", "dm-tree", "docstring_parser", "etils", "fsspec"),
            *("googleapis-common-protos", "immutabledict", "importlib_resources", "mlcroissant"),
            *("networkx", "pandas", "pillow", "promise", "psutil", "pyarrow", "pydub", "pyyaml"),
            *("simple_parsing", "six", "tensorflow-metadata", "termcolor", "toml", "tqdm"),
            *("wrapt", "zipp"),
        ),
        tests=("tensorflow_datasets/core",),
    ),
    Client(
        "keras-tuner",
        ("keras-tuner==1.4.8", "keras==3.15.1"),
        needs=(
            *_WEB,
            *("absl-py", "kt-legacy", "namex", "optree", "six"),
            *_TENSORBOARD,
        ),
        program="tuner_jobs.py",
        parts=2,
    ),
    Client(
        "tensorflow_hub",
        ("tensorflow-hub==0.16.1",),
        needs=_KERAS_2,
        program="hub_jobs.py",
        parts=3,
    ),
    Client(
        "transformers (TF BERT, GPT-2)",
        ("transformers==4.57.6",),
        needs=(
            *_KERAS_2,
            *("huggingface_hub<1.0", "tokenizers>=0.22,<=0.23.0", "safetensors", "regex"),
            *("pyyaml", "tqdm", "filelock", "fsspec", "packaging", "typing_extensions"),
        ),
        program="transformers_jobs.py",
        parts=5,
    ),
    Client(
        "tf_agents (DQN)",
        ("tf-agents==0.19.0", *_PROBABILITY),
        needs=(
            *_PROBABILITY_NEEDS,
            *_WEB,
            *("gin-config", "gym", "gym-notices", "gymnasium", "farama-notifications", "pygame"),
            *("pillow", "wrapt", "typing_extensions", *_TENSORBOARD),
        ),
        program="agents_jobs.py",
        parts=4,
    ),
    Client(
        "deepxde",
        ("deepxde==1.15.0", *_PROBABILITY),
        needs=(
            *_PROBABILITY_NEEDS,
            *_WEB,
            *("contourpy", "cycler", "fonttools", "joblib", "kiwisolver", "matplotlib"),
            *("narwhals",),
            *("pillow", "pyaml", "pyparsing", "python-dateutil", "pyyaml", "scikit-learn"),
            *("scikit-optimize", "scipy", "threadpoolctl", "wrapt"),
        ),
        program="deepxde_jobs.py",
        parts=1,
    ),
    Client("opt_einsum", ("opt_einsum",), program="opt_einsum_jobs.py", parts=4),
)
