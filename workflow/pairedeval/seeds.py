"""Seeds that depend on what is made, never on the order or the number of workers."""

import hashlib


def digest(*parts: object) -> str:
    """Return the SHA-256 (64 hex digits) of the parts, each written as text and kept apart.

    Examples
    --------
    >>> digest("a", "bc") == digest("ab", "c")
    False
    """
    text = "\x1f".join(str(part) for part in parts)
    return hashlib.sha256(text.encode()).hexdigest()


def derive_seed(*parts: object, bits: int = 32) -> int:
    """Return a seed of `bits` bits from the SHA-256 of the parts (study seed, source, condition, image ...).

    Examples
    --------
    >>> derive_seed(20260908, "syn", "fog", 2, "digit-0001") == derive_seed(20260908, "syn", "fog", 2, "digit-0001")
    True
    """
    return int(digest(*parts), 16) >> (256 - bits)
