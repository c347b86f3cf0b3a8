"""`tf.signal`: Fourier and cosine transforms, frames, windows and spectra."""

from tapeflow._src.api.signal.cosines import dct as dct
from tapeflow._src.api.signal.cosines import idct as idct
from tapeflow._src.api.signal.cosines import inverse_mdct as inverse_mdct
from tapeflow._src.api.signal.cosines import mdct as mdct
from tapeflow._src.api.signal.frames import frame as frame
from tapeflow._src.api.signal.frames import overlap_and_add as overlap_and_add
from tapeflow._src.api.signal.mel import linear_to_mel_weight_matrix as linear_to_mel_weight_matrix
from tapeflow._src.api.signal.mel import (
    mfccs_from_log_mel_spectrograms as mfccs_from_log_mel_spectrograms,
)
from tapeflow._src.api.signal.shifts import fftshift as fftshift
from tapeflow._src.api.signal.shifts import ifftshift as ifftshift
from tapeflow._src.api.signal.spectra import inverse_stft as inverse_stft
from tapeflow._src.api.signal.spectra import inverse_stft_window_fn as inverse_stft_window_fn
from tapeflow._src.api.signal.spectra import stft as stft
from tapeflow._src.api.signal.transforms import fft as fft
from tapeflow._src.api.signal.transforms import fft2d as fft2d
from tapeflow._src.api.signal.transforms import fft3d as fft3d
from tapeflow._src.api.signal.transforms import fftnd as fftnd
from tapeflow._src.api.signal.transforms import ifft as ifft
from tapeflow._src.api.signal.transforms import ifft2d as ifft2d
from tapeflow._src.api.signal.transforms import ifft3d as ifft3d
from tapeflow._src.api.signal.transforms import ifftnd as ifftnd
from tapeflow._src.api.signal.transforms import irfft as irfft
from tapeflow._src.api.signal.transforms import irfft2d as irfft2d
from tapeflow._src.api.signal.transforms import irfft3d as irfft3d
from tapeflow._src.api.signal.transforms import irfftnd as irfftnd
from tapeflow._src.api.signal.transforms import rfft as rfft
from tapeflow._src.api.signal.transforms import rfft2d as rfft2d
from tapeflow._src.api.signal.transforms import rfft3d as rfft3d
from tapeflow._src.api.signal.transforms import rfftnd as rfftnd
from tapeflow._src.api.signal.windows import hamming_window as hamming_window
from tapeflow._src.api.signal.windows import hann_window as hann_window
from tapeflow._src.api.signal.windows import (
    kaiser_bessel_derived_window as kaiser_bessel_derived_window,
)
from tapeflow._src.api.signal.windows import kaiser_window as kaiser_window
from tapeflow._src.api.signal.windows import vorbis_window as vorbis_window
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
