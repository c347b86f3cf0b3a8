"""Configuration of sessions, servers and clusters, and reports of runs."""

from __future__ import annotations

CONFIG = """
# tensorflow/core/protobuf/cluster.proto
JobDef: string name=1, int32->string tasks=2
ClusterDef: JobDef* job=1
# tensorflow/core/protobuf/device_filters.proto
TaskDeviceFilters: string* device_filters=1
JobDeviceFilters: string name=1, int32->TaskDeviceFilters tasks=2
ClusterDeviceFilters: JobDeviceFilters* jobs=1
# xla/tsl/protobuf/coordination_config.proto
CoordinatedJob: string name=1, int32 num_tasks=2
CoordinationServiceConfig: string service_type=1, string service_leader=2,
    bool enable_health_check=3, int64 cluster_register_timeout_in_ms=4,
    bool cluster_register_with_barrier=14, int64 heartbeat_timeout_in_ms=5,
    CoordinatedJob* coordinated_job_list=10, int64 shutdown_barrier_timeout_in_ms=7,
    bool agent_destruction_without_shutdown=8, string* recoverable_jobs=9,
    bool allow_new_incarnation_to_reconnect=11, bool force_disable=12,
    bool poll_for_error_from_service_at_startup=13
# xla/tsl/protobuf/rpc_options.proto
RPCOptions: bool use_rpc_for_inprocess_master=1, string compression_algorithm=2,
    int32 compression_level=3, bool cache_rpc_response=4, bool disable_session_connection_sharing=5,
    int32 num_channels_per_target=6
# tensorflow/core/protobuf/verifier_config.proto
VerifierConfig: int64 verification_timeout_in_ms=1, .Toggle structure_verifier=2
enum VerifierConfig.Toggle: DEFAULT=0, ON=1, OFF=2
# tensorflow/core/protobuf/rewriter_config.proto
AutoParallelOptions: bool enable=1, int32 num_replicas=2
ScopedAllocatorOptions: string* enable_op=1
RewriterConfig: .CpuLayout cpu_layout_conversion=50, .Toggle layout_optimizer=1,
    .Toggle constant_folding=3, .Toggle shape_optimization=13, .Toggle remapping=14,
    .Toggle common_subgraph_elimination=24, .Toggle arithmetic_optimization=7,
    .Toggle dependency_optimization=8, .Toggle loop_optimization=9,
    .Toggle function_optimization=10, .Toggle debug_stripper=11, bool disable_model_pruning=2,
    .Toggle scoped_allocator_optimization=15, .Toggle pin_to_host_optimization=18,
    .Toggle implementation_selector=22, .Toggle auto_mixed_precision=23,
    .Toggle auto_mixed_precision_mkl=25, .Toggle auto_mixed_precision_onednn_bfloat16=31,
    .Toggle auto_mixed_precision_cpu=29, bool disable_meta_optimizer=19,
    bool disable_tfg_optimizer=32, .Toggle use_plugin_optimizers=28,
    .Toggle experimental_conditional_code_motion=30,
    .NumIterationsType meta_optimizer_iterations=12, int32 min_graph_nodes=17,
    bool experimental_disable_compressed_tensor_optimization=26,
    bool experimental_disable_folding_quantization_emulation=27, .MemOptType memory_optimization=4,
    string memory_optimizer_target_node_name_scope=6, int64 meta_optimizer_timeout_ms=20,
    AutoParallelOptions auto_parallel=5, bool fail_on_optimizer_errors=21,
    ScopedAllocatorOptions scoped_allocator_opts=16, string* optimizers=100,
    .CustomGraphOptimizer* custom_optimizers=200,
    VerifierConfig inter_optimizer_verifier_config=300,
    VerifierConfig post_optimization_verifier_config=301
enum RewriterConfig.Toggle: DEFAULT=0, ON=1, OFF=2, AGGRESSIVE=3, EXPERIMENTAL_MLIR=4,
    EXPERIMENTAL_BOTH=5
enum RewriterConfig.CpuLayout: NO_CONVERSION_ON_CPU=0, NCHW_TO_NHWC=1, NHWC_TO_NCHW=2
enum RewriterConfig.NumIterationsType: DEFAULT_NUM_ITERS=0, ONE=1, TWO=2
enum RewriterConfig.MemOptType: DEFAULT_MEM_OPT=0, NO_MEM_OPT=1, MANUAL=2, SWAPPING_HEURISTICS=4,
    RECOMPUTATION_HEURISTICS=5, SCHEDULING_HEURISTICS=6, HEURISTICS=3
RewriterConfig.CustomGraphOptimizer: string name=1, string->AttrValue parameter_map=2
# tensorflow/core/protobuf/debug.proto
DebugTensorWatch: string node_name=1, int32 output_slot=2, string* debug_ops=3,
    string* debug_urls=4, bool tolerate_debug_op_creation_failures=5
DebugOptions: DebugTensorWatch* debug_tensor_watch_opts=4, int64 global_step=10,
    bool reset_disk_byte_usage=11
# tensorflow/core/protobuf/config.proto
GPUOptions: double per_process_gpu_memory_fraction=1, bool allow_growth=4, string allocator_type=2,
    int64 deferred_deletion_bytes=3, string visible_device_list=5,
    int32 polling_active_delay_usecs=6, int32 polling_inactive_delay_msecs=7,
    bool force_gpu_compatible=8, .Experimental experimental=9
GPUOptions.Experimental: .VirtualDevices* virtual_devices=1, int32 num_virtual_devices_per_gpu=15,
    bool use_unified_memory=2, int32 num_dev_to_dev_copy_streams=3, string collective_ring_order=4,
    bool timestamped_allocator=5, int32 kernel_tracker_max_interval=7,
    int32 kernel_tracker_max_bytes=8, int32 kernel_tracker_max_pending=9,
    double internal_fragmentation_fraction=10, bool use_cuda_malloc_async=11,
    bool disallow_retry_on_allocation_failure=12, float gpu_host_mem_limit_in_mb=13,
    bool gpu_host_mem_disallow_growth=14, int32 gpu_system_memory_size_in_mb=16,
    bool populate_pjrt_gpu_client_creation_info=17, int32 node_id=18,
    .StreamMergeOptions stream_merge_options=19
GPUOptions.Experimental.VirtualDevices: float* memory_limit_mb=1, int32* priority=2,
    int32* device_ordinal=3
GPUOptions.Experimental.StreamMergeOptions: bool merge_host_to_device_stream=1,
    bool merge_device_to_host_stream=2, bool merge_device_to_device_stream=3
OptimizerOptions: bool do_common_subexpression_elimination=1, bool do_constant_folding=2,
    int64 max_folded_constant_in_bytes=6, bool do_function_inlining=4, .Level opt_level=3,
    .GlobalJitLevel global_jit_level=5, bool cpu_global_jit=7
enum OptimizerOptions.Level: L1=0, L0=-1
enum OptimizerOptions.GlobalJitLevel: DEFAULT=0, OFF=-1, ON_1=1, ON_2=2
GraphOptions: bool enable_recv_scheduling=2, OptimizerOptions optimizer_options=3,
    int64 build_cost_model=4, int64 build_cost_model_after=9, bool infer_shapes=5,
    bool place_pruned_graph=6, bool enable_bfloat16_sendrecv=7, int32 timeline_step=8,
    RewriterConfig rewrite_options=10
ThreadPoolOptionProto: int32 num_threads=1, string global_name=2
SessionMetadata: string name=1, int64 version=2
ConfigProto: string->int32 device_count=1, int32 intra_op_parallelism_threads=2,
    int32 inter_op_parallelism_threads=5, bool use_per_session_threads=9,
    ThreadPoolOptionProto* session_inter_op_thread_pool=12, int32 placement_period=3,
    string* device_filters=4, GPUOptions gpu_options=6, GPUOptions pluggable_device_options=18,
    bool allow_soft_placement=7, bool log_device_placement=8, GraphOptions graph_options=10,
    int64 operation_timeout_in_ms=11, RPCOptions rpc_options=13, ClusterDef cluster_def=14,
    bool isolate_session_state=15, bool share_cluster_devices_in_session=17,
    .Experimental experimental=16
ConfigProto.Experimental: string collective_group_leader=1, string executor_type=3,
    int32 recv_buf_max_chunk=4, bool use_numa_affinity=5,
    bool collective_deterministic_sequential_execution=6, bool collective_nccl=7,
    bool share_session_state_in_clusterspec_propagation=8, bool disable_thread_spinning=9,
    bool share_cluster_devices_in_session=10, SessionMetadata session_metadata=11,
    bool optimize_for_static_graph=12, bool enable_mlir_bridge=13,
    .MlirBridgeRollout mlir_bridge_rollout=17, bool enable_mlir_graph_optimization=16,
    bool disable_output_partition_graphs=14, int64 xla_fusion_autotuner_thresh=15, bool use_tfrt=18,
    bool enable_multi_host=27, bool tfrt_use_ifrt=32, int32 backend_server_port=28,
    bool target_tpu=29, bool target_gpu=30, int32 stream_merge_threshold=31,
    bool disable_functional_ops_lowering=21, bool xla_prefer_single_graph_cluster=22,
    CoordinationServiceConfig coordination_config=23, bool disable_optimize_for_static_graph=24,
    bool disable_eager_executor_streaming_enqueue=26, bool finalize_function_library_runtime=33,
    bool finalize_resource_manager=34, string tf2xla_dump_dir=35, bool online_cost_analysis=36
enum ConfigProto.Experimental.MlirBridgeRollout: MLIR_BRIDGE_ROLLOUT_UNSPECIFIED=0,
    MLIR_BRIDGE_ROLLOUT_ENABLED=1, MLIR_BRIDGE_ROLLOUT_DISABLED=2
RunOptions: .TraceLevel trace_level=1, int64 timeout_in_ms=2, int32 inter_op_thread_pool=3,
    bool output_partition_graphs=5, DebugOptions debug_options=6,
    bool report_tensor_allocations_upon_oom=7, .Experimental experimental=8
enum RunOptions.TraceLevel: NO_TRACE=0, SOFTWARE_TRACE=1, HARDWARE_TRACE=2, FULL_TRACE=3
RunOptions.Experimental: int64 collective_graph_key=1, bool use_run_handler_pool=2,
    .RunHandlerPoolOptions run_handler_pool_options=3
RunOptions.Experimental.RunHandlerPoolOptions: int64 priority=1
RunMetadata: StepStats step_stats=1, CostGraphDef cost_graph=2, GraphDef* partition_graphs=3,
    .FunctionGraphs* function_graphs=4, SessionMetadata session_metadata=5
RunMetadata.FunctionGraphs: GraphDef* partition_graphs=1, GraphDef pre_optimization_graph=2,
    GraphDef post_optimization_graph=3
TensorConnection: string from_tensor=1, string to_tensor=2
CallableOptions: string* feed=1, string* fetch=2, string* target=3, RunOptions run_options=4,
    TensorConnection* tensor_connection=5, string->string feed_devices=6,
    string->string fetch_devices=7, bool fetch_skip_sync=8
# tensorflow/core/protobuf/tensorflow_server.proto
ServerDef: ClusterDef cluster=1, string job_name=2, int32 replica=8, int32 task_index=3,
    ConfigProto default_session_config=4, string protocol=5, int32 port=6,
    ClusterDeviceFilters cluster_device_filters=7
# tensorflow/core/framework/allocation_description.proto
AllocationDescription: int64 requested_bytes=1, int64 allocated_bytes=2, string allocator_name=3,
    int64 allocation_id=4, bool has_single_reference=5, uint64 ptr=6
# tensorflow/core/framework/tensor_description.proto
TensorDescription: DataType dtype=1, TensorShapeProto shape=2,
    AllocationDescription allocation_description=4
# tensorflow/core/framework/step_stats.proto
AllocationRecord: int64 alloc_micros=1, int64 alloc_bytes=2
AllocatorMemoryUsed: string allocator_name=1, int64 total_bytes=2, int64 peak_bytes=3,
    int64 live_bytes=4, AllocationRecord* allocation_records=6, int64 allocator_bytes_in_use=5
NodeOutput: int32 slot=1, TensorDescription tensor_description=3
MemoryStats: int64 temp_memory_size=1, int64 persistent_memory_size=3,
    int64* persistent_tensor_alloc_ids=5, int64 device_temp_memory_size=2,
    int64 device_persistent_memory_size=4, int64* device_persistent_tensor_alloc_ids=6
NodeExecStats: string node_name=1, int64 all_start_micros=2, int64 op_start_rel_micros=3,
    int64 op_end_rel_micros=4, int64 all_end_rel_micros=5, AllocatorMemoryUsed* memory=6,
    NodeOutput* output=7, string timeline_label=8, int64 scheduled_micros=9, uint32 thread_id=10,
    AllocationDescription* referenced_tensor=11, MemoryStats memory_stats=12,
    int64 all_start_nanos=13, int64 op_start_rel_nanos=14, int64 op_end_rel_nanos=15,
    int64 all_end_rel_nanos=16, int64 scheduled_nanos=17
DeviceStepStats: string device=1, NodeExecStats* node_stats=2, uint32->string thread_names=3
StepStats: DeviceStepStats* dev_stats=1
# tensorflow/core/framework/cost_graph.proto
CostGraphDef: .Node* node=1, .AggregatedCost* cost=2
CostGraphDef.Node: string name=1, string device=2, int32 id=3, .InputInfo* input_info=4,
    .OutputInfo* output_info=5, int64 temporary_memory_size=6, int64 persistent_memory_size=12,
    int64 host_temp_memory_size=10, int64 device_temp_memory_size=11,
    int64 device_persistent_memory_size=16, int64 compute_cost=9, int64 compute_time=14,
    int64 memory_time=15, bool is_final=7, int32* control_input=8, bool inaccurate=17
CostGraphDef.Node.InputInfo: int32 preceding_node=1, int32 preceding_port=2
CostGraphDef.Node.OutputInfo: int64 size=1, int64 alias_input_port=2, TensorShapeProto shape=3,
    DataType dtype=4
CostGraphDef.AggregatedCost: float cost=1, string dimension=2
"""
