"""The commands match, evaluate and train as a person calls them."""

import json

import pytest
from django.core.management import CommandError, call_command

from aggregator.matching.comparison.weights import read_model

KOKORO = {
    "title": "こころ",
    "creators": ["夏目漱石"],
    "publisher": ["岩波書店"],
    "issued": "1914",
    "isbn": ["4003101014"],
}
RECORDS = [
    {"id": "a:1", **KOKORO},
    {"id": "b:1", **KOKORO, "title": "こゝろ"},
    {"id": "b:2", "title": "草枕", "creators": ["夏目漱石"]},
]


@pytest.fixture
def folder(tmp_path):
    truth = [("a:1", "m1"), ("b:1", "m1"), ("b:2", "m2")]
    rows = [{"id": name, "manifestation": number, "tags": []} for name, number in truth]
    files = {"records": RECORDS, "truth": rows, "hard_negatives": [{"a": "a:1", "b": "b:2", "reason": "volume"}]}
    for name, lines in files.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path


def lines(capsys):
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_match_prints_the_cluster_of_each_record(folder, capsys):
    call_command("match", str(folder / "records.jsonl"), json=True)
    assert lines(capsys)[1:] == [{"id": "b:1", "cluster": "a:1"}, {"id": "b:2", "cluster": "b:2"}]


def test_pairs_are_explained(folder, capsys):
    call_command("match", str(folder / "records.jsonl"), json=True, pairs=True)
    (pair,) = lines(capsys)
    assert (pair["a"], pair["b"], pair["decision"]) == ("a:1", "b:1", "join")
    assert any("ISBN" in sentence for sentence in pair["evidence"])
    assert 0.9 < pair["chance"] <= 1


def test_evaluate_prints_measures_as_json(folder, capsys):
    call_command("evaluate", str(folder), json=True)
    (result,) = lines(capsys)
    assert (result["f1"], result["largest"], result["look_alikes"]) == (1, 2, {"volume": [0, 1]})


def test_evaluate_prints_a_table(folder, capsys):
    call_command("evaluate", str(folder))
    assert "b3_f1           1.0000" in capsys.readouterr().out


def test_an_invalid_line_is_reported(folder):
    (folder / "records.jsonl").write_text('{"id": "a"}\n')
    with pytest.raises(CommandError, match=r"Line 1 of .*records\.jsonl"):
        call_command("match", str(folder / "records.jsonl"))


def test_a_missing_file_is_reported(tmp_path):
    with pytest.raises(CommandError, match=r"none\.jsonl"):
        call_command("match", str(tmp_path / "none.jsonl"))


def test_works_can_be_printed_as_clusters(folder, capsys):
    call_command("match", str(folder / "records.jsonl"), json=True, level="work")
    assert [row["cluster"] for row in lines(capsys)] == ["a:1", "a:1", "b:2"]


def test_train_writes_its_model_to_the_given_file(folder, tmp_path, capsys):
    call_command("train", str(folder), write=True, output=tmp_path / "model.json", json=True)
    (model,) = lines(capsys)
    assert read_model(tmp_path / "model.json").weights == model["weights"]


def test_train_prints_weights_and_probabilities(folder, capsys):
    call_command("train", str(folder))
    printed = capsys.readouterr().out
    assert "certain" in printed
    assert "stated" in printed


def test_train_learns_from_judged_pairs_too(folder, tmp_path, capsys):
    judged = tmp_path / "judged"
    judged.mkdir()
    (judged / "records.jsonl").write_bytes((folder / "records.jsonl").read_bytes())
    pairs = [{"a": "a:1", "b": "b:1", "same": True}, {"a": "a:1", "b": "b:2", "same": "unsure"}]
    (judged / "pairs.jsonl").write_text("".join(json.dumps(pair) + "\n" for pair in pairs))
    call_command("train", str(folder), also=[(str(judged), "0.2")], json=True)
    (model,) = lines(capsys)
    assert "judged: 1 judged pairs, share 0.2" in model["trained"]["data"]
