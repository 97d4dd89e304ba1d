"""Accepted labels of the handwritten digits by agreement of independently trained classifiers, not by people.

The study needs a second opinion on each image that owes nothing to the models under study. Nine standard classifiers
of different families read the original 8 x 8 pixels. Each labels every image out of fold: it is trained on the other
folds of a stratified cross-validation and never sees the image that it labels. An image accepts the labels that at
least a third of the classifiers give it. A third lies below a majority, so that a digit between two shapes keeps both
readings; and it takes three classifiers, so that no single one's mistake counts. Labels that scatter leave an image
without an accepted label. The original label is never added: it can be missing, as it can from labels by people.
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from pairedeval.labels.annotations import Annotations, annotation_table
from pairedeval.seeds import derive_seed

NAME = "agreement"
FOLDS = 5
# Share of the classifiers that have to give a label.
AGREEMENT = Fraction(1, 3)
FULL_INK = 16


def classifiers(seed: int) -> Mapping[str, Any]:
    """Return the untrained classifiers by name; `seed` fixes those that draw random numbers."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB, MultinomialNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    def drawn(name: str) -> int:
        return derive_seed(seed, "annotators", name)

    return {
        "nearest neighbours": KNeighborsClassifier(),
        "support vector machine": SVC(),
        "random forest": RandomForestClassifier(random_state=drawn("random forest")),
        "extra trees": ExtraTreesClassifier(random_state=drawn("extra trees")),
        "decision tree": DecisionTreeClassifier(random_state=drawn("decision tree")),
        "linear discriminant analysis": LinearDiscriminantAnalysis(),
        "logistic regression": LogisticRegression(max_iter=1000),
        "Gaussian naive Bayes": GaussianNB(),
        "multinomial naive Bayes": MultinomialNB(),
    }


def annotate_digits(scans: np.ndarray, digits: np.ndarray, seed: int) -> Annotations:
    """Let the classifiers label the scans.

    Parameters
    ----------
    scans
        Ink from 0 to 16, shape ``(n, 8, 8)``, in the order of the data set.
    digits
        Original label of each, shape ``(n,)``; classifiers learn it from the other folds.
    seed
        Seed of the study.

    Returns
    -------
    Annotations
        Image ids and class ids as in `pairedeval.sources.digits.build_index`.
    """
    votes = vote(scans.reshape(len(scans), -1) / FULL_INK, digits, seed)
    return Annotations(
        accept(votes),
        NAME,
        f"Accepted labels: by agreement of {votes.shape[1]} independently trained classifiers, not by people.",
    )


def vote(features: np.ndarray, labels: np.ndarray, seed: int) -> pd.DataFrame:
    """Return the out-of-fold label of each image by each classifier, one column a classifier.

    Parameters
    ----------
    features
        Non-negative features, shape ``(n, features)``.
    labels
        Original labels, shape ``(n,)``, each at least `FOLDS` times.
    seed
        Seed of the study; the folds are the same for all classifiers.
    """
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=derive_seed(seed, "annotators", "folds"))
    return pd.DataFrame(
        {name: cross_val_predict(model, features, labels, cv=folds) for name, model in classifiers(seed).items()}
    )


def accept(votes: pd.DataFrame) -> pd.DataFrame:
    """Keep the labels that enough classifiers give.

    Parameters
    ----------
    votes
        Digit by image and classifier.

    Returns
    -------
    pandas.DataFrame
        Table of `annotations.annotation_table`.

    Examples
    --------
    >>> votes = pd.DataFrame([[1, 1, 1, 1, 7, 7, 7, 2, 2], [0, 0, 2, 2, 4, 4, 6, 6, 8]])
    >>> accept(votes)["accepted"].tolist()
    ['digit-1 digit-7', '']
    """
    classes = np.unique(votes.to_numpy())
    counts = (votes.to_numpy()[:, :, None] == classes).sum(axis=1)
    kept = counts >= math.ceil(AGREEMENT * votes.shape[1])
    return annotation_table(
        {f"digit-{row + 1:04d}": [f"digit-{digit}" for digit in classes[chosen]] for row, chosen in enumerate(kept)}
    )
