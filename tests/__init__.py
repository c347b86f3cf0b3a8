"""The tests mirror the tree of `src/tapeflow`; tables they share are imported from here."""
