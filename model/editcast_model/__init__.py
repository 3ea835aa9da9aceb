"""Edits, the networks that forecast them, and what both sides of Editcast share."""

from editcast_model.inference.telemetry import switch_off

switch_off()
