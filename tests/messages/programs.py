"""All broken programs, by area."""

from __future__ import annotations

from tests.messages import (
    programs_data,
    programs_explained,
    programs_functions,
    programs_gradients,
    programs_keras,
    programs_more,
    programs_tensors,
    programs_usage,
)

AREAS = {
    "Tensors": programs_tensors.PROGRAMS,
    "Gradients": programs_gradients.PROGRAMS,
    "Explained": programs_explained.PROGRAMS,
    "Functions": programs_functions.PROGRAMS,
    "Keras": programs_keras.PROGRAMS,
    "Data, files and names": programs_data.PROGRAMS,
    "More": programs_more.PROGRAMS,
    "Models, datasets and loops": programs_usage.PROGRAMS,
}
ALL = [program for programs in AREAS.values() for program in programs]
