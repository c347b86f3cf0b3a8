"""`tf.config.threading`: how many threads ops use."""

from tapeflow._src.api.config.threading import (
    get_inter_op_parallelism_threads as get_inter_op_parallelism_threads,
)
from tapeflow._src.api.config.threading import (
    get_intra_op_parallelism_threads as get_intra_op_parallelism_threads,
)
from tapeflow._src.api.config.threading import (
    set_inter_op_parallelism_threads as set_inter_op_parallelism_threads,
)
from tapeflow._src.api.config.threading import (
    set_intra_op_parallelism_threads as set_intra_op_parallelism_threads,
)
