"""Op declarations: Fourier transforms."""
