"""A small tokenizer for the tests of the model."""

import pytest

from editcast_model.tokens import Tokenizer

_CODE = '''
def parse(self, text, default=None):
    """Return the value of text, or default."""
    if not isinstance(text, str):
        raise TypeError("text is not a string: %r" % (text,))
    for index, line in enumerate(text.splitlines()):
        if line.startswith("#"):
            continue
        self.values[index] = line.strip()
    return self.values.get(0, default)


class Parser(object):
    def __init__(self, values=()):
        self.values = dict(values)

    def close(self):
        return None
'''


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    """Bytes and a few of Python's words."""
    return Tokenizer.train([_CODE], vocabulary=350)
