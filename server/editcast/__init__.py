"""The command line, the only package that imports both the server and the training side."""
