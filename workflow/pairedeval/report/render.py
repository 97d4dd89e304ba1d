"""Tables as CSV, Markdown, LaTeX and HTML; see `pairedeval.report.stored` for JSON."""

import csv
import html
import io
from collections.abc import Callable
from itertools import groupby
from pathlib import Path

from pairedeval.files import write_text
from pairedeval.report.names import EN_DASH, MINUS, escape_latex, escape_markdown, notation
from pairedeval.report.stored import to_json
from pairedeval.report.table import Column, Table, Value, is_undefined


def write_all(table: Table, stem: str | Path) -> list[Path]:
    """Write ``stem.csv``, ``stem.md``, ``stem.tex`` and ``stem.json``, each atomically.

    Returns
    -------
    list of Path
        The four files.
    """
    writers = {"csv": to_csv, "md": to_markdown, "tex": to_latex, "json": to_json}
    paths = []
    for suffix, render in writers.items():
        path = Path(f"{stem}.{suffix}")
        write_text(render(table), path)
        paths.append(path)
    return paths


def to_csv(table: Table) -> str:
    """Return plain CSV: ASCII column names, printed decimals, no thousands separators, undefined as empty."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    endings = {"part": ("", "_of"), "interval": ("", "_lo", "_hi")}
    writer.writerow(f"{column.key}{end}" for column in table.columns for end in endings.get(column.kind, ("",)))
    for row in table.rows:
        writer.writerow(
            text for column, value in zip(table.columns, row, strict=True) for text in _csv_fields(column, value)
        )
    return stream.getvalue()


def to_markdown(table: Table) -> str:
    """Return a Markdown table with title and notes; two-level headers become one line."""

    def header(column: Column) -> str:
        text = ", ".join(part for part in (column.group, column.header) if part)
        return notation(text, "html", escape_markdown)

    lines = [
        f"**{_titled(table, lambda text: notation(text, 'html', escape_markdown))}**",
        "",
        _markdown_row([header(column) for column in table.columns]),
        _markdown_row(["---" if column.kind == "text" else "---:" for column in table.columns]),
    ]
    for row in table.rows:
        texts = [format_value(value, column) for column, value in zip(table.columns, row, strict=True)]
        lines.append(_markdown_row([escape_markdown(text) for text in texts]))
    lines += [line for note in table.all_notes for line in ("", notation(note, "html", escape_markdown))]
    return "\n".join(lines) + "\n"


def to_latex(table: Table) -> str:
    r"""Return a LaTeX table for the package booktabs, ready for ``\input``."""
    alignment = "".join("l" if column.kind == "text" else "r" for column in table.columns)
    upper, rules = _latex_groups(table)
    headers = _latex_row([notation(column.header, "latex") for column in table.columns])
    body = [
        _latex_row([escape_latex(format_value(v, c)) for c, v in zip(table.columns, row, strict=True)])
        for row in table.rows
    ]
    notes = [
        rf"  \par\smallskip{{\footnotesize {' '.join(notation(note, 'latex') for note in table.all_notes)}\par}}"
    ] * bool(table.all_notes)
    lines = [
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{notation(table.title, 'latex')}}}",
        rf"  \label{{tab:{table.name}}}",
        rf"  \begin{{tabular}}{{{alignment}}}",
        r"    \toprule",
        *([f"    {upper}", f"    {rules}"] * bool(rules)),
        f"    {headers}",
        r"    \midrule",
        *(f"    {row}" for row in body),
        r"    \bottomrule",
        r"  \end{tabular}",
        *notes,
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def to_html(table: Table) -> str:
    """Return an HTML section: title, table in a box that scrolls by itself, notes; raw values serve sorting."""
    name = html.escape(table.name)
    lines = [
        f'<section class="table" id="{name}">',
        f'<h3 id="{name}-title">{_html_title(table)}</h3>',
        f'<div class="scroll" role="region" tabindex="0" aria-labelledby="{name}-title">',
        f'<table class="data" aria-labelledby="{name}-title">',
        *("<thead>", *_html_headers(table), "</thead>", "<tbody>"),
    ]
    for row in table.rows:
        cells = [
            _html_cell(column, value, head=position == 0)
            for position, (column, value) in enumerate(zip(table.columns, row, strict=True))
        ]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    lines += ["</tbody>", "</table>", "</div>"]
    lines += [f'<p class="note">{notation(note, "html")}</p>' for note in table.all_notes]
    return "\n".join([*lines, "</section>"])


def format_value(value: Value, column: Column) -> str:
    """Return a value as printed: percentage points for shares, an en dash for an undefined one.

    Examples
    --------
    >>> format_value(0.08444, Column("h_width_i0_pp", "{I0}", "share"))
    '8.44'
    >>> format_value(2376, Column("cells", "Cells", "count")), format_value(None, Column("cells", "Cells", "count"))
    ('2,376', '–')
    """
    if value is None or is_undefined(value):
        return EN_DASH
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        if column.kind == "part":
            return "/".join(f"{number:,}" for number in value)
        number, low, high = (_number(end, column, ",").replace("-", MINUS) for end in value)
        return f"{number} [{low}, {high}]"
    return _number(value, column, ",").replace("-", MINUS)


def _number(value: float, column: Column, separator: str) -> str:
    """Round by the column's rule; a rounded zero has no sign."""
    if column.kind == "count":
        return f"{value:{separator}.0f}"
    scaled = 100 * value if column.kind == "share" else value
    text = f"{scaled:{'+' if column.signed else ''}{separator}.{column.decimals}f}"
    return text.lstrip("+-") if float(text.replace(",", "")) == 0 else text


