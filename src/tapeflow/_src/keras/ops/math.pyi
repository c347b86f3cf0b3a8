# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.keras.ops.families import family as family
from tapeflow._src.keras.ops.fourier import extract_sequences as extract_sequences
from tapeflow._src.keras.ops.fourier import fft as fft
from tapeflow._src.keras.ops.fourier import fft2 as fft2
from tapeflow._src.keras.ops.fourier import ifft2 as ifft2
from tapeflow._src.keras.ops.fourier import irfft as irfft
from tapeflow._src.keras.ops.fourier import istft as istft
from tapeflow._src.keras.ops.fourier import rfft as rfft
from tapeflow._src.keras.ops.fourier import stft as stft
from tapeflow._src.keras.ops.segments import segment_max as segment_max
from tapeflow._src.keras.ops.segments import segment_min as segment_min
from tapeflow._src.keras.ops.segments import segment_prod as segment_prod
from tapeflow._src.keras.ops.segments import segment_sum as segment_sum
from tapeflow._src.keras.ops.special import cdist as cdist
from tapeflow._src.keras.ops.special import erf as erf
from tapeflow._src.keras.ops.special import erfc as erfc
from tapeflow._src.keras.ops.special import erfinv as erfinv
from tapeflow._src.keras.ops.special import in_top_k as in_top_k
from tapeflow._src.keras.ops.special import logdet as logdet
from tapeflow._src.keras.ops.special import logsumexp as logsumexp
from tapeflow._src.keras.ops.special import rsqrt as rsqrt
from tapeflow._src.keras.ops.special import top_k as top_k
from tapeflow._src.keras.ops.special import view_as_complex as view_as_complex
from tapeflow._src.keras.ops.special import view_as_real as view_as_real
