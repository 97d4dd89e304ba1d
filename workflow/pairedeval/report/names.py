"""The words of the report: how sources, targets, levels, tiers and conditions are printed.

Titles, headers, notes and findings are templates: ``{H}`` or ``{I0}`` stands for a symbol of the paper, which
`notation` writes for each kind of output. Values from data are never templates.
"""

import html
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from pairedeval.errors import PairedEvalError

Markup = Literal["text", "html", "latex", "plot"]

EN_DASH = "–"
MINUS = "−"


@dataclass(frozen=True)
class Symbol:
    """A symbol of the paper in the four kinds of output."""

    text: str
    html: str
    latex: str
    plot: str


SYMBOLS = {
    "H": Symbol("H", "<i>H</i>", "$H$", "$H$"),
    "L": Symbol("L", "<i>L</i>", "$L$", "$L$"),
    "dM_k": Symbol("dM_k", "<i>dM</i><sub>k</sub>", "$dM_k$", "$dM_k$"),
    "I0": Symbol("I0", "<i>I</i><sub>0</sub>", r"$\mathcal{I}_0$", r"$\mathcal{I}_0$"),
    "Ik": Symbol("Ik", "<i>I</i><sub>k</sub>", r"$\mathcal{I}_k$", r"$\mathcal{I}_k$"),
    "I5": Symbol("I5", "<i>I</i><sub>5</sub>", r"$\mathcal{I}_5$", r"$\mathcal{I}_5$"),
    "W0": Symbol("W0", "<i>W</i><sub>0</sub>", "$W_0$", "$W_0$"),
    "W1": Symbol("W1", "<i>W</i><sub>1</sub>", "$W_1$", "$W_1$"),
    "W2": Symbol("W2", "<i>W</i><sub>2</sub>", "$W_2$", "$W_2$"),
    "q": Symbol("q", "<i>q</i>", "$q$", "$q$"),
    "p": Symbol("p", "<i>p</i>", "$p$", "$p$"),
    "S": Symbol("S", "<i>S</i>", "$S$", "$S$"),
    "U": Symbol("U", "<i>U</i>", "$U$", "$U$"),
    "U_m": Symbol("U_m", "<i>U</i><sub>m</sub>", "$U_m$", "$U_m$"),
    "U+0": Symbol("U+0", "<i>U</i><sub>+0</sub>", "$U_{+0}$", "$U_{+0}$"),
    "U_sel": Symbol("U_sel", "<i>U</i><sub>sel</sub>", r"$U_{\mathrm{sel}}$", r"$U_{\mathrm{sel}}$"),
    "U_rank": Symbol("U_rank", "<i>U</i><sub>rank</sub>", r"$U_{\mathrm{rank}}$", r"$U_{\mathrm{rank}}$"),
    "U^0.5": Symbol("U^0.5", "<i>U</i><sup>0.5</sup>", "$U^{0.5}$", "$U^{0.5}$"),
    "U^2": Symbol("U^2", "<i>U</i><sup>2</sup>", "$U^2$", "$U^2$"),
    "delta": Symbol("delta", "<i>δ</i>", r"$\delta$", r"$\delta$"),
    "g(S)": Symbol("g(S)", "<i>g</i>(<i>S</i>)", "$g(S)$", "$g(S)$"),
    "g(S,U)": Symbol("g(S, U)", "<i>g</i>(<i>S</i>, <i>U</i>)", "$g(S, U)$", "$g(S, U)$"),
    "g(S,U,ret)": Symbol(
        "g(S, U, ret)",
        "<i>g</i>(<i>S</i>, <i>U</i>, ret)",
        r"$g(S, U, \mathrm{ret})$",
        r"$g(S, U, \mathrm{ret})$",
    ),
    "g(S,delta)": Symbol("g(S, delta)", "<i>g</i>(<i>S</i>, <i>δ</i>)", r"$g(S, \delta)$", r"$g(S, \delta)$"),
    "TTA18": Symbol("TTA18", "TTA<sub>18</sub>", r"TTA\textsubscript{18}", r"TTA$_{18}$"),
    "TTA+0": Symbol("TTA+0", "TTA<sub>+0</sub>", r"TTA\textsubscript{+0}", r"TTA$_{+0}$"),
    "TTA_sel": Symbol("TTA_sel", "TTA<sub>sel</sub>", r"TTA\textsubscript{sel}", r"TTA$_\mathrm{sel}$"),
    "A3": Symbol("A3", "<i>A</i><sup>3</sup>", "$A^3$", "$A^3$"),
}
TARGETS = ("H", "L", "dM_k")
LEVELS = ("I0", "Ik", "I5")
TIERS = ("mild", "severe", "extreme")
TARGET_NAMES = {"H": "accepted-error transitions", "L": "lost acceptance", "dM_k": "confidence drop"}
SOURCE_NAMES = {"syn": "Syn", "syn_b": "Syn-B", "es": "ES", "diverse": "Diverse"}

_PLACEHOLDER = re.compile(r"\{(" + "|".join(map(re.escape, SYMBOLS)) + r")\}")
_LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "–": "--",
    "−": "$-$",
    "×": r"$\times$",
}


def escape_latex(text: str) -> str:
    r"""Write text so that LaTeX prints it as it is.

    Examples
    --------
    >>> print(escape_latex("ViT_B & 5%"))
    ViT\_B \& 5\%
    """
    return "".join(_LATEX_SPECIAL.get(character, character) for character in text)


def escape_markdown(text: str) -> str:
    r"""Write text so that a cell of a Markdown table prints it as it is.

    Examples
    --------
    >>> print(escape_markdown("a|b_c<d"))
    a\|b\_c&lt;d
    """
    safe = re.sub(r"([\\`*_\[\]|])", r"\\\1", text.replace("\n", " "))
    return safe.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


