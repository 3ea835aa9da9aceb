"""Fitting what turns candidates into calibrated confidence."""
