"""Numbers of the paper: its tables 3 to 6, and what it says of figure 3."""

#: BLEU of translations from Romanian to English, by the order (table 3).
TRANSLATION = {
    "RND": 20.20,
    "L2R": 31.82,
    "R2L": 31.62,
    "ODD": 30.11,
    "BLT": 24.38,
    "SYN": 29.62,
    "CF": 30.25,
    "RF": 30.23,
    "SAO": 32.47,
}
#: BLEU and percentage of exact lines of Django (table 4).
CODE = {"L2R": (36.74, 13.6), "SAO": (42.33, 16.3)}
#: BLEU of the same translations as in table 3, by the way to train: dev and test (table 5).
ABLATION = {
    "L2R": (32.53, 31.82),
    "SAO": (33.60, 32.47),
    "SAO, no bootstrap": (32.86, 31.88),
    "SAO, no bootstrap, no noise": (32.64, 31.72),
    "SAO from R2L": (33.12, 32.02),
    "SAO from SYN": (33.09, 31.93),
}
#: Batches a second in training, and milliseconds of a sentence in decoding (table 6), by the
#: orders searched; 0 for left to right.
TIME = {0: (4.21, 12.3), 1: (1.12, 12.5), 8: (0.58, 12.8)}
#: The most BLEU by which a searched order is above left to right in word order recovery (figure 3).
RECOVERY_GAIN = 3
