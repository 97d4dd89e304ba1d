"""What stands under the figures of the page, and what a listener hears instead of them."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from pairedeval.report.names import simulated_sentence


@dataclass(frozen=True)
class Caption:
    """Words about a figure; `title` and `text` are templates (see `pairedeval.report.names.notation`).

    Attributes
    ----------
    title
        Heading of the figure.
    text
        How to read it.
    alt
        Plain text that stands for the picture.
    """

    title: str
    text: str
    alt: str


CAPTIONS = {
    "figure_01": Caption(
        "Figure 1. How much the records determine",
        "Mean width of the identified interval in the panel, per target and source. The whole bar ({W0}, bold) is what "
        "separate records leave open. The light part goes once the number of images correct on both sides is known for "
        "each class, the orange part once all five state counts are. The blue part stays open: only the pairs "
        "themselves decide it. For {dM_k}, {W0} ranges over matchings with at least one pair correct on both sides.",
        "Three groups of stacked bars, one group for each target H, L and dM_k, one bar for each source. Each bar "
        "divides the mean interval width into what remains, what five-state counts take off and what overlap takes "
        "off. The same widths stand in the tables.",
    ),
    "figure_05": Caption(
        "Figure 5. Orderings of policies over the cost weight",
        "Share of the cells of each source in which one more policy is certified to cost less than another. Left: one "
        "common correspondence at {I5}, where separate cost intervals leave the order open. Middle and right: the "
        "overlap per class, and then all five state counts, added to what is known. Pairs count between which correct "
        "and wrong predictions switch acceptance. The grey line marks the primary weight.",
        "Three line plots over the cost weight from 0 to 1, one line for each source: the percentage of cells with an "
        "additional certified ordering by a shared correspondence, by overlap and by five-state counts.",
    ),
    "figure_07": Caption(
        "Figure 7. One base image under the perturbations",
        "The nine corruptions at severity 2 and at severity 4, natural transformations that serve for comparison, and "
        "recaptures of mild conditions.",
        "A grid of small pictures of one base image: two rows of corruptions, one row of natural transformations and "
        "one row of recaptures.",
    ),
    "figure_accuracy": Caption(
        "Accuracy of each model",
        "Accuracy on unperturbed evaluation images (diamond) and its mean over the conditions of each tier. A grey "
        "line spans the marks of a model. Models are sorted by their accuracy on unperturbed images.",
        "Dot plot with one row for each model and one panel for each source: accuracy on unperturbed images and the "
        "mean accuracy for each tier.",
    ),
    "figure_intervals": Caption(
        "What the records determine in single cells",
        "Each row is one model under one condition. Bars show which values of {H} and {L} the records allow: at {I0} "
        "(grey), {Ik} (light blue) and {I5} (blue). The dot is the observed value, the tick the value under "
        "independent matching within classes. Cells are taken at equal steps from the narrowest to the widest interval "
        "of {H} at {I0} of each source, without looking at observed values.",
        "Interval plot with two panels, H and L. Each row shows nested intervals for three levels of information, the "
        "observed value inside them and the value under independent matching.",
    ),
}


def caption(figure: str, simulated: Collection[str] = ()) -> Caption:
    """Return the words about a figure, with a sentence on simulated captures where it shows some.

    Parameters
    ----------
    figure
        Key of `CAPTIONS`.
    simulated
        Sources whose captures are simulated.
    """
    words = CAPTIONS[figure]
    sentence = simulated_sentence(simulated)
    return replace(words, text=f"{words.text} {sentence}".rstrip(), alt=f"{words.alt} {sentence}".rstrip())
