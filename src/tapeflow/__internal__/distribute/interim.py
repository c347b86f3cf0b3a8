"""Calls that are merged across replicas where there are several."""

from tapeflow._src.internal.distribute.interim import maybe_merge_call as maybe_merge_call
