"""Graphs and their parts: types, shapes, tensors, attributes, nodes, functions, ops."""

from __future__ import annotations

GRAPH = """
# tensorflow/core/framework/types.proto
enum DataType: DT_INVALID=0, DT_FLOAT=1, DT_DOUBLE=2, DT_INT32=3, DT_UINT8=4, DT_INT16=5, DT_INT8=6,
    DT_STRING=7, DT_COMPLEX64=8, DT_INT64=9, DT_BOOL=10, DT_QINT8=11, DT_QUINT8=12, DT_QINT32=13,
    DT_BFLOAT16=14, DT_QINT16=15, DT_QUINT16=16, DT_UINT16=17, DT_COMPLEX128=18, DT_HALF=19,
    DT_RESOURCE=20, DT_VARIANT=21, DT_UINT32=22, DT_UINT64=23, DT_FLOAT8_E5M2=24,
    DT_FLOAT8_E4M3FN=25, DT_FLOAT8_E4M3FNUZ=26, DT_FLOAT8_E4M3B11FNUZ=27, DT_FLOAT8_E5M2FNUZ=28,
    DT_INT4=29, DT_UINT4=30, DT_INT2=31, DT_UINT2=32, DT_FLOAT4_E2M1FN=33, DT_FLOAT_REF=101,
    DT_DOUBLE_REF=102, DT_INT32_REF=103, DT_UINT8_REF=104, DT_INT16_REF=105, DT_INT8_REF=106,
    DT_STRING_REF=107, DT_COMPLEX64_REF=108, DT_INT64_REF=109, DT_BOOL_REF=110, DT_QINT8_REF=111,
    DT_QUINT8_REF=112, DT_QINT32_REF=113, DT_BFLOAT16_REF=114, DT_QINT16_REF=115,
    DT_QUINT16_REF=116, DT_UINT16_REF=117, DT_COMPLEX128_REF=118, DT_HALF_REF=119,
    DT_RESOURCE_REF=120, DT_VARIANT_REF=121, DT_UINT32_REF=122, DT_UINT64_REF=123,
    DT_FLOAT8_E5M2_REF=124, DT_FLOAT8_E4M3FN_REF=125, DT_FLOAT8_E4M3FNUZ_REF=126,
    DT_FLOAT8_E4M3B11FNUZ_REF=127, DT_FLOAT8_E5M2FNUZ_REF=128, DT_INT4_REF=129, DT_UINT4_REF=130,
    DT_INT2_REF=131, DT_UINT2_REF=132, DT_FLOAT4_E2M1FN_REF=133
# tensorflow/core/framework/tensor_shape.proto
TensorShapeProto: .Dim* dim=2, bool unknown_rank=3
TensorShapeProto.Dim: int64 size=1, string name=2
# tensorflow/core/framework/tensor.proto
TensorProto: DataType dtype=1, TensorShapeProto tensor_shape=2, int32 version_number=3,
    bytes tensor_content=4, int32* half_val=13, float* float_val=5, double* double_val=6,
    int32* int_val=7, bytes* string_val=8, float* scomplex_val=9, int64* int64_val=10,
    bool* bool_val=11, double* dcomplex_val=12, ResourceHandleProto* resource_handle_val=14,
    VariantTensorDataProto* variant_val=15, uint32* uint32_val=16, uint64* uint64_val=17,
    bytes float8_val=18
VariantTensorDataProto: string type_name=1, bytes metadata=2, TensorProto* tensors=3
# tensorflow/core/framework/resource_handle.proto
ResourceHandleProto: string device=1, string container=2, string name=3, uint64 hash_code=4,
    string maybe_type_name=5, .DtypeAndShape* dtypes_and_shapes=6
ResourceHandleProto.DtypeAndShape: DataType dtype=1, TensorShapeProto shape=2
# tensorflow/core/framework/attr_value.proto
AttrValue: value(bytes s=2 | int64 i=3 | float f=4 | bool b=5 | DataType type=6 |
    TensorShapeProto shape=7 | TensorProto tensor=8 | .ListValue list=1 | NameAttrList func=10 |
    string placeholder=9)
AttrValue.ListValue: bytes* s=2, int64* i=3, float* f=4, bool* b=5, DataType* type=6,
    TensorShapeProto* shape=7, TensorProto* tensor=8, NameAttrList* func=9
NameAttrList: string name=1, string->AttrValue attr=2
# tensorflow/core/framework/full_type.proto
enum FullTypeId: TFT_UNSET=0, TFT_VAR=1, TFT_ANY=2, TFT_PRODUCT=3, TFT_NAMED=4, TFT_FOR_EACH=20,
    TFT_CALLABLE=100, TFT_TENSOR=1000, TFT_ARRAY=1001, TFT_OPTIONAL=1002, TFT_LITERAL=1003,
    TFT_ENCODED=1004, TFT_SHAPE_TENSOR=1005, TFT_BOOL=200, TFT_UINT8=201, TFT_UINT16=202,
    TFT_UINT32=203, TFT_UINT64=204, TFT_INT8=205, TFT_INT16=206, TFT_INT32=207, TFT_INT64=208,
    TFT_HALF=209, TFT_FLOAT=210, TFT_DOUBLE=211, TFT_BFLOAT16=215, TFT_COMPLEX64=212,
    TFT_COMPLEX128=213, TFT_STRING=214, TFT_DATASET=10102, TFT_RAGGED=10103, TFT_ITERATOR=10104,
    TFT_MUTEX_LOCK=10202, TFT_LEGACY_VARIANT=10203
FullTypeDef: FullTypeId type_id=1, FullTypeDef* args=2, attr(string s=3 | int64 i=4)
# tensorflow/core/framework/node_def.proto
NodeDef: string name=1, string op=2, string* input=3, string device=4, string->AttrValue attr=5,
    .ExperimentalDebugInfo experimental_debug_info=6, FullTypeDef experimental_type=7
NodeDef.ExperimentalDebugInfo: string* original_node_names=1, string* original_func_names=2
# tensorflow/core/framework/op_def.proto
OpDef: string name=1, .ArgDef* input_arg=2, .ArgDef* output_arg=3, string* control_output=20,
    .AttrDef* attr=4, OpDeprecation deprecation=8, string summary=5, string description=6,
    bool is_commutative=18, bool is_aggregate=16, bool is_stateful=17,
    bool allows_uninitialized_input=19, bool is_distributed_communication=21
OpDef.ArgDef: string name=1, string description=2, DataType type=3, string type_attr=4,
    string number_attr=5, string type_list_attr=6, ResourceHandleProto.DtypeAndShape* handle_data=7,
    bool is_ref=16, FullTypeDef experimental_full_type=17
OpDef.AttrDef: string name=1, string type=2, AttrValue default_value=3, string description=4,
    bool has_minimum=5, int64 minimum=6, AttrValue allowed_values=7
OpDeprecation: int32 version=1, string explanation=2
OpList: OpDef* op=1
# tensorflow/core/framework/function.proto
FunctionDefLibrary: FunctionDef* function=1, GradientDef* gradient=2,
    RegisteredGradient* registered_gradients=3
FunctionDef: OpDef signature=1, string->AttrValue attr=5, uint32->.ArgAttrs arg_attr=7,
    uint32->uint32 resource_arg_unique_id=8, NodeDef* node_def=3, string->string ret=4,
    string->string control_ret=6
FunctionDef.ArgAttrs: string->AttrValue attr=1
GradientDef: string function_name=1, string gradient_func=2
RegisteredGradient: string gradient_func=1, string registered_op_type=2
# tensorflow/core/framework/versions.proto
VersionDef: int32 producer=1, int32 min_consumer=2, int32* bad_consumers=3
# tensorflow/core/framework/graph_debug_info.proto
GraphDebugInfo: string* files=1, fixed64->.FileLineCol frames_by_id=4,
    fixed64->.StackTrace traces_by_id=6, string->.StackTrace traces=2,
    string->fixed64 name_to_trace_id=5
GraphDebugInfo.FileLineCol: int32? file_index=1, int32? line=2, int32? col=3, string? func=4,
    string? code=5
GraphDebugInfo.StackTrace: GraphDebugInfo.FileLineCol* file_line_cols=1, fixed64* frame_id=2
# tensorflow/core/framework/graph.proto
GraphDef: NodeDef* node=1, VersionDef versions=4, int32 version=3, FunctionDefLibrary library=2,
    GraphDebugInfo debug_info=5
"""
