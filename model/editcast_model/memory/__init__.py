"""The project memory: what the files of a project say, to go on with what is typed."""
