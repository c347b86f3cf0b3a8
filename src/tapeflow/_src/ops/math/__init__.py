"""Op declarations: element-wise mathematics, reductions, scans, segments, sorting."""
