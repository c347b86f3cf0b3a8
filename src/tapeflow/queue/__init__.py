"""`tf.queue`: bounded queues of tensors between threads."""

from tapeflow._src.api.queue.queues import FIFOQueue as FIFOQueue
from tapeflow._src.api.queue.queues import PaddingFIFOQueue as PaddingFIFOQueue
from tapeflow._src.api.queue.queues import PriorityQueue as PriorityQueue
from tapeflow._src.api.queue.queues import QueueBase as QueueBase
from tapeflow._src.api.queue.queues import RandomShuffleQueue as RandomShuffleQueue
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
