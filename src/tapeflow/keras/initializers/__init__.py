"""The public namespace `tf.keras.initializers`."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.initializers.constant import Constant as Constant
from tapeflow._src.keras.initializers.constant import Identity as Identity
from tapeflow._src.keras.initializers.constant import Ones as Ones
from tapeflow._src.keras.initializers.constant import Zeros as Zeros
from tapeflow._src.keras.initializers.fourier import STFT as STFT
from tapeflow._src.keras.initializers.initializer import Initializer as Initializer
from tapeflow._src.keras.initializers.lookup import deserialize as deserialize
from tapeflow._src.keras.initializers.lookup import get as get
from tapeflow._src.keras.initializers.lookup import serialize as serialize
from tapeflow._src.keras.initializers.random import Orthogonal as Orthogonal
from tapeflow._src.keras.initializers.random import RandomNormal as RandomNormal
from tapeflow._src.keras.initializers.random import RandomUniform as RandomUniform
from tapeflow._src.keras.initializers.random import TruncatedNormal as TruncatedNormal
from tapeflow._src.keras.initializers.scaling import GlorotNormal as GlorotNormal
from tapeflow._src.keras.initializers.scaling import GlorotUniform as GlorotUniform
from tapeflow._src.keras.initializers.scaling import HeNormal as HeNormal
from tapeflow._src.keras.initializers.scaling import HeUniform as HeUniform
from tapeflow._src.keras.initializers.scaling import LecunNormal as LecunNormal
from tapeflow._src.keras.initializers.scaling import LecunUniform as LecunUniform
from tapeflow._src.keras.initializers.scaling import VarianceScaling as VarianceScaling

IdentityInitializer = identity = Identity
OrthogonalInitializer = orthogonal = Orthogonal
STFTInitializer = stft = STFT
constant, ones, zeros = Constant, Ones, Zeros
glorot_normal, glorot_uniform = GlorotNormal, GlorotUniform
he_normal, he_uniform = HeNormal, HeUniform
lecun_normal, lecun_uniform = LecunNormal, LecunUniform
random_normal, random_uniform = RandomNormal, RandomUniform
truncated_normal, variance_scaling = TruncatedNormal, VarianceScaling

_explain_missing(__name__)
