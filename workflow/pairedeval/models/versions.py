"""Versions of the software that made a file."""

import platform
from importlib.metadata import PackageNotFoundError, version

INFERENCE_PACKAGES = ("torch", "timm", "open_clip_torch", "safetensors", "numpy", "pillow")


def software_versions(packages: tuple[str, ...] = INFERENCE_PACKAGES) -> dict[str, str]:
    """Return the versions of Python and of packages; of those that are not installed, ``absent``."""
    return {"python": platform.python_version(), **{package: _version(package) for package in packages}}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"
