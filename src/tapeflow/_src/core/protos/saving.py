"""The contents of checkpoints, SavedModels and saved datasets besides graphs."""

from __future__ import annotations

SAVING = """
# tensorflow/core/framework/tensor_slice.proto
TensorSliceProto: .Extent* extent=1
TensorSliceProto.Extent: int64 start=1, has_length_hack(int64 length=2)
# tensorflow/core/protobuf/tensor_bundle.proto
BundleHeaderProto: int32 num_shards=1, .Endianness endianness=2, VersionDef version=3
enum BundleHeaderProto.Endianness: LITTLE=0, BIG=1
BundleEntryProto: DataType dtype=1, TensorShapeProto shape=2, int32 shard_id=3, int64 offset=4,
    int64 size=5, fixed32 crc32c=6, TensorSliceProto* slices=7
# tensorflow/core/protobuf/snapshot.proto
SnapshotMetadataRecord: string graph_hash=1, string run_id=2, int64 creation_timestamp=3,
    int64 version=4, DataType* dtype=5, int64 num_elements=6, bool finalized=1000
# tensorflow/core/framework/variable.proto
enum VariableSynchronization: VARIABLE_SYNCHRONIZATION_AUTO=0, VARIABLE_SYNCHRONIZATION_NONE=1,
    VARIABLE_SYNCHRONIZATION_ON_WRITE=2, VARIABLE_SYNCHRONIZATION_ON_READ=3
enum VariableAggregation: VARIABLE_AGGREGATION_NONE=0, VARIABLE_AGGREGATION_SUM=1,
    VARIABLE_AGGREGATION_MEAN=2, VARIABLE_AGGREGATION_ONLY_FIRST_REPLICA=3
VariableDef: string variable_name=1, string initial_value_name=6, string initializer_name=2,
    string snapshot_name=3, SaveSliceInfoDef save_slice_info_def=4, bool is_resource=5,
    bool trainable=7, VariableSynchronization synchronization=8, VariableAggregation aggregation=9
SaveSliceInfoDef: string full_name=1, int64* full_shape=2, int64* var_offset=3, int64* var_shape=4
# tensorflow/core/protobuf/saver.proto
SaverDef: string filename_tensor_name=1, string save_tensor_name=2, string restore_op_name=3,
    int32 max_to_keep=4, bool sharded=5, float keep_checkpoint_every_n_hours=6,
    .CheckpointFormatVersion version=7
enum SaverDef.CheckpointFormatVersion: LEGACY=0, V1=1, V2=2
# tensorflow/python/training/checkpoint_state.proto
CheckpointState: string model_checkpoint_path=1, string* all_model_checkpoint_paths=2,
    double* all_model_checkpoint_timestamps=3, double last_preserved_timestamp=4
# tensorflow/core/protobuf/trackable_object_graph.proto
TrackableObjectGraph: .TrackableObject* nodes=1
TrackableObjectGraph.TrackableObject: .ObjectReference* children=1, .SerializedTensor* attributes=2,
    .SlotVariableReference* slot_variables=3, RegisteredSaver registered_saver=4,
    google.protobuf.BoolValue has_checkpoint_values=5
TrackableObjectGraph.TrackableObject.ObjectReference: int32 node_id=1, string local_name=2
TrackableObjectGraph.TrackableObject.SerializedTensor: string name=1, string full_name=2,
    string checkpoint_key=3
TrackableObjectGraph.TrackableObject.SlotVariableReference: int32 original_variable_node_id=1,
    string slot_name=2, int32 slot_variable_node_id=3
RegisteredSaver: string name=1, string object_name=2
# tensorflow/core/protobuf/struct.proto
StructuredValue: kind(NoneValue none_value=1 | double float64_value=11 | sint64 int64_value=12 |
    string string_value=13 | bool bool_value=14 | TensorShapeProto tensor_shape_value=31 |
    DataType tensor_dtype_value=32 | TensorSpecProto tensor_spec_value=33 |
    TypeSpecProto type_spec_value=34 | BoundedTensorSpecProto bounded_tensor_spec_value=35 |
    ListValue list_value=51 | TupleValue tuple_value=52 | DictValue dict_value=53 |
    NamedTupleValue named_tuple_value=54 | TensorProto tensor_value=55 | TensorProto numpy_value=56)
NoneValue:
ListValue: StructuredValue* values=1
TupleValue: StructuredValue* values=1
DictValue: string->StructuredValue fields=1
PairValue: string key=1, StructuredValue value=2
NamedTupleValue: string name=1, PairValue* values=2
TensorSpecProto: string name=1, TensorShapeProto shape=2, DataType dtype=3
BoundedTensorSpecProto: string name=1, TensorShapeProto shape=2, DataType dtype=3,
    TensorProto minimum=4, TensorProto maximum=5
TypeSpecProto: .TypeSpecClass type_spec_class=1, StructuredValue type_state=2,
    string type_spec_class_name=3, int32 num_flat_components=4
enum TypeSpecProto.TypeSpecClass: UNKNOWN=0, SPARSE_TENSOR_SPEC=1, INDEXED_SLICES_SPEC=2,
    RAGGED_TENSOR_SPEC=3, TENSOR_ARRAY_SPEC=4, DATA_DATASET_SPEC=5, DATA_ITERATOR_SPEC=6,
    OPTIONAL_SPEC=7, PER_REPLICA_SPEC=8, VARIABLE_SPEC=9, ROW_PARTITION_SPEC=10,
    REGISTERED_TYPE_SPEC=12, EXTENSION_TYPE_SPEC=13
# keras/protobuf/saved_metadata.proto
SavedMetadata: .SavedObject* nodes=1
SavedMetadata.SavedObject: int32 node_id=2, string node_path=3, string identifier=4,
    string metadata=5, VersionDef version=6
# keras/protobuf/projector_config.proto
ProjectorConfig: string model_checkpoint_path=1, EmbeddingInfo* embeddings=2,
    string model_checkpoint_dir=3
EmbeddingInfo: string tensor_name=1, string metadata_path=2, string bookmarks_path=3,
    uint32* tensor_shape=4, SpriteMetadata sprite=5, string tensor_path=6
SpriteMetadata: string image_path=1, uint32* single_image_dim=2
# tensorflow/core/protobuf/saved_object_graph.proto
SavedObjectGraph: SavedObject* nodes=1, string->SavedConcreteFunction concrete_functions=2
SavedObject: TrackableObjectGraph.TrackableObject.ObjectReference* children=1,
    TrackableObjectGraph.TrackableObject.ObjectReference* dependencies=15,
    TrackableObjectGraph.TrackableObject.SlotVariableReference* slot_variables=3,
    kind(SavedUserObject user_object=4 | SavedAsset asset=5 | SavedFunction function=6 |
    SavedVariable variable=7 | SavedBareConcreteFunction bare_concrete_function=8 |
    SavedConstant constant=9 | SavedResource resource=10 | CapturedTensor captured_tensor=12),
    string->SaveableObject saveable_objects=11, string registered_name=13,
    google.protobuf.Any serialized_user_proto=14, string registered_saver=16
SavedUserObject: string identifier=1, VersionDef version=2, string metadata=3
SavedAsset: int32 asset_file_def_index=1
SavedFunction: string* concrete_functions=1, FunctionSpec function_spec=2
CapturedTensor: string name=1, string concrete_function=2
SavedConcreteFunction: int32* bound_inputs=2, StructuredValue canonicalized_input_signature=3,
    StructuredValue output_signature=4
SavedBareConcreteFunction: string concrete_function_name=1, string* argument_keywords=2,
    int64 allowed_positional_arguments=3, FunctionSpec function_spec=4
SavedConstant: string operation=1
SavedVariable: DataType dtype=1, TensorShapeProto shape=2, bool trainable=3,
    VariableSynchronization synchronization=4, VariableAggregation aggregation=5, string name=6,
    string device=7, SavedVariable* experimental_distributed_variable_components=8
FunctionSpec: StructuredValue fullargspec=1, bool is_method=2, StructuredValue input_signature=5,
    .JitCompile jit_compile=6
enum FunctionSpec.JitCompile: DEFAULT=0, ON=1, OFF=2
SavedResource: string device=1
SaveableObject: int32 save_function=2, int32 restore_function=3
# tensorflow/core/protobuf/meta_graph.proto
MetaGraphDef: .MetaInfoDef meta_info_def=1, GraphDef graph_def=2, SaverDef saver_def=3,
    string->CollectionDef collection_def=4, string->SignatureDef signature_def=5,
    AssetFileDef* asset_file_def=6, SavedObjectGraph object_graph_def=7
MetaGraphDef.MetaInfoDef: string meta_graph_version=1, OpList stripped_op_list=2,
    google.protobuf.Any any_info=3, string* tags=4, string tensorflow_version=5,
    string tensorflow_git_version=6, bool stripped_default_attrs=7,
    string->string function_aliases=8
CollectionDef: kind(.NodeList node_list=1 | .BytesList bytes_list=2 | .Int64List int64_list=3 |
    .FloatList float_list=4 | .AnyList any_list=5)
CollectionDef.NodeList: string* value=1
CollectionDef.BytesList: bytes* value=1
CollectionDef.Int64List: int64* value=1
CollectionDef.FloatList: float* value=1
CollectionDef.AnyList: google.protobuf.Any* value=1
TensorInfo: encoding(string name=1 | .CooSparse coo_sparse=4 | .CompositeTensor composite_tensor=5),
    DataType dtype=2, TensorShapeProto tensor_shape=3
TensorInfo.CooSparse: string values_tensor_name=1, string indices_tensor_name=2,
    string dense_shape_tensor_name=3
TensorInfo.CompositeTensor: TypeSpecProto type_spec=1, TensorInfo* components=2
SignatureDef: string->TensorInfo inputs=1, string->TensorInfo outputs=2, string method_name=3,
    string->TensorProto defaults=4
AssetFileDef: TensorInfo tensor_info=1, string filename=2
# tensorflow/core/protobuf/saved_model.proto
SavedModel: int64 saved_model_schema_version=1, MetaGraphDef* meta_graphs=2
# tensorflow/core/protobuf/fingerprint.proto
FingerprintDef: uint64 saved_model_checksum=1, uint64 graph_def_program_hash=2,
    uint64 signature_def_hash=3, uint64 saved_object_graph_hash=4, uint64 checkpoint_hash=5,
    string uuid=7, VersionDef version=6
"""
