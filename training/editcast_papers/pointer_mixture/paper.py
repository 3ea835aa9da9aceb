"""Numbers of the thesis's talk (topic 1): accuracy of next values, in percent."""

#: Vocabularies of the tables.
VOCABULARIES = (1_000, 10_000, 50_000)
#: By language: the share of nodes whose value a vocabulary lacks.
UNKNOWN = {"javascript": (20, 11, 7), "python": (24, 16, 11)}
#: By language and network, for each vocabulary.
VALUES = {
    ("javascript", "vanilla LSTM"): (69.9, 75.8, 78.6),
    ("javascript", "attention"): (71.7, 78.1, 80.6),
    ("javascript", "pointer mixture"): (73.2, 78.9, 81.0),
    ("python", "vanilla LSTM"): (63.6, 66.3, 67.3),
    ("python", "attention"): (64.9, 68.4, 69.8),
    ("python", "pointer mixture"): (66.4, 68.9, 70.1),
}
#: By language, with the smallest vocabulary.
RANDOM = {"javascript": 71.4, "python": 64.8}