def _csv_fields(column: Column, value: Value) -> list[str]:
    width = {"part": 2, "interval": 3}.get(column.kind, 1)
    if value is None or is_undefined(value):
        return [""] * width
    if isinstance(value, tuple):
        return [str(number) if column.kind == "part" else _number(number, column, "") for number in value]
    return [value if isinstance(value, str) else _number(value, column, ""), *[""] * (width - 1)]


def _titled(table: Table, write: Callable[[str], str]) -> str:
    return f"{write(table.label)}. {write(table.title)}" if table.label else write(table.title)


def _markdown_row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _latex_row(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def _spans(table: Table) -> list[tuple[str, int]]:
    """Return the groups of the upper header row and how many columns each spans; empty if no column has a group."""
    if not any(column.group for column in table.columns):
        return []
    return [(group, len(list(columns))) for group, columns in groupby(table.columns, key=lambda column: column.group)]


def _latex_groups(table: Table) -> tuple[str, str]:
    """Return the upper header row and the rules under its groups."""
    cells, rules, first = [], [], 1
    for group, width in _spans(table):
        last = first + width - 1
        if group:
            cells.append(rf"\multicolumn{{{width}}}{{c}}{{{notation(group, 'latex')}}}")
            rules.append(rf"\cmidrule(lr){{{first}-{last}}}")
        else:
            cells += [""] * width
        first = last + 1
    return _latex_row(cells).lstrip(), " ".join(rules)


def _html_title(table: Table) -> str:
    title = notation(table.title, "html")
    return f"<b>{html.escape(table.label)}.</b> {title}" if table.label else title


def _html_headers(table: Table) -> list[str]:
    spans = _spans(table)
    upper = [
        f'<th scope="colgroup" colspan="{width}">{notation(group, "html")}</th>'
        if group
        else f'<td colspan="{width}"></td>'
        for group, width in spans
    ]
    lower = [f'<th scope="col"{_html_class(column)}>{notation(column.header, "html")}</th>' for column in table.columns]
    return [f"<tr>{''.join(cells)}</tr>" for cells in (upper, lower) if cells]


def _html_class(column: Column) -> str:
    return "" if column.kind == "text" else ' class="number"'


def _html_cell(column: Column, value: Value, head: bool) -> str:
    text = html.escape(format_value(value, column))
    raw = value[0] if isinstance(value, tuple) else value
    key = f' data-value="{raw:.9g}"' if isinstance(raw, int | float) and not is_undefined(raw) else ""
    tag, scope = ("th", ' scope="row"') if head else ("td", "")
    return f"<{tag}{scope}{_html_class(column)}{key}>{text}</{tag}>"
