# Made by `make stubs` from the table in the module of the same name.

from tapeflow.keras.ops.families import family as family
from tapeflow.keras.ops.fourier import extract_sequences as extract_sequences
from tapeflow.keras.ops.fourier import fft as fft
from tapeflow.keras.ops.fourier import fft2 as fft2
from tapeflow.keras.ops.fourier import ifft2 as ifft2
from tapeflow.keras.ops.fourier import irfft as irfft
from tapeflow.keras.ops.fourier import istft as istft
from tapeflow.keras.ops.fourier import rfft as rfft
from tapeflow.keras.ops.fourier import stft as stft
from tapeflow.keras.ops.segments import segment_max as segment_max
from tapeflow.keras.ops.segments import segment_min as segment_min
from tapeflow.keras.ops.segments import segment_prod as segment_prod
from tapeflow.keras.ops.segments import segment_sum as segment_sum
from tapeflow.keras.ops.special import cdist as cdist
from tapeflow.keras.ops.special import erf as erf
from tapeflow.keras.ops.special import erfc as erfc
from tapeflow.keras.ops.special import erfinv as erfinv
from tapeflow.keras.ops.special import in_top_k as in_top_k
from tapeflow.keras.ops.special import logdet as logdet
from tapeflow.keras.ops.special import logsumexp as logsumexp
from tapeflow.keras.ops.special import rsqrt as rsqrt
from tapeflow.keras.ops.special import top_k as top_k
from tapeflow.keras.ops.special import view_as_complex as view_as_complex
from tapeflow.keras.ops.special import view_as_real as view_as_real
