# Made by `make stubs` from the table in the module of the same name.

from tapeflow.saved_model import experimental as experimental
from tapeflow.saving.assets import Asset as Asset
from tapeflow.saving.load import load as load
from tapeflow.saving.model_options import LoadOptions as LoadOptions
from tapeflow.saving.model_options import SaveOptions as SaveOptions
from tapeflow.saving.save import contains_saved_model as contains_saved_model
from tapeflow.saving.save import save as save
