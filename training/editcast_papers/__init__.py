"""The papers' tables, made again: `zhao2019`, `copy_spans`."""
