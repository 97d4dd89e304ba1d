"""The page of one reviewer: one HTML file with the pictures inside, which needs no network (Appendix J.3).

A reviewer sees a picture and the name of a class, and says whether that answer is right. The page names no model, no
source, no condition and no stratum, and holds neither supports nor annotations. Ratings stay in the browser until they
are exported as CSV with the columns ``event_id,reviewer,rating,comment``.
"""

import base64
import io
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path

import pandas as pd
from PIL import Image

from pairedeval.errors import PairedEvalError
from pairedeval.files import write_text
from pairedeval.images import ImageStore, decode_image
from pairedeval.review.ratings import CANNOT_TELL, CORRECT, PARTLY, WRONG
from pairedeval.seeds import digest

# Longer sides are reduced to this, in px: enough to judge, and a page of 200 photographs stays below 150 MB.
LONGEST_SIDE = 512
MEANINGS = {
    CORRECT: "It names what the picture shows, or one of several main things in it.",
    PARTLY: "It comes close: a broader, narrower or easily confused class, or a thing beside what the picture shows.",
    WRONG: "Nothing in the picture is what the answer names.",
    CANNOT_TELL: "The picture is too dark, too bright, too blurred or too cropped to decide.",
}


def write_page(
    path: str | Path,
    *,
    reviewer: str,
    assignment: pd.DataFrame,
    sample: pd.DataFrame,
    class_names: Mapping[str, str],
    images: Mapping[str, str | Path],
    study: str,
    simulated: bool = False,
) -> None:
    """Write the page of one reviewer, atomically.

    Parameters
    ----------
    path
        HTML file.
    reviewer
        Name in the assignment.
    assignment
        Columns ``reviewer``, ``place`` and ``event_id``.
    sample
        Columns ``event_id``, ``source``, ``condition``, ``image_id`` and ``answer`` (class id).
    class_names
        Printed name per class id.
    images
        Image set per source.
    study
        Name of the study; with the sample it tells apart what the browser keeps.
    simulated
        Whether the pictures are simulated captures.

    Raises
    ------
    PairedEvalError
        If the reviewer has no events while others do, or an assigned event, a class name or a picture is missing.
    """
    events = _events_of(reviewer, assignment, sample)
    shown = [
        {"event_id": event, "answer": _class_name(answer, class_names), "picture": picture}
        for event, answer, picture in zip(events["event_id"], events["answer"], pictures(events, images), strict=True)
    ]
    write_text(page_html(reviewer, shown, study, simulated), path)


def page_html(reviewer: str, events: Sequence[Mapping[str, str]], study: str, simulated: bool = False) -> str:
    """Return the page as one HTML document without external references.

    Parameters
    ----------
    reviewer, study, simulated
        As for `write_page`.
    events
        ``event_id``, ``answer`` (name of the class) and ``picture`` (data URI), in the order of the work; without
        events the page says so.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("pairedeval", "review"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    files = resources.files("pairedeval.review")
    style, script = (Markup(files.joinpath(name).read_text(encoding="utf-8")) for name in ("page.css", "page.js"))
    storage = f"pairedeval review {study} {reviewer} {digest(*sorted(event['event_id'] for event in events))[:16]}"
    return (
        environment.get_template("page.html.j2").render(
            reviewer=reviewer,
            events=events,
            study=study,
            storage=storage,
            simulated=simulated,
            meanings=MEANINGS,
            style=style,
            script=script,
        )
        + "\n"
    )


def pictures(events: pd.DataFrame, images: Mapping[str, str | Path]) -> list[str]:
    """Return the captured picture of every event as a PNG data URI, in the order of the rows.

    Parameters
    ----------
    events
        Columns ``source``, ``condition`` and ``image_id``.
    images
        Image set per source.
    """
    found: dict[int, str] = {}
    numbered = events.reset_index(drop=True)
    for source, rows in numbered.groupby("source"):
        if source not in images:
            raise PairedEvalError(f"source {source}: no image set is given; name the one that its records come from")
        with ImageStore(images[str(source)]) as store:
            for place, condition, image_id in zip(rows.index, rows["condition"], rows["image_id"], strict=True):
                data = store.read_bytes(condition, image_id)
                found[place] = _data_uri(data, f"{store.path}: {condition}/{image_id}")
    return [found[place] for place in numbered.index]


def _data_uri(data: bytes, place: str) -> str:
    # Photographs become PNG as well: a browser would turn them by their EXIF data, and the models saw them unturned.
    picture = Image.fromarray(decode_image(data, place))
    picture.thumbnail((LONGEST_SIDE, LONGEST_SIDE), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    picture.save(buffer, format="PNG")
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"


def _events_of(reviewer: str, assignment: pd.DataFrame, sample: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the sample that a reviewer judges, in the assigned order."""
    mine = assignment[assignment["reviewer"] == reviewer].sort_values("place")
    if mine.empty and len(assignment):
        raise PairedEvalError(f"reviewer {reviewer} has no events; draw the sample again")
    events = mine[["event_id"]].merge(sample, on="event_id", how="left")
    unknown = events.loc[events["source"].isna(), "event_id"]
    if len(unknown):
        raise PairedEvalError(f"event {unknown.iloc[0]} is assigned but not in the sample; draw the sample again")
    return events


def _class_name(class_id: str, names: Mapping[str, str]) -> str:
    if class_id not in names:
        raise PairedEvalError(f"class {class_id} has no name in the index of the images; prepare the images again")
    return names[class_id]
