"""Files that are replaced whole and durably, for libraries that write their own formats."""

from tapeflow._src.core.atomic_files import FileTransaction as FileTransaction
from tapeflow._src.core.atomic_files import file_transaction as file_transaction
from tapeflow._src.core.atomic_files import make_folder as make_folder
from tapeflow._src.core.atomic_files import one_generation as one_generation
from tapeflow._src.core.atomic_files import partial_folder as partial_folder
from tapeflow._src.core.atomic_files import replacing as replacing
from tapeflow._src.core.atomic_files import settle as settle
from tapeflow._src.core.atomic_files import write_file as write_file
