"""The page of a reviewer: every event once, masked, self-contained, and readable by a strict parser."""

import base64
import io
import json
import re
import zipfile
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from pairedeval.errors import ImageError, PairedEvalError
from pairedeval.images import decode_image, write_store
from pairedeval.review.page import LONGEST_SIDE, MEANINGS, pictures, write_page
from pairedeval.review.ratings import RATINGS

NAMES = {"n01": "tench", "n02": '</script><b>goldfish & "co"\''}
VOID = {"meta", "link", "img", "br", "hr", "input"}


class Outline(HTMLParser):
    """Checks that elements nest, and keeps attributes and the text of scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data


@pytest.fixture
def sample() -> pd.DataFrame:
    rows = [(f"{number:016x}", f"l{number % 3}-k01", f"image-{number}") for number in range(6)]
    frame = pd.DataFrame(rows, columns=["event_id", "condition", "image_id"])
    frame = frame.assign(source=3 * ["es", "diverse"], answer=3 * ["n01", "n02"])
    return frame.assign(stratum=frame["source"] + "/mild/high", inclusion_probability="0.123456")


@pytest.fixture
def assignment(sample) -> pd.DataFrame:
    order = [3, 0, 5, 1, 4, 2]
    rows = [("reviewer-1", place, sample["event_id"][number]) for place, number in enumerate(order, start=1)]
    rows += [("reviewer-2", place, event) for place, event in enumerate(sample["event_id"], start=1)]
    return pd.DataFrame(rows, columns=["reviewer", "place", "event_id"]).sample(frac=1, random_state=1)


def picture_of(number: int) -> np.ndarray:
    return np.random.default_rng(number).integers(0, 256, (8, 6, 3), dtype=np.uint8)


@pytest.fixture
def images(sample, tmp_path):
    paths = {}
    for source, rows in sample.groupby("source"):
        paths[source] = tmp_path / f"{source}.zip"
        write_store(
            paths[source],
            [
                (row.condition, row.image_id, picture_of(int(row.image_id.removeprefix("image-"))))
                for row in rows.sort_values(["condition", "image_id"]).itertuples()
            ],
        )
    return paths


@pytest.fixture
def page(sample, assignment, images, tmp_path):
    def page(**change) -> str:
        path = tmp_path / "page.html"
        content = {
            "reviewer": "reviewer-1", "assignment": assignment, "sample": sample, "class_names": NAMES,
            "images": images, "study": "example", "simulated": True,
        }  # fmt: skip
        write_page(path, **content | change)
        return path.read_text()

    return page


def events_of(html: str) -> list[dict[str, str]]:
    return json.loads(Outline(html).scripts[0])


def test_every_event_stands_once_in_the_assigned_order(page, sample):
    events = events_of(page())
    assert [event["event_id"] for event in events] == [sample["event_id"][number] for number in (3, 0, 5, 1, 4, 2)]
    assert all(set(event) == {"event_id", "answer", "picture"} for event in events)
    second = events_of(page(reviewer="reviewer-2"))
    assert [event["event_id"] for event in second] == sample["event_id"].tolist()


def test_pictures_and_answers_belong_to_their_events(page, sample):
    for event in events_of(page()):
        row = sample[sample["event_id"] == event["event_id"]].iloc[0]
        assert event["answer"] == NAMES[row["answer"]]
        data = base64.b64decode(event["picture"].removeprefix("data:image/png;base64,"))
        assert (decode_image(data, "page") == picture_of(int(row["image_id"].removeprefix("image-")))).all()


def test_reviewers_are_masked(page, sample):
    """Whatever stands on the page but the pictures: no source, condition, image, stratum, probability or class id."""
    text = re.sub(r"data:image/png;base64,[\w+/=]+", "", page())
    secret = {*sample["condition"], *sample["image_id"], *sample["stratum"], *sample["answer"], "0.123456", "diverse"}
    assert {word for word in secret if word in text} == set()
    assert re.search(r"\b(model|support|consensus|mild|high|es)\b", text.replace("<meta", "")) is None


def test_the_page_nests_and_needs_no_network(page):
    html = page()
    outline = Outline(html)
    assert outline.open == []
    policy = next(attributes["content"] for tag, attributes in outline.elements if "http-equiv" in attributes)
    assert policy.startswith("default-src 'none'")
    links = [value for _, attributes in outline.elements for key, value in attributes.items() if key in ("src", "href")]
    assert links == ["data:,"]
    assert re.search(r"https?:|fetch\(|XMLHttpRequest|import ", html) is None


def test_every_rating_has_a_meaning_and_a_button(page):
    assert tuple(MEANINGS) == RATINGS
    buttons = [attributes["value"] for _, attributes in Outline(page()).elements if attributes.get("class") == "choice"]
    assert buttons == list(RATINGS)


def test_the_script_finds_what_it_names(page):
    outline = Outline(page())
    present = {attributes["id"] for _, attributes in outline.elements if "id" in attributes}
    assert set(re.findall(r'element\("(\w+)"\)', outline.scripts[1])) == present


def test_simulated_captures_are_said_to_be(page):
    assert "simulated captures" in page()
    assert "simulated" not in page(simulated=False)


def test_what_the_browser_keeps_belongs_to_one_reviewer_and_sample(page, assignment):
    def key(html: str) -> str:
        return next(
            attributes["data-storage"] for _, attributes in Outline(html).elements if "data-storage" in attributes
        )

    fewer = assignment[assignment["event_id"] != f"{0:016x}"]
    assert len({key(page()), key(page(reviewer="reviewer-2")), key(page(assignment=fewer)), key(page(study="s"))}) == 4
    assert key(page()) == key(page())


def test_without_events_the_page_says_so(page, assignment, sample):
    html = page(assignment=assignment.head(0), sample=sample.head(0))
    assert "There is nothing to review" in html
    assert Outline(html).scripts == []


def test_large_pictures_are_reduced(tmp_path):
    write_store(tmp_path / "es.zip", [("l1-k01", "wide", np.zeros((100, 2 * LONGEST_SIDE, 3), dtype=np.uint8))])
    events = pd.DataFrame({"source": ["es"], "condition": ["l1-k01"], "image_id": ["wide"]})
    data = base64.b64decode(pictures(events, {"es": tmp_path / "es.zip"})[0].partition(",")[2])
    assert decode_image(data, "page").shape == (50, LONGEST_SIDE, 3)


def test_photographs_become_png_and_are_not_turned(tmp_path):
    """The EXIF data say that the picture lies on its side; the models ignore them."""
    pixels = np.full((16, 32, 3), 200, dtype=np.uint8)
    exif = Image.Exif()
    exif[274] = 6
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, format="JPEG", exif=exif)
    with zipfile.ZipFile(tmp_path / "es.zip", "w") as archive:
        archive.writestr("l1-k01/photo.jpeg", buffer.getvalue())
    events = pd.DataFrame({"source": ["es"], "condition": ["l1-k01"], "image_id": ["photo"]})
    picture = pictures(events, {"es": tmp_path / "es.zip"})[0]
    data = base64.b64decode(picture.removeprefix("data:image/png;base64,"))
    assert data.startswith(b"\x89PNG")
    assert decode_image(data, "page").shape == pixels.shape


def test_what_is_missing_is_named(page, sample, images):
    with pytest.raises(PairedEvalError, match="reviewer reviewer-3 has no events"):
        page(reviewer="reviewer-3")
    with pytest.raises(PairedEvalError, match=r"event 0{15}5 is assigned but not in the sample"):
        page(sample=sample.head(5))
    with pytest.raises(PairedEvalError, match="class n02 has no name"):
        page(class_names={"n01": "tench"})
    with pytest.raises(PairedEvalError, match="source diverse: no image set is given"):
        page(images={"es": images["es"]})
    with pytest.raises(ImageError, match=r"l9-k01/image-3\S* is missing"):
        page(sample=sample.assign(condition="l9-k01"))
