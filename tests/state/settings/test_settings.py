"""Settings: flags, then the environment, then `hopyard.toml`, then defaults."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from hopyard.indexes.search import SEARCHES
from hopyard.state.errors import UsageError
from hopyard.state.settings.fields import Budget, Context, every_setting, setting_groups
from hopyard.state.settings.sources import change_context, home, read_context
from hopyard.state.strategy import STRATEGIES
from hopyard.state.tree import TreeSettings


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_toml(folder: Path, text: str) -> None:
    (folder / "hopyard.toml").write_text(text, encoding="utf-8")


def sentence(error: pytest.ExceptionInfo[UsageError]) -> str:
    """The message, which must be one line that ends as a sentence does."""
    text = str(error.value)
    assert len(text.splitlines()) == 1
    assert text.endswith(".")
    return text


def test_the_defaults_are_the_papers() -> None:
    context = read_context({})
    assert context == Context()
    assert (context.retrieval.mmr_lambda, context.retrieval.k) == (0.75, 5)
    tree = TreeSettings.of(context)
    assert (tree.max_depth, tree.theta) == (3, 0.4)


def test_each_source_overrides_the_next(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_toml(folder, 'model = "toml:m"\nindex = "toml"\nseed = 1\n')
    monkeypatch.setenv("HOPYARD_MODEL", "env:m")
    monkeypatch.setenv("HOPYARD_INDEX", "env")
    context = read_context({"model": "flag:m"})
    assert (context.model, context.index, context.seed) == ("flag:m", "env", 1)
    assert context.timeout == Context().timeout


def test_nested_settings_are_merged_one_by_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_toml(folder, "[tree]\ntheta = 0.1\n")
    monkeypatch.setenv("HOPYARD_TREE__THETA", "0.2")
    monkeypatch.setenv("HOPYARD_TREE__MAX_DEPTH", "2")
    context = read_context({"tree": {"theta": 0.3}})
    tree = TreeSettings.of(context)
    assert (tree.theta, tree.max_depth) == (0.3, 2)


def test_other_variables_of_hopyards_are_no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOPYARD_SOMETHING", "else")
    assert read_context({}) == Context()


@pytest.mark.parametrize(
    ("flags", "name"),
    [
        ({"tree": {"theta": 7}}, "tree.theta"),
        ({"tree": {"thta": 0.5}}, "tree.thta"),
        ({"strategy": "ladder"}, "strategy"),
        ({"retrieval": {"method": "divining"}}, "retrieval.method"),
        ({"retrieval": {"k": 0}}, "retrieval.k"),
        ({"retrieval": {"k": "many"}}, "retrieval.k"),
        ({"budget": {"calls": -1}}, "budget.calls"),
        ({"nonsense": 1}, "nonsense"),
        ({"tree": 3}, "tree"),
        ({"temperature": float("nan")}, "temperature"),
    ],
)
def test_an_unusable_flag_is_named(flags: dict[str, object], name: str) -> None:
    with pytest.raises(UsageError) as raised:
        read_context(flags)
    assert repr(name) in sentence(raised)
    with pytest.raises(UsageError) as raised:
        change_context(Context(), flags)
    assert repr(name) in sentence(raised)


def test_an_unknown_name_is_told_what_there_is() -> None:
    with pytest.raises(UsageError) as raised:
        read_context({"strategy": "ladder"})
    assert all(name in sentence(raised) for name in ("auto", *STRATEGIES))
    with pytest.raises(UsageError) as raised:
        read_context({"retrieval": {"method": "divining"}})
    assert all(name in sentence(raised) for name in SEARCHES)
    for unknown in ({"three": {"theta": 0.5}}, {"tree": {"thta": 0.5}}):
        with pytest.raises(UsageError, match="There is no setting"):
            read_context(unknown)


def variable(name: str) -> str:
    return f"HOPYARD_{name.replace('.', '__').upper()}"


@pytest.mark.parametrize(
    ("slip", "meant"),
    [
        ("tree.thta", "tree.theta"),
        ("modle", "model"),
        ("retrieval.kk", "retrieval.k"),
        ("trie.theta", "tree.theta"),
    ],
)
def test_a_mistyped_name_is_guessed_wherever_it_is_given(
    folder: Path, monkeypatch: pytest.MonkeyPatch, slip: str, meant: str
) -> None:
    group, _, last = slip.rpartition(".")
    with pytest.raises(UsageError) as raised:
        read_context({group: {last: "1"}} if group else {last: "1"})
    guessed = {meant, meant.partition(".")[0]}
    assert any(f"did you mean {name!r}?" in sentence(raised) for name in guessed)
    write_toml(folder, f"[{group}]\n{last} = 1\n" if group else f"{last} = 1\n")
    with pytest.raises(UsageError) as raised:
        read_context({})
    assert any(f"did you mean {name!r}?" in sentence(raised) for name in guessed)
    write_toml(folder, "")
    monkeypatch.setenv(variable(slip), "1")
    with pytest.raises(UsageError) as raised:
        read_context({})
    guessed |= {variable(meant)}
    assert any(f"did you mean {name!r}?" in sentence(raised) for name in guessed)


def test_a_last_part_alone_is_enough_for_a_guess() -> None:
    with pytest.raises(UsageError, match=r"did you mean 'tree\.theta'\?"):
        read_context({"thta": "1"})


def test_a_variable_of_somebody_elses_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOPYARD_DEPLOYMENT", "green")
    monkeypatch.setenv("HOPYARD_CACHE", "elsewhere")
    assert read_context({}) == Context()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("thta = 0.5\n", "thta"),
        ("[tree]\nthta = 0.5\n", "tree.thta"),
        ('seed = "x"\n', "seed"),
        ("[tree\n", "hopyard.toml"),
        ("seed = \n", "hopyard.toml"),
        ("\x00", "hopyard.toml"),
    ],
)
def test_an_unusable_file_is_named(folder: Path, text: str, named: str) -> None:
    write_toml(folder, text)
    with pytest.raises(UsageError) as raised:
        read_context({})
    assert named in sentence(raised)


def test_a_file_in_another_encoding_is_named(folder: Path) -> None:
    (folder / "hopyard.toml").write_bytes('index = "Bücher"\n'.encode("latin-1"))
    with pytest.raises(UsageError) as raised:
        read_context({})
    assert "hopyard.toml" in sentence(raised)


@pytest.mark.parametrize(
    ("name", "value", "named"),
    [
        ("HOPYARD_SEED", "x", "seed"),
        ("HOPYARD_TREE__THETA", "high", "tree.theta"),
        ("HOPYARD_TREE__THTA", "0.5", "tree.thta"),
        ("HOPYARD_TREE", "not json", "tree"),
    ],
)
def test_an_unusable_variable_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, named: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(UsageError) as raised:
        read_context({})
    assert named in sentence(raised)


def test_a_long_value_is_not_repeated_in_full() -> None:
    with pytest.raises(UsageError) as raised:
        read_context({"strategy": "x" * 100_000})
    assert len(sentence(raised)) < 1000


def test_a_context_is_plain_and_comes_back_from_json() -> None:
    context = read_context({"tree": {"theta": 0.3}, "budget": {"seconds": 1.5}})
    assert Context.model_validate_json(context.model_dump_json()) == context
    assert Context.model_validate_json(context.model_dump_json(exclude_defaults=True)) == context
    with pytest.raises(ValidationError):
        context.seed = 3


def test_every_setting_says_what_it_does() -> None:
    meanings = {name: meaning for name, _, meaning in every_setting(Context())}
    assert {"seed", "budget.calls", "tree.theta", "hop.top_k"} <= set(meanings)
    assert [name for name, meaning in meanings.items() if not meaning] == []


def test_a_group_is_kept_only_where_it_differs() -> None:
    assert Context(tree={}) == Context(tree=TreeSettings()) == Context()
    context = Context(tree={"theta": 0.3})
    assert TreeSettings.of(context) == TreeSettings(theta=0.3)
    assert context.model_dump(exclude_defaults=True)["tree"]["theta"] == 0.3
    assert change_context(context, {"tree": {"theta": TreeSettings().theta}}) == Context()
    changed = TreeSettings.of(change_context(context, {"tree": {"max_depth": 1}}))
    assert (changed.theta, changed.max_depth) == (0.3, 1)


def test_studio_sees_the_groups() -> None:
    properties = Context.model_json_schema()["properties"]
    assert properties["tree"]["properties"]["theta"]["description"]
    assert set(setting_groups()) | set(Context.model_fields) == set(properties)


def test_home_is_made_where_the_variable_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOPYARD_HOME", str(tmp_path / "a" / "b"))
    assert home() == tmp_path / "a" / "b"
    assert home().is_dir()


@pytest.mark.parametrize("below", ["file", "file/below"])
def test_a_home_that_cannot_be_made_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, below: str
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HOPYARD_HOME", str(tmp_path / below))
    with pytest.raises(UsageError, match="HOPYARD_HOME") as raised:
        home()
    assert str(tmp_path / below) in sentence(raised)


def test_a_limit_that_is_not_set_is_none_and_so_is_0() -> None:
    for context in (Context(), read_context({"budget": {"calls": "0", "seconds": 0}})):
        assert context.budget == Budget(calls=None, tokens=None, seconds=None)
    zero = read_context({"concurrency": 0, "retention_days": "0"})
    assert (zero.concurrency, zero.retention_days) == (None, None)
    assert zero == Context()
