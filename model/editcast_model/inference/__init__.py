"""Incremental inference: windows of a file, the network in ONNX Runtime, decoding."""
