"""Estimates from the reviewed sample: shares of all events of the frame, with intervals (Appendix J.3).

The share of a rating is estimated by Hajek's ratio, sum(w y) / sum(w), with the events of a stratum weighing as many
events of the frame as each of them stands for, w = N_h / m_h. Once every event is rated, this is one over the inclusion
probability.

One base image may stand in many events, of several strata and both sources, and its events are alike. The interval
takes images as clusters by linearisation: residuals against the mean of their stratum are added up image by image, and
the sums squared. A bootstrap that resamples images was not chosen: images cut across the strata, so a resample would
change the size of every stratum and leave small ones empty, and its result would depend on draws. There is no
correction for the finite frame, since the interval is to hold for other base images of the same kind; for the frame
alone it is wide rather than narrow.

The variance becomes an effective number of events, and this a Wilson interval, which stays inside [0, 1] and does not
collapse where every rating is the same.
"""

from dataclasses import dataclass

import numpy as np
from scipy.stats import t

CONFIDENCE = 0.95


@dataclass(frozen=True)
class RatedEvents:
    """Rated events of one domain, such as a source.

    Attributes
    ----------
    stratum
        Stratum of each event, as numbers from 0, shape ``(m,)``.
    image
        Base image of each event, as numbers from 0, shape ``(m,)``.
    populations
        Events of the frame in each stratum, shape ``(strata,)``; strata without rated events have no part in the
        estimate.
    """

    stratum: np.ndarray
    image: np.ndarray
    populations: np.ndarray

    @property
    def weights(self) -> np.ndarray:
        """Events of the frame that each rated event stands for, shape ``(m,)``."""
        rated = np.bincount(self.stratum, minlength=len(self.populations))
        weights: np.ndarray = self.populations[self.stratum] / rated[self.stratum]
        return weights


@dataclass(frozen=True)
class Share:
    """An estimated share of the events of a frame.

    Attributes
    ----------
    value
        Estimate; NaN without rated events.
    lower, upper
        Ends of the 95% interval.
    """

    value: float
    lower: float
    upper: float


def estimate_share(events: RatedEvents, scores: np.ndarray) -> Share:
    """Estimate the share of the frame's events that have a property.

    Parameters
    ----------
    events
        The rated events.
    scores
        Property of each of them: 0, 1 or, where reviewers differ, the share of them who see it; shape ``(m,)``.

    Returns
    -------
    Share
        Hajek estimate with a Wilson interval on the effective number of events.

    Examples
    --------
    Two strata of 90 and 10 events, one of two rated events has the property in the first, both in the second.

    >>> events = RatedEvents(np.array([0, 0, 1, 1]), np.arange(4), np.array([90, 10]))
    >>> round(estimate_share(events, np.array([1.0, 0.0, 1.0, 1.0])).value, 3)
    0.55
    """
    if not len(scores):
        return Share(np.nan, np.nan, np.nan)
    weights = events.weights
    value = float(weights @ scores / weights.sum())
    images = len(np.unique(events.image))
    size = _effective_size(events, scores, value)
    quantile = float(t.ppf(0.5 + CONFIDENCE / 2, max(images - 1, 1)))
    return Share(value, *wilson_interval(value, size, quantile))


def linearised_variance(events: RatedEvents, scores: np.ndarray) -> float:
    """Return the variance of the Hajek estimate with images as clusters.

    A stratum whose rated events show one image alone says nothing about other images; its residuals are taken against
    the overall mean instead of its own.
    """
    weights, strata = events.weights, len(events.populations)
    rated = np.bincount(events.stratum, minlength=strata)
    means = np.bincount(events.stratum, weights=scores, minlength=strata) / np.maximum(rated, 1)
    images = np.bincount(np.unique([events.stratum, events.image], axis=1)[0], minlength=strata)
    single = images < 2
    centre = np.where(single, weights @ scores / weights.sum(), means)
    # The mean of a stratum takes one of its images.
    scale = np.sqrt(np.where(single, 1.0, images / np.maximum(images - 1, 1)))
    residuals = weights * scale[events.stratum] * (scores - centre[events.stratum]) / weights.sum()
    return float((np.bincount(events.image, weights=residuals) ** 2).sum())


def wilson_interval(share: float, size: float, quantile: float) -> tuple[float, float]:
    """Return Wilson's score interval of a share of `size` independent events.

    Examples
    --------
    >>> [round(end, 4) for end in wilson_interval(0.0, 10, 1.96)]
    [0.0, 0.2775]
    """
    shrink = 1 + quantile**2 / size
    centre = (share + quantile**2 / (2 * size)) / shrink
    half = quantile / shrink * np.sqrt(share * (1 - share) / size + quantile**2 / (4 * size**2))
    return max(0.0, float(centre - half)), min(1.0, float(centre + half))


def _effective_size(events: RatedEvents, scores: np.ndarray, value: float) -> float:
    """Return how many independent events would give this variance, at most the rated ones.

    Where the variance vanishes it tells nothing; the unequal weights of the images then count (Kish).
    """
    by_image = np.bincount(events.image, weights=events.weights)
    kish = float(by_image.sum() ** 2 / (by_image**2).sum())
    variance = linearised_variance(events, scores)
    return min(value * (1 - value) / variance, len(scores)) if variance > 0 else kish
