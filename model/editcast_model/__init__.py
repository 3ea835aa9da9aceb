"""Edits, the networks that predict them, and code that server and training share."""

from editcast_model.inference.telemetry import switch_off

switch_off()
