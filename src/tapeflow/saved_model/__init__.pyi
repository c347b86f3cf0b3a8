# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.checkpoint.assets import Asset as Asset
from tapeflow._src.saved_model.load import load as load
from tapeflow._src.saved_model.model_options import LoadOptions as LoadOptions
from tapeflow._src.saved_model.model_options import SaveOptions as SaveOptions
from tapeflow._src.saved_model.save import contains_saved_model as contains_saved_model
from tapeflow._src.saved_model.save import save as save
from tapeflow.saved_model import experimental as experimental
