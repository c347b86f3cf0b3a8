"""`tf.sysconfig`: what the library was built with, and where its headers are."""

from tapeflow._src.api.sysconfig import CXX11_ABI_FLAG as CXX11_ABI_FLAG
from tapeflow._src.api.sysconfig import CXX_VERSION as CXX_VERSION
from tapeflow._src.api.sysconfig import MONOLITHIC_BUILD as MONOLITHIC_BUILD
from tapeflow._src.api.sysconfig import get_build_info as get_build_info
from tapeflow._src.api.sysconfig import get_compile_flags as get_compile_flags
from tapeflow._src.api.sysconfig import get_include as get_include
from tapeflow._src.api.sysconfig import get_lib as get_lib
from tapeflow._src.api.sysconfig import get_link_flags as get_link_flags
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
