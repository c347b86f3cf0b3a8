"""`tf.distribute.cluster_resolver`: which processes a program consists of."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.distribute.cloud_resolvers import GCEClusterResolver as GCEClusterResolver
from tapeflow._src.distribute.cloud_resolvers import (
    KubernetesClusterResolver as KubernetesClusterResolver,
)
from tapeflow._src.distribute.cloud_resolvers import (
    KubernetesExecutableLocation as KubernetesExecutableLocation,
)
from tapeflow._src.distribute.cluster_resolver import ClusterResolver as ClusterResolver
from tapeflow._src.distribute.cluster_resolver import SimpleClusterResolver as SimpleClusterResolver
from tapeflow._src.distribute.cluster_resolver import (
    TFConfigClusterResolver as TFConfigClusterResolver,
)
from tapeflow._src.distribute.cluster_resolver import UnionResolver as UnionResolver
from tapeflow._src.distribute.slurm import SlurmClusterResolver as SlurmClusterResolver
from tapeflow._src.distribute.tpu import TPUClusterResolver as TPUClusterResolver

_explain_missing(__name__)
