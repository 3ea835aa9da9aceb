"""The command line: the one package that knows both the server and the training side."""
