"""The one tree of exceptions. Each message is a sentence that tells the user what to do."""


class EditcastError(Exception):
    """Anything that Editcast expects can go wrong; the command line prints it and exits with 2."""


class EditError(EditcastError):
    """An edit does not fit the state it is applied to."""


class BundleError(EditcastError):
    """A model on disk cannot be used: missing, damaged, or of another format version."""


class PredictorError(EditcastError):
    """The shared predictor that the user named does not answer, or not as it must."""


class HomeError(EditcastError, OSError):
    """The folder that holds everything Editcast writes cannot be made or written to."""


class StoreError(EditcastError):
    """The store of save snapshots cannot be used: newer format, no space, no permission."""


class NoRoomError(StoreError):
    """The disk is full: nothing can be added to the store."""


class SettingsError(EditcastError):
    """A setting has a value of the wrong type or out of range."""


class SourceError(EditcastError):
    """A source of histories (a repository, a folder, a file) cannot be read."""


class CorpusError(EditcastError):
    """A corpus is empty, incomplete, or made by another version."""


class EmptyCorpusError(CorpusError):
    """There is nothing to make a corpus of."""


class ClusterError(EditcastError):
    """A cluster cannot be reached or used, or its workers die again and again."""


class TrainingError(EditcastError):
    """Training cannot start or go on: too little history, a checkpoint that does not fit."""


class NoBetterModelError(TrainingError):
    """A training made nothing better than what it began with; the command line exits with 0."""


class BusyError(EditcastError):
    """Another process does the very thing; the command line exits with 1."""


class ReportError(EditcastError):
    """A report, or what is exported, cannot be written where it should be."""


class ServerError(EditcastError):
    """The language server cannot start, or stopped answering."""


class ReproductionError(EditcastError):
    """A paper's tables cannot be made: an unknown task or network, a result that is not one."""
