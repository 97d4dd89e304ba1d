"""How the screening scores and what is measured of them are printed (Section 5, Appendix E)."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ScoreName:
    """How a screening score is printed.

    Attributes
    ----------
    key
        Part of the column names in CSV files.
    symbol
        Header, a template.
    meaning
        What it is for one clean-correct image, a template that continues "`symbol`: ".
    """

    key: str
    symbol: str
    meaning: str


_FITTED = "logistic regression, fitted to the failures of the other half, on"
# Keys are the scores of the screening results.
SCORES = {
    "confidence": ScoreName("s", "{S}", "confidence on the unperturbed image"),
    "corruption_mean": ScoreName("u", "{U}", "mean probability of the true class under the 18 corruptions"),
    "confidence_decrease": ScoreName("delta", "{delta}", "{S} minus {U}"),
    "retention": ScoreName("ret", "ret", "share of the 18 corruptions under which the prediction stays correct"),
    "class_decrease": ScoreName(
        "class_delta",
        "class {delta}",
        "mean decrease of the true class's probability under corruption, over the other half's images of the class",
    ),
    "predictor_confidence": ScoreName("g_s", "{g(S)}", f"{_FITTED} {{S}}"),
    "predictor_confidence_mean": ScoreName("g_s_u", "{g(S,U)}", f"{_FITTED} {{S}} and {{U}}"),
    "predictor_confidence_mean_retention": ScoreName("g_s_u_ret", "{g(S,U,ret)}", f"{_FITTED} {{S}}, {{U}} and ret"),
    "predictor_confidence_decrease": ScoreName("g_s_delta", "{g(S,delta)}", f"{_FITTED} {{S}} and {{delta}}"),
    "class_mean_correct": ScoreName(
        "class_mean_u_cc_dev",
        "class {U}",
        "mean {U} of the other half's clean-correct images of the class",
    ),
    "class_mean_all": ScoreName(
        "class_mean_u_all_dev", "class {U}, all", "mean {U} of all the other half's images of the class"
    ),
    "margin": ScoreName("margin", "margin", "largest minus second largest probability on the unperturbed image"),
    "entropy": ScoreName("entropy", "entropy", "entropy of the probabilities on the unperturbed image"),
    "agreement": ScoreName("agreement", "agreement", "share of the 18 natural transforms that keep the prediction"),
    "natural_mean": ScoreName("tta18", "{TTA18}", "mean probability of the true class under the 18 natural transforms"),
    "corruption_mean_clean": ScoreName("u_plus0", "{U+0}", "{U} with the unperturbed image as a nineteenth"),
    "natural_mean_clean": ScoreName("tta_plus0", "{TTA+0}", "{TTA18} with the unperturbed image as a nineteenth"),
    "native_confidence": ScoreName("native_s", "native {S}", "{S} under the model's own scoring"),
    "native_corruption_mean": ScoreName("native_u", "native {U}", "{U} under the model's own scoring"),
    "native_natural_mean": ScoreName("native_tta18", "native {TTA18}", "{TTA18} under the model's own scoring"),
    "corruption_rank_mean": ScoreName(
        "u_rank", "{U_rank}", "mean percentile rank of its probability among the images under each corruption"
    ),
    "corruption_root_mean": ScoreName("u_gamma05", "{U^0.5}", "mean square root of the probabilities in {U}"),
    "corruption_square_mean": ScoreName("u_gamma2", "{U^2}", "mean square of the probabilities in {U}"),
    "alignment_corruption": ScoreName("a3_corruption", "{A3}, corruptions", "A3Rank's score over the 18 corruptions"),
    "alignment_natural": ScoreName("a3_natural", "{A3}, transforms", "A3Rank's score over the 18 natural transforms"),
    "natural_selected": ScoreName("tta_sel", "{TTA_sel}", "mean over 18 natural transforms selected on the other half"),
    "corruption_selected": ScoreName("u_sel", "{U_sel}", "mean over 18 corruptions selected on the other half"),
    "corruption_deviation": ScoreName(
        "cd_corruption", "CD, corruptions", "mean absolute change of the confidence under the 18 corruptions"
    ),
    "natural_deviation": ScoreName(
        "cd_natural", "CD, transforms", "mean absolute change of the confidence under the 18 natural transforms"
    ),
    "corruption_consistency": ScoreName(
        "cs_corruption",
        "CS, corruptions",
        "half the share of the 18 corruptions that keep the prediction plus half of one minus CD",
    ),
    "natural_consistency": ScoreName(
        "cs_natural",
        "CS, transforms",
        "half the share of the 18 natural transforms that keep the prediction plus half of one minus CD",
    ),
    "deranged_mean": ScoreName(
        "derangement", "deranged {U}", "{U} of another clean-correct image of the class, in ten random reassignments"
    ),
    "deranged_decrease": ScoreName(
        "delta_derangement",
        "deranged {delta}",
        "{delta} of another clean-correct image of the class, in ten random reassignments",
    ),
    "loo_mean": ScoreName("loo_mean", "others' {U}", "mean {U} of the other clean-correct images of the class"),
    "random": ScoreName("random", "random", "one random order a cell"),
}