_ESCAPES: Mapping[Markup, Callable[[str], str]] = {
    "text": str,
    "html": html.escape,
    "latex": escape_latex,
    "plot": lambda text: text.replace("$", r"\$"),
}


def notation(template: str, markup: Markup, escape: Callable[[str], str] | None = None) -> str:
    r"""Fill the symbols into a template and escape everything else.

    Parameters
    ----------
    template
        Text with placeholders such as ``{H}``; braces around other words stay.
    markup
        Kind of output that chooses the form of the symbols.
    escape
        Escape of the text between symbols, if not the usual one of `markup` (Markdown takes symbols as HTML).

    Examples
    --------
    >>> notation("{H} at {I0}, 5%", "text")
    'H at I0, 5%'
    >>> print(notation("{H} at {I0}, 5%", "latex"))
    $H$ at $\mathcal{I}_0$, 5\%
    """
    parts = _PLACEHOLDER.split(template)
    write = escape or _ESCAPES[markup]
    return "".join(getattr(SYMBOLS[part], markup) if odd % 2 else write(part) for odd, part in enumerate(parts))


def source_name(source: str, simulated: Collection[str] = (), separator: str = " ") -> str:
    """Return the printed name of a source, with the mark of simulated data where it is due.

    Parameters
    ----------
    source
        Id of the source; one that is not of the paper is printed as it is.
    simulated
        Ids of the sources with simulated data.
    separator
        What stands before the mark, a line break on axes.

    Examples
    --------
    >>> source_name("syn_b", {"es"}), source_name("es", {"es"})
    ('Syn-B', 'ES (simulated)')
    """
    name = SOURCE_NAMES.get(source, source)
    return f"{name}{separator}(simulated)" if source in simulated else name


def ordered_sources(sources: Iterable[str]) -> list[str]:
    """Return distinct sources, those of the paper first and in its order.

    Examples
    --------
    >>> ordered_sources(["own", "es", "syn", "es"])
    ['syn', 'es', 'own']
    """
    distinct = list(dict.fromkeys(sources))
    known = [source for source in SOURCE_NAMES if source in distinct]
    return known + [source for source in distinct if source not in SOURCE_NAMES]


def distinct_images(sources: Iterable[str]) -> list[str]:
    """Leave out the recaptures where Syn-B stands for them: their unperturbed images are the same base images.

    Examples
    --------
    >>> distinct_images(["syn", "syn_b", "es"]), distinct_images(["es"])
    (['syn', 'syn_b'], ['es'])
    """
    given = ordered_sources(sources)
    return [source for source in given if not ("syn_b" in given and source in ("es", "diverse"))]


def check_tiers(tiers: Iterable[str], place: str, also: Collection[str] = ()) -> None:
    """Raise a `PairedEvalError` for a tier that would not be shown.

    Parameters
    ----------
    tiers
        Tiers of rows, repeated or not.
    place
        What the message calls the rows.
    also
        Further words that are allowed.
    """
    unknown = sorted({str(tier) for tier in tiers} - {*TIERS, *also})
    if unknown:
        raise PairedEvalError(f"{place}: tier {unknown[0]!r} is none of {', '.join(TIERS)}; assign the tiers again")


def condition_name(condition: str) -> str:
    """Return a short printed name of a condition.

    Examples
    --------
    >>> condition_name("gaussian_noise-2"), condition_name("l1-k05"), condition_name("rotate+5")
    ('Gaussian noise 2', 'l1 k05', 'Rotate+5')
    """
    words = condition.replace("_", " ").replace("-", " ")
    if re.fullmatch(r"l\d+ k\d+", words):
        return words
    return words.replace("jpeg compression", "JPEG", 1) if words.startswith("jpeg") else words[:1].upper() + words[1:]


def listed(words: Iterable[str]) -> str:
    """Join words as an English list.

    Examples
    --------
    >>> listed(["ES"]), listed(["Syn", "ES", "Diverse"])
    ('ES', 'Syn, ES and Diverse')
    """
    *head, last = list(words)
    return f"{', '.join(head)} and {last}" if head else last


def predictions_simulated(simulated: Collection[str]) -> bool:
    """Tell whether the predictions themselves are simulated, not captures alone.

    Parameters
    ----------
    simulated
        Ids of the sources with simulated data. Syn and Syn-B have no captures: what is simulated there is predictions,
        and then those of every source.

    Examples
    --------
    >>> predictions_simulated({"es", "diverse"}), predictions_simulated({"syn", "syn_b", "es", "diverse"})
    (False, True)
    """
    return not set(simulated) <= {"es", "diverse"}


def simulated_sentence(simulated: Collection[str]) -> str:
    """Say what is simulated: the captures of some sources, or all predictions; empty if nothing is.

    Examples
    --------
    >>> simulated_sentence({"es", "diverse"})
    'The captures of ES and Diverse are simulated.'
    >>> simulated_sentence({"syn", "syn_b", "es", "diverse"})
    'All predictions are simulated: no model was run, and nothing here is a result.'
    """
    if predictions_simulated(simulated):
        return "All predictions are simulated: no model was run, and nothing here is a result."
    names = [source_name(source) for source in ordered_sources(sorted(simulated))]
    return f"The captures of {listed(names)} are simulated." if names else ""


def counted(number: int, noun: str) -> str:
    """Write a number with its noun in the singular or the plural.

    Examples
    --------
    >>> counted(1, "cell"), counted(11088, "cell")
    ('1 cell', '11,088 cells')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
