"""The private names of TensorFlow that real libraries use, and what each of them is here.

A target is a public name (`tf.Tensor`) or `module:attribute`. `spaces` are public namespaces in
which all other names of the module are looked up, for modules whose functions TensorFlow exports.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Private:
    """One private module.

    Attributes:
        names: What its names are here.
        spaces: Public namespaces that have its other names.
        module: The module of Tapeflow that serves it whole, if there is one.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    spaces: tuple[str, ...] = ()
    module: str | None = None


def _file(name: str) -> Private:
    return Private(module=f"tapeflow._src.standin.modules.{name}")


_EAGER_TENSOR = "tapeflow._src.eager.tensor:EagerTensor"
_LINEAR = "tapeflow._src.standin.modules.linear_operators"
_KINDS = "tapeflow._src.standin.modules.dataset_kinds"
_AUTOGRAPH = (
    "converters.break_statements",
    "converters.continue_statements",
    "converters.return_statements",
    "core.converter",
    "core.naming",
    "pyct.anno",
    "pyct.common_transformers.anf",
    "pyct.compiler",
    "pyct.inspect_utils",
    "pyct.loader",
    "pyct.naming",
    "pyct.parser",
    "pyct.qual_names",
    "pyct.static_analysis.activity",
    "pyct.templates",
)
_EXPERIMENTAL_DATA = (
    *("batching", "cardinality", "counter", "data_service_ops", "distribute"),
    *("distributed_save_op", "enumerate_ops", "error_ops", "from_list", "get_single_element"),
    *("grouping", "interleave_ops", "io", "iterator_ops", "lookup_ops", "pad_to_cardinality"),
    *("parsing_ops", "prefetching_ops", "random_access", "random_ops", "readers", "resampling"),
    *("scan_ops", "shuffle_ops", "snapshot", "take_while_ops", "unique", "writers"),
)
_CONTROL_FLOW = Private(spaces=("tf", "tf.compat.v1"))

