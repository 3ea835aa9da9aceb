"""The exceptions of Editcast. Each message is a sentence that tells the user what to do."""


class EditcastError(Exception):
    """An expected failure; the command line prints its message and exits with code 2."""


class EditError(EditcastError):
    """An edit does not fit the state it is applied to."""


class BundleError(EditcastError):
    """A model on disk cannot be used: missing, damaged, or of another format version."""


class PredictorError(EditcastError):
    """The shared predictor that the user named does not answer, or not as it must."""


class HomeError(EditcastError, OSError):
    """Editcast's folder cannot be created or written to."""


class StoreError(EditcastError):
    """The store cannot be used: newer format, no space, no permission."""


class NoRoomError(StoreError):
    """The disk is full, so nothing can be added to the store."""


class SettingsError(EditcastError):
    """A setting has a value of the wrong type or out of range."""


class SourceError(EditcastError):
    """A source of histories (a repository, a folder, a file) cannot be read."""


class CorpusError(EditcastError):
    """A corpus is empty, incomplete, or from another version."""


class EmptyCorpusError(CorpusError):
    """There is no data for a corpus."""


class ClusterError(EditcastError):
    """A cluster cannot be reached or used, or its workers die repeatedly."""


class TrainingError(EditcastError):
    """Training cannot start or continue: too little history, an incompatible checkpoint."""


class TooLittleHistoryError(TrainingError):
    """There is too little history to train on, or to calibrate with."""


class NoBetterModelError(TrainingError):
    """A training did not improve its base model; the command line exits with code 0."""


class BusyError(EditcastError):
    """Another process is doing the same; the command line exits with code 1."""


class ReportError(EditcastError):
    """A report or an export cannot be written."""


class ServerError(EditcastError):
    """The language server cannot start, or does not answer."""


class ReproductionError(EditcastError):
    """A paper cannot be reproduced: unknown task or network, invalid results."""
