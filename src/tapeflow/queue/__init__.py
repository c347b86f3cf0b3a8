"""`tf.queue`: bounded queues of tensors between threads."""

from tapeflow._src.api.queue.queues import FIFOQueue as FIFOQueue
from tapeflow._src.api.queue.queues import PaddingFIFOQueue as PaddingFIFOQueue
from tapeflow._src.api.queue.queues import PriorityQueue as PriorityQueue
from tapeflow._src.api.queue.queues import QueueBase as QueueBase
from tapeflow._src.api.queue.queues import RandomShuffleQueue as RandomShuffleQueue
