"""`tf.math.special`: Bessel functions and a few integrals."""

from tapeflow._src.api.math.special import bessel_i0 as bessel_i0
from tapeflow._src.api.math.special import bessel_i0e as bessel_i0e
from tapeflow._src.api.math.special import bessel_i1 as bessel_i1
from tapeflow._src.api.math.special import bessel_i1e as bessel_i1e
from tapeflow._src.api.math.special import bessel_j0 as bessel_j0
from tapeflow._src.api.math.special import bessel_j1 as bessel_j1
from tapeflow._src.api.math.special import bessel_k0 as bessel_k0
from tapeflow._src.api.math.special import bessel_k0e as bessel_k0e
from tapeflow._src.api.math.special import bessel_k1 as bessel_k1
from tapeflow._src.api.math.special import bessel_k1e as bessel_k1e
from tapeflow._src.api.math.special import bessel_y0 as bessel_y0
from tapeflow._src.api.math.special import bessel_y1 as bessel_y1
from tapeflow._src.api.math.special import dawsn as dawsn
from tapeflow._src.api.math.special import expint as expint
from tapeflow._src.api.math.special import fresnel_cos as fresnel_cos
from tapeflow._src.api.math.special import fresnel_sin as fresnel_sin
from tapeflow._src.api.math.special import spence as spence
