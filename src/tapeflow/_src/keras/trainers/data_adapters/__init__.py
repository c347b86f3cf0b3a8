"""Where batches come from: arrays, datasets, generators and `PyDataset`s."""
