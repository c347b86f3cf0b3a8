"""Training, evaluation and prediction: the part of `Model` that goes over data."""
