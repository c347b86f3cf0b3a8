"""The public namespace `tf.math`."""

# reductions, segments, sorting, counting
from tapeflow.math.counting import bincount as bincount
from tapeflow.math.counting import confusion_matrix as confusion_matrix
from tapeflow.math.reduction import argmax as argmax
from tapeflow.math.reduction import argmin as argmin
from tapeflow.math.reduction import count_nonzero as count_nonzero
from tapeflow.math.reduction import cumprod as cumprod
from tapeflow.math.reduction import cumsum as cumsum
from tapeflow.math.reduction import cumulative_logsumexp as cumulative_logsumexp
from tapeflow.math.reduction import reduce_all as reduce_all
from tapeflow.math.reduction import reduce_any as reduce_any
from tapeflow.math.reduction import reduce_euclidean_norm as reduce_euclidean_norm
from tapeflow.math.reduction import reduce_logsumexp as reduce_logsumexp
from tapeflow.math.reduction import reduce_max as reduce_max
from tapeflow.math.reduction import reduce_mean as reduce_mean
from tapeflow.math.reduction import reduce_min as reduce_min
from tapeflow.math.reduction import reduce_prod as reduce_prod
from tapeflow.math.reduction import reduce_std as reduce_std
from tapeflow.math.reduction import reduce_sum as reduce_sum
from tapeflow.math.reduction import reduce_variance as reduce_variance
from tapeflow.math.segment import segment_max as segment_max
from tapeflow.math.segment import segment_mean as segment_mean
from tapeflow.math.segment import segment_min as segment_min
from tapeflow.math.segment import segment_prod as segment_prod
from tapeflow.math.segment import segment_sum as segment_sum
from tapeflow.math.segment import unsorted_segment_max as unsorted_segment_max
from tapeflow.math.segment import unsorted_segment_mean as unsorted_segment_mean
from tapeflow.math.segment import unsorted_segment_min as unsorted_segment_min
from tapeflow.math.segment import unsorted_segment_prod as unsorted_segment_prod
from tapeflow.math.segment import unsorted_segment_sqrt_n as unsorted_segment_sqrt_n
from tapeflow.math.segment import unsorted_segment_sum as unsorted_segment_sum
from tapeflow.math.sorting import approx_max_k as approx_max_k
from tapeflow.math.sorting import approx_min_k as approx_min_k
from tapeflow.math.sorting import in_top_k as in_top_k
from tapeflow.math.sorting import top_k as top_k
