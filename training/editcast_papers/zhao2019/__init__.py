"""The papers' tables, made again: `zhao2019`."""
