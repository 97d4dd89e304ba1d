"""What stands under the figures of the page, and what a listener hears instead of them."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from pairedeval.report.names import simulated_sentence
from pairedeval.report.probe_rows import label_notes


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
    "figure_02": Caption(
        "Figure 2. How well scores rank later failures",
        "Left: mean AUROC of six scores that rank the clean-correct images of a cell by the risk of a wrong prediction "
        "after recapture, on the same images; 0.5 is a random order. {S} is the clean confidence, {U} the mean "
        "probability of the class under the 18 corruptions, {delta} the difference {S} minus {U}, ret the share of "
        "corruptions under which the prediction stays correct. Class {delta} is the mean decrease of the class's "
        "probability over the other half's images of the class, and {g(S,U)} a logistic regression on the other "
        "half's failures. Right: mean difference {U} minus {S} with the 95% interval "
        "from resampling the model groups; the dashed line marks no difference.",
        "A heat map with one row for each of six scores and one column for each source and tier, its numbers written "
        "in the fields, and beside it the differences in AUROC between U and S for each source and tier with "
        "intervals. The same numbers stand in the tables.",
    ),
    "figure_03": Caption(
        "Figure 3. Failures found at a budget of recaptures",
        "Mean share of the failures under mild conditions among the images that each score ranks riskiest, at budgets "
        "of 10, 20 and 30% of the clean-correct images. The marks of a budget stand side by side, so that equal ones "
        "can be seen. Dotted: the largest mean share that any order reaches, as failures can outnumber the budget. "
        "Grey: what a random choice finds in expectation. {A3} uses the same corruptions as {U}.",
        "One panel for each source with a line for each of six scores over three budgets, between the line of random "
        "selection and that of the attainable ceiling.",
    ),
    "figure_04": Caption(
        "Figure 4. Natural transforms and corruptions at equal inference counts",
        "Mean failure recall at a budget of 20% and mean AUROC under mild conditions, from 18 natural transforms "
        "(left ends) and from 18 corruptions (right ends) of the same images, by two scoring rules: the mean "
        "probability of the class and the adapted score {A3} of A3Rank. The two sets differ in the kind of change and "
        "in its strength.",
        "Panels for recall and AUROC of each source. In each, one line for each of two scoring rules leads from the "
        "natural transforms to the corruptions, with the numbers at its ends.",
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
    "figure_06": Caption(
        "Figure 6. Single corruptions as probes",
        "Mean share of the failures under mild conditions that a budget of 20% finds if a single corruption ranks the "
        "images: circles are severity 2, squares severity 4. Vertical lines: the mean over all 18 corruptions, that "
        "over the 18 natural transforms, and the clean confidence, which needs no probe. Types are sorted by their "
        "mean over sources and severities.",
        "One panel for each source with a row for each corruption type. A circle and a square mark the recall of its "
        "two severities; vertical lines mark three comparisons.",
    ),
    "figure_07": Caption(
        "Figure 7. One base image under the perturbations",
        "The nine corruptions at severity 2 and at severity 4, natural transformations that serve for comparison, and "
        "recaptures of mild conditions.",
        "A grid of small pictures of one base image: two rows of corruptions, one row of natural transformations and "
        "one row of recaptures.",
    ),
    "figure_08": Caption(
        "Figure 8. How much one model group matters",
        "Reduction of the mean absolute error on Diverse when the paired summaries F, A and Q of Syn join their "
        "own independent counterparts (top) or those of all eight summaries (bottom). Diamonds: all models; dots: one "
        "group deleted from training and evaluation. Dashed: a tenth of the target's interquartile range.",
        "Dot plots, one for each target, with two controls each: the reduction of the prediction error with all models "
        "and with each model group deleted.",
    ),
    "figure_scorecard": Caption(
        "Scorecard",
        "Left: which share of the printed numbers of each table and part of the text agrees with this study; the "
        "number of compared ones in brackets. Right: one dot for each number, at its difference in units of the last "
        "printed digit. Left of the dashed line a number agrees but for rounding.",
        "Bars with the share of printed numbers that agree, one for each table and part of the text, beside dots for "
        "the size of each difference.",
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

# Figures of the second part, decision consistency. They show clean images, computed corruptions and attacks: nothing in
# them depends on the captures, simulated or not.
CONSISTENCY_CAPTIONS = {
    "figure_consistency_operators": Caption(
        "Figure C1. One image under the six mild operators",
        "The first evaluation image, by id, and what each operator makes of it at levels 1 to 5; level 1 is the "
        "default. Small numbers give the strength. Whether brightness and contrast rise or fall, and which way the "
        "image turns, is drawn once for each image.",
        "A grid of small pictures of one image: a row for each of six operators, the original in front and five "
        "levels of growing strength beside it.",
    ),
    "figure_consistency_detection": Caption(
        "Figure C2. How well trust scores find errors, compared with MSP",
        "Difference in AUROC between each trust score and MSP, the largest softmax probability, as detectors of wrong "
        "predictions on clean evaluation images. Diamonds: mean over the configurations with the 95% interval from "
        "resampling configurations, their seeds and the images. Dots: single configurations, means over their seeds. "
        "The dashed line marks no difference. LS is label stability, CD the confidence deviation, CS the consistency "
        "score. Operators act at level 1.",
        "Dot plot with a row for each of eleven scores: the mean difference in AUROC from MSP with its interval, and a "
        "dot for each configuration. The same means stand in the tables.",
    ),
    "figure_consistency_certificate": Caption(
        "Figure C3. The no-flip certificate",
        "The certificate is calibrated on one half of the clean images, without labels, and judged on the other. Left: "
        "share of the images that are certified and whose prediction an operator changes all the same. The dashed line "
        "is the allowed rate β, which bounds the mean over many calibrations, not each of them. Right: share of the "
        "images that are certified. Thin lines are configurations, means over their seeds.",
        "Two line plots over the allowed failure rate: the realised failure rate beside the line where both are equal, "
        "and the coverage, each with a thin line for every configuration and a thick one for their mean.",
    ),
    "figure_consistency_shift": Caption(
        "Figure C4. What consistency adds where confidence is too high",
        "Each mark is a corruption at one severity, a mean over all runs: difference in AUROC between CS and the "
        "margin as detectors of errors, against the overconfidence of MSP, its mean minus the accuracy. Operators act "
        "on top of the corruption, at level 1. The conditions at the ends of the axes are named. The rank correlation "
        "is given over all conditions and over corruptions, their severities averaged.",
        "Scatter plot of corrupted conditions, with colour and shape for the family and fill for the severity: the "
        "gain of the consistency score over the margin against overconfidence, with Spearman's correlation.",
    ),
    "figure_consistency_attacks": Caption(
        "Figure C5. Detection of attacked images",
        "(a) AUROC with which four scores tell attacked images from the same images without an attack, by the budget "
        "of the attack. (b) The same for CS under adaptive attacks, which also aim at predictions that the operators "
        "do not change, by the weight of this aim. (c) Share of the right predictions that these attacks turn wrong. "
        "Marks of one budget or weight stand side by side. Bars: 95% intervals from resampling configurations and "
        "their seeds. Dotted: chance.",
        "Three line plots: detection of plain attacks by four scores over the budget, detection of adaptive attacks by "
        "the consistency score over the weight of stability, and the success of these attacks. The same numbers stand "
        "in the tables.",
    ),
    "figure_consistency_priors": Caption(
        "Figure C6. Rare classes, and corrections of the class prior",
        "(a) Consistency-accuracy gap of models trained with rare classes, without a correction (orange) and with the "
        "class prior corrected in every view (blue), and of models trained on all images (black). Negative: "
        "predictions are more consistent than right. Bars: 95% intervals from resampling configurations and their "
        "seeds. (b) Recall of each class against its label stability. Below the dotted line predictions are stable "
        "more often than right. Arrows lead from the rare classes without a correction to those with the estimated "
        "prior.",
        "Left, a dot plot of the consistency-accuracy gap with intervals for five cases. Right, a scatter plot of "
        "classes: recall against label stability, rare classes with marks of their own and arrows to their values "
        "after correction. The same numbers stand in the tables.",
    ),
}

# Figures that set natural transforms beside corruptions.
WITH_TRANSFORMS = ("figure_04", "figure_06")


def caption(figure: str, simulated: Collection[str] = (), label_changing: Collection[str] = ()) -> Caption:
    """Return the words about a figure, with a sentence on what is simulated.

    Parameters
    ----------
    figure
        Key of `CAPTIONS` or of `CONSISTENCY_CAPTIONS`.
    simulated
        Sources with simulated data.
    label_changing
        Natural transforms that do not keep the class of every image.
    """
    if figure in CONSISTENCY_CAPTIONS:
        return CONSISTENCY_CAPTIONS[figure]
    words = CAPTIONS[figure]
    sentence = simulated_sentence(simulated)
    labels = label_notes(label_changing) if figure in WITH_TRANSFORMS else []
    text = " ".join(filter(None, [words.text, *labels, sentence]))
    return replace(words, text=text, alt=f"{words.alt} {sentence}".rstrip())
