"""Plans: what would run, and how a configuration that cannot be used is refused. Nothing is computed here."""

import pytest


def test_the_default_study_is_the_digits(checkout):
    planned = checkout.planned("--configfile", "config/digits.yaml")
    assert planned["train"] >= 10
    assert planned["infer"] == 3 * planned["train"]
    assert planned["perturb"] + planned["simulate_captures"] == 4


def test_a_single_table_plans_no_figure(checkout):
    planned = checkout.planned("table_06")
    assert planned["table_06"] == 1
    assert not [rule for rule in planned if rule.startswith("figure")]
    assert "report" not in planned


def test_the_twin_plans_the_same_jobs(checkout):
    assert checkout.planned("--snakefile", "workflow/Snakefile") == checkout.planned()


def test_the_default_profile_is_found(checkout):
    assert "workflow specific profile workflow/profiles/default" in checkout.snakemake("--dry-run").stderr


def test_keys_of_the_default_study_do_not_survive_in_another_one(checkout):
    (checkout.folder / "config/own.yaml").write_text(
        "study: own\ntitle: Own\nseed: 1\nmodels: config/models/smoke.csv\nimages: {kind: digits}\n"
    )
    out = checkout.snakemake("--dry-run", "--configfile", "config/own.yaml", "--summary").stdout
    assert "results/own/" in out
    assert "results/digits/" not in out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("study: own\nsead: 1\n", "config/own.yaml: sead: unknown key; did you mean 'seed'?"),
        ("study: own\nseed: one\n", "config/own.yaml: seed: 'one' is not of type 'integer'"),
        ("study: own\nmodels: config/models/none.csv\n", "config/models/none.csv: no such file"),
    ],
)
def test_an_unusable_configuration_is_explained_in_plain_lines(checkout, text, message):
    rest = {"title": "Own", "seed": 1, "models": "config/models/smoke.csv", "images": "{kind: digits}"}
    given = {line.split(":")[0] for line in text.splitlines()}
    lines = "".join(f"{key}: {value}\n" for key, value in rest.items() if key not in given)
    (checkout.folder / "config/own.yaml").write_text(text + lines)
    run = checkout.snakemake("--dry-run", "--configfile", "config/own.yaml", check=False)
    assert run.returncode == 1
    assert message in run.stderr
    assert "Traceback" not in run.stderr
