"""Calls that are merged across replicas where there are several."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.internal.distribute.interim import maybe_merge_call as maybe_merge_call

_explain_missing(__name__)
