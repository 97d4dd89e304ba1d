"""Problems that a user can solve."""


class PairedEvalError(Exception):
    """A problem outside the code: a file, a setting or a record that cannot be used.

    The message is one sentence that names the place (file, row, key or condition) and the remedy. It is
    shown without a traceback.
    """


class SettingsError(PairedEvalError):
    """A study configuration that cannot be used."""


class RecordsError(PairedEvalError):
    """Prediction records that break the record contract."""


class ImageError(PairedEvalError):
    """An image or an image store that cannot be read."""


class ModelError(PairedEvalError):
    """A model that cannot be loaded, or whose outputs cannot be scored."""
