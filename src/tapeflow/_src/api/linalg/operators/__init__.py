"""Linear operators: matrices defined by how they act. Importing `algebra` registers their rules."""

from tapeflow._src.api.linalg.operators import algebra as algebra
