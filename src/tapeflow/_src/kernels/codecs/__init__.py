"""Encoders and decoders of file formats, and the translation of regular expressions to RE2."""
