"""The data service: a dispatcher and workers that produce elements for other processes."""