PRIVATE: dict[str, Private] = {
    "python": Private(),
    "python.tf2": Private(module="tapeflow._src.internal.tf2"),
    # -- eager -------------------------------------------------------------------------------------
    "python.eager.context": _file("context"),
    "python.eager.def_function": Private(
        {"Function": "tapeflow._src.function.polymorphic:Function", "function": "tf.function"}
    ),
    "python.eager.polymorphic_function.polymorphic_function": Private(
        {"Function": "tapeflow._src.function.polymorphic:Function", "function": "tf.function"}
    ),
    "python.layers.utils": Private({"smart_cond": "tapeflow._src.internal.smart_cond:smart_cond"}),
    "python.eager.backprop": Private({"GradientTape": "tf.GradientTape"}),
    "python.eager.monitoring": _file("monitoring"),
    "python.pywrap_tfe": _file("pywrap_tfe"),
    # -- framework ---------------------------------------------------------------------------------
    "python.framework.ops": Private(
        {
            "EagerTensor": _EAGER_TENSOR,
            "Tensor": "tf.Tensor",
            "Graph": "tf.Graph",
            "name_scope_v1": "tf.compat.v1.name_scope",
            "name_scope_v2": "tf.name_scope",
            "convert_to_tensor_v2": "tf.convert_to_tensor",
            "NullContextmanager": "contextlib:nullcontext",
            "uid": "tapeflow._src.standin.modules.framework_ops:uid",
            "convert_to_tensor_or_composite": (
                "tapeflow._src.standin.modules.framework_ops:convert_to_tensor_or_composite"
            ),
            "name_from_scope_name": (
                "tapeflow._src.standin.modules.framework_ops:name_from_scope_name"
            ),
            "executing_eagerly_outside_functions": (
                "tf.compat.v1.executing_eagerly_outside_functions"
            ),
        },
        spaces=("tf", "tf.compat.v1"),
    ),
    "python.framework.composite_tensor": Private(
        {"CompositeTensor": "tapeflow._src.internal.composite_tensor:CompositeTensor"}
    ),
    "python.framework.config": Private(
        {
            "disable_op_determinism": (
                "tapeflow._src.standin.modules.context:disable_op_determinism"
            ),
            "is_op_determinism_enabled": (
                "tapeflow._src.standin.modules.context:is_op_determinism_enabled"
            ),
        },
        spaces=("tf.config", "tf.config.experimental"),
    ),
    "python.framework.constant_op": Private(spaces=("tf",)),
    "python.framework.convert_to_constants": _file("convert_to_constants"),
    "python.framework.dtypes": Private(spaces=("tf", "tf.dtypes")),
    "python.framework.errors": Private(spaces=("tf.errors",)),
    "python.framework.errors_impl": Private(spaces=("tf.errors",)),
    "python.framework.graph_util": Private(spaces=("tf.compat.v1.graph_util", "tf.graph_util")),
    "python.framework.indexed_slices": Private(spaces=("tf",)),
    "python.framework.random_seed": Private(
        {"set_seed": "tf.random.set_seed"}, spaces=("tf.compat.v1",)
    ),
    "python.framework.smart_cond": Private(
        {"smart_cond": "tapeflow._src.internal.smart_cond:smart_cond"}
    ),
    "python.framework.sparse_tensor": Private(spaces=("tf", "tf.compat.v1")),
    "python.framework.tensor": Private({"Tensor": "tf.Tensor", "TensorSpec": "tf.TensorSpec"}),
    "python.framework.tensor_shape": Private(
        {
            "TensorShape": "tf.TensorShape",
            "as_shape": "tapeflow._src.core.shape:as_shape",
            "dimension_value": "tf.compat.dimension_value",
            "Dimension": "tapeflow._src.core.dimension:Dimension",
        }
    ),
    "python.framework.tensor_spec": Private(
        {
            "TensorSpec": "tf.TensorSpec",
            "DenseSpec": "tapeflow._src.core.spec:TensorSpec",
            "BoundedTensorSpec": "tapeflow._src.standin.modules.bounded_spec:BoundedTensorSpec",
        }
    ),
    "python.framework.tensor_util": Private(
        {
            "is_tf_type": "tf.is_tensor",
            "is_tensor": "tf.is_tensor",
            "constant_value": "tf.get_static_value",
            "constant_value_as_shape": (
                "tapeflow._src.standin.modules.framework_ops:constant_value_as_shape"
            ),
            "try_evaluate_constant": "tapeflow._src.api.arrays:known_value",
            "make_tensor_proto": "tf.make_tensor_proto",
            "MakeNdarray": "tf.make_ndarray",
        }
    ),
    "python.framework.test_util": _file("test_util"),
    "python.framework.type_spec": Private(
        {
            "TypeSpec": "tf.TypeSpec",
            "type_spec_from_value": "tf.type_spec_from_value",
            "BatchableTypeSpec": "tapeflow._src.core.spec:TypeSpec",
        }
    ),
    "python.framework.type_spec_registry": _file("type_spec_registry"),
    # -- ops ---------------------------------------------------------------------------------------
    "python.ops.array_ops": Private(
        {"prevent_gradient": "tapeflow._src.standin.modules.framework_ops:prevent_gradient"},
        spaces=("tf", "tf.compat.v1"),
    ),
    "python.ops.check_ops": Private(spaces=("tf.debugging", "tf.compat.v1")),
    "python.ops.clip_ops": Private(spaces=("tf",)),
    "python.ops.control_flow_ops": Private(
        {
            "get_enclosing_xla_context": (
                "tapeflow._src.standin.modules.control_flow_util:get_enclosing_xla_context"
            )
        },
        spaces=("tf", "tf.compat.v1"),
    ),
    "python.ops.cond": _CONTROL_FLOW,
    "python.ops.while_loop": _CONTROL_FLOW,
    "python.ops.control_flow_case": _file("control_flow"),
    "python.ops.control_flow_util": _file("control_flow_util"),
    "python.ops.gen_resource_variable_ops": Private(),  # for variables of DTensor
    "python.ops.gradients_impl": Private(spaces=("tf",)),
    "python.ops.image_ops": Private(spaces=("tf.image",)),
    "python.ops.init_ops": Private(
        {
            "Constant": "tf.compat.v1.constant_initializer",
            "Ones": "tf.compat.v1.ones_initializer",
            "Zeros": "tf.compat.v1.zeros_initializer",
            "VarianceScaling": "tf.compat.v1.variance_scaling_initializer",
            "GlorotUniform": "tf.compat.v1.glorot_uniform_initializer",
            "GlorotNormal": "tf.compat.v1.glorot_normal_initializer",
            "Identity": "tf.compat.v1.initializers.identity",
            "Orthogonal": "tf.compat.v1.orthogonal_initializer",
        },
        spaces=("tf.compat.v1",),
    ),
    "python.ops.init_ops_v2": Private(spaces=("tf",)),
    "python.ops.io_ops": Private(spaces=("tf.io",)),
    "python.ops.linalg_ops": Private(spaces=("tf.linalg",)),
    "python.ops.lookup_ops": Private(spaces=("tf.lookup", "tf.lookup.experimental")),
    "python.ops.math_ops": Private(spaces=("tf.math", "tf", "tf.compat.v1")),
    "python.ops.nn": Private(spaces=("tf.nn",)),
    "python.ops.nn_ops": Private(
        {"Convolution": "tapeflow._src.standin.modules.convolutions:Convolution"}, spaces=("tf.nn",)
    ),
    "python.ops.nn_impl": Private(spaces=("tf.nn",)),
    "python.ops.ragged.ragged_tensor": Private(spaces=("tf", "tf.ragged")),
    "python.ops.parallel_for.control_flow_ops": _file("control_flow"),
    "python.ops.ragged.ragged_map_ops": Private({"map_fn": "tf.map_fn"}),
    "python.ops.ragged.ragged_util": Private(
        {"assert_splits_match": "tapeflow._src.standin.modules.ragged_util:assert_splits_match"}
    ),
    "python.ops.random_ops": Private(
        {
            "parameterized_truncated_normal": (
                "tapeflow._src.standin.modules.random_ops:parameterized_truncated_normal"
            )
        },
        spaces=("tf.random", "tf.compat.v1"),
    ),
    "python.ops.stateless_random_ops": Private(
        {
            f"stateless_random_{name}": f"tf.random.stateless_{name}"
            for name in ("binomial", "gamma", "normal", "poisson", "uniform")
        },
        spaces=("tf.random", "tf.random.experimental"),
    ),
    "python.ops.resource_variable_ops": Private(
        {
            "BaseResourceVariable": "tf.Variable",
            "ResourceVariable": "tf.Variable",
            "VariableSpec": "tapeflow._src.function.variable_type:VariableSpec",
        }
    ),
    "python.ops.sparse_ops": Private(spaces=("tf.sparse",)),
    "python.ops.special_math_ops": Private(spaces=("tf.math.special", "tf")),
    "python.ops.state_ops": Private(spaces=("tf.compat.v1",)),
    "python.ops.string_ops": Private(spaces=("tf.strings",)),
    "python.ops.tensor_array_ops": Private(spaces=("tf",)),
    "python.ops.variable_scope": Private(spaces=("tf.compat.v1", "tf")),
    "python.ops.variables": Private({"Variable": "tf.Variable"}, spaces=("tf.compat.v1", "tf")),
    "python.ops.linalg.linear_operator": Private(
        {
            "LinearOperator": "tf.linalg.LinearOperator",
            "make_composite_tensor": f"{_LINEAR}:make_composite_tensor",
        },
        spaces=("tf.linalg",),
    ),
    "python.ops.linalg.linear_operator_addition": _file("linear_operators"),
    # -- data --------------------------------------------------------------------------------------
    "python.data.ops.dataset_ops": Private(
        {
            "DatasetV2": "tf.data.Dataset",
            "Dataset": "tf.data.Dataset",
            "INFINITE": "tf.data.INFINITE_CARDINALITY",
            "UNKNOWN": "tf.data.UNKNOWN_CARDINALITY",
            "get_legacy_output_classes": "tf.compat.v1.data.get_output_classes",
            "get_legacy_output_shapes": "tf.compat.v1.data.get_output_shapes",
            "get_legacy_output_types": "tf.compat.v1.data.get_output_types",
        },
        spaces=("tf.data", "tf.compat.v1.data"),
    ),
    "python.data.ops.iterator_ops": Private(
        {"OwnedIterator": "tf.data.Iterator", "IteratorBase": "tf.data.Iterator"},
        spaces=("tf.data",),
    ),
    "python.data.ops.from_generator_op": Private(
        {"_GeneratorDataset": f"{_KINDS}:GeneratorDataset"}
    ),
    "python.data.ops.from_sparse_tensor_slices_op": Private(
        {"_SparseTensorSliceDataset": f"{_KINDS}:SparseTensorSliceDataset"}
    ),
    "python.data.ops.from_tensor_slices_op": Private(
        {"_TensorSliceDataset": f"{_KINDS}:TensorSliceDataset"}
    ),
    "python.data.ops.from_tensors_op": Private({"_TensorDataset": f"{_KINDS}:TensorDataset"}),
    "python.data.ops.range_op": Private({"_RangeDataset": f"{_KINDS}:RangeDataset"}),
    "python.data.ops.options": Private(spaces=("tf.data", "tf.data.experimental")),
    "python.data.ops.optional_ops": Private(spaces=("tf.experimental", "tf.data.experimental")),
    "python.data.ops.readers": Private(spaces=("tf.data",)),
    **{
        f"python.data.experimental.ops.{name}": Private(spaces=("tf.data.experimental",))
        for name in _EXPERIMENTAL_DATA
    },
    "python.data.util.nest": _file("data_nest"),
    "python.data.util.structure": Private({"NoneTensorSpec": "tf.NoneTensorSpec"}),
    # -- distribution ------------------------------------------------------------------------------
    # Behind conditions: for several workers.
    "python.distribute.distribute_utils": Private(),
    "python.distribute.input_lib": Private(
        {"DistributedDataset": "tf.distribute.DistributedDataset"}
    ),
    "python.distribute.input_ops": Private(),
    # -- objects and files -------------------------------------------------------------------------
    "python.lib.io.file_io": Private(spaces=("tf.io.gfile",)),
    "python.lib.io.tf_record": Private(
        {
            "TFRecordWriter": "tf.io.TFRecordWriter",
            "TFRecordOptions": "tf.io.TFRecordOptions",
        }
    ),
    "python.module.module": Private({"Module": "tf.Module"}),
    "python.saved_model.nested_structure_coder": Private(
        module="tapeflow._src.internal.nested_structure_coder"
    ),
    "python.saved_model.save": _file("saved_model_save"),
    "python.saved_model.model_utils.mode_keys": _file("mode_keys"),
    "python.checkpoint.checkpoint": Private(
        {
            "Checkpoint": "tf.train.Checkpoint",
            "list_objects": "tapeflow._src.checkpoint.views:list_objects",
        }
    ),
    "python.trackable.base": Private(
        {
            name: f"tapeflow._src.internal.tracking:{name}"
            for name in (
                "Trackable",
                "TrackableReference",
                "no_automatic_dependency_tracking",
                "no_automatic_dependency_tracking_scope",
            )
        }
    ),
    "python.trackable.autotrackable": Private(
        {"AutoTrackable": "tapeflow._src.core.trackable:AutoTrackable"}
    ),
    "python.trackable.data_structures": _file("data_structures"),
    "python.training.tracking.data_structures": _file("data_structures"),
    **{
        f"python.training.{name}": Private(spaces=("tf.compat.v1.train",))
        for name in ("adagrad", "adam", "ftrl", "gradient_descent", "momentum", "rmsprop", "saver")
    },
    # -- util --------------------------------------------------------------------------------------
    "python.platform.tf_logging": Private(spaces=("tf.compat.v1.logging",)),
    "python.platform.gfile": Private(
        {"GFile": "tf.io.gfile.GFile"}, spaces=("tf.io.gfile", "tf.compat.v1.gfile")
    ),
    "python.platform.test": Private(spaces=("tf.test", "tf.compat.v1.test")),
    "python.util.compat": Private(spaces=("tf.compat",)),
    "python.util.deprecation": _file("deprecation"),
    "python.util.dispatch": Private(module="tapeflow._src.internal.dispatch"),
    "python.util.nest": Private(module="tapeflow._src.internal.nest"),
    "python.util.object_identity": Private({"Reference": "tapeflow._src.core.reference:Reference"}),
    "python.util.tf_contextlib": Private({"contextmanager": "contextlib:contextmanager"}),
    "python.util.tf_decorator": Private(module="tapeflow._src.internal.decorator"),
    "python.util.tf_export": _file("tf_export"),
    "python.util.tf_inspect": _file("tf_inspect"),
    "python.util.variable_utils": _file("variable_utils"),
    # -- AutoGraph: for programs that rewrite code themselves; refused on use ----------------------
    **{f"python.autograph.{name}": Private() for name in _AUTOGRAPH},
    "python.autograph.impl.api": Private(
        spaces=("tf.__internal__.autograph", "tf.autograph.experimental", "tf.autograph")
    ),
    "python.autograph.pyct.transformer": Private({"Base": "ast:NodeTransformer"}),
    # -- compiler and sparse matrices ----------------------------------------------------------
    "compiler.tf2xla.python.xla": _file("xla"),
    "python.ops.linalg.sparse.sparse_csr_matrix_ops": _file("sparse_csr_matrix_ops"),
    "tools.docs.doc_controls": _file("doc_controls"),
}
