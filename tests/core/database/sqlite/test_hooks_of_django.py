"""What our SQLite engine relies on in Django, for every supported version: private hooks, who calls them, and when.

If this fails with a new version of Django, read core/database/sqlite/base.py beside Django's two modules, see whether
transactions still go through the queue, and add a line to HOOKS.
"""

import ast
import inspect
import re
import sqlite3
from functools import partial
from types import ModuleType

import django
import pytest
from django.db import OperationalError
from django.db.backends.base import base as every_backend
from django.db.backends.sqlite3 import base as sqlite

from core.database.sqlite.base import LONGEST_KEPT, Cursor, DatabaseWrapper
from tests.core.database.sqlite.test_writer_queue import SETTINGS
from tests.paths import ROOT

# Version of Django -> hook that we override -> its signature, and the functions of Django that call it.
HOOKS = {
    (6, 1): {
        "_start_transaction_under_autocommit": ("(self)", {"set_autocommit"}),
        "_commit": ("(self)", {"commit"}),
        "_rollback": ("(self)", {"rollback"}),
        "_close": ("(self)", {"close"}),
        "create_cursor": ("(self, name=None)", {"_cursor"}),
        "get_new_connection": ("(self, conn_params)", {"connect"}),
    }
}
CURSOR = {
    (6, 1): {
        "execute": "(self, query, params=None)",
        "executemany": "(self, query, param_list)",
        "convert_query": "(self, query, *, param_names=None)",
    },
}
VERSION = django.VERSION[:2]


def defined_arguments(hook: str) -> str:
    """The arguments of a hook in Django's source: at run time other libraries may have replaced it (Sentry's does)."""
    definitions = [
        node
        for module in (sqlite, every_backend)
        for node in ast.walk(ast.parse(inspect.getsource(module)))
        if isinstance(node, ast.FunctionDef) and node.name == hook
    ]
    return f"({ast.unparse(definitions[0].args)})"


def calls_of(module: ModuleType, hook: str) -> set[str]:
    """The methods of the module's connection class that call a hook."""
    methods = inspect.getmembers(module.DatabaseWrapper if module is sqlite else module.BaseDatabaseWrapper)
    functions = [function for _name, function in methods if inspect.isfunction(function)]
    return {function.__name__ for function in functions if f"self.{hook}(" in inspect.getsource(function)}


def test_every_version_that_the_requirements_allow_and_that_is_installed_has_been_looked_at():
    lower, upper = re.search(r"Django>=(\d+\.\d+),<(\d+\.\d+)", (ROOT / "requirements.in").read_text()).groups()
    assert tuple(map(int, lower.split("."))) in HOOKS
    assert max(HOOKS) < tuple(map(int, upper.split(".")))
    assert HOOKS.keys() == CURSOR.keys()
    assert VERSION in HOOKS, inspect.getdoc(inspect.getmodule(calls_of))


@pytest.mark.parametrize("hook", HOOKS[(6, 1)])
def test_django_has_the_hook_and_calls_it_where_we_expect(hook):
    signature, callers = HOOKS[VERSION][hook]
    assert defined_arguments(hook) == signature
    assert calls_of(every_backend, hook) | calls_of(sqlite, hook) == callers
    assert hook in vars(DatabaseWrapper)


@pytest.mark.parametrize("method", CURSOR[(6, 1)])
def test_the_cursor_of_django_has_the_methods_that_we_extend(method):
    assert str(inspect.signature(getattr(sqlite.SQLiteCursorWrapper, method))) == CURSOR[VERSION][method]
    assert method in vars(Cursor)


@pytest.mark.parametrize("more", ["", " " * LONGEST_KEPT])
@pytest.mark.parametrize(
    ("query", "names"), [("SELECT 'a%%', '%%s', %s, %s", None), ("SELECT '%%', %(n)s", ["n"]), ("SELECT 1", None)]
)
def test_a_statement_is_converted_as_django_converts_it_also_the_second_time(query, names, more):
    own, django_s = (kind(sqlite3.connect(":memory:")) for kind in (partial(Cursor, None), sqlite.SQLiteCursorWrapper))
    for _time in range(2):
        converted = own.convert_query(query + more, param_names=names)
        assert converted == django_s.convert_query(query + more, param_names=names)


@pytest.fixture
def database(tmp_path, monkeypatch):
    """A connection to a file with one table, and the steps of its queue."""
    wrapper = DatabaseWrapper(SETTINGS | {"NAME": f"{tmp_path}/some.sqlite3"})
    with wrapper.cursor() as cursor:
        cursor.execute("CREATE TABLE t (n INTEGER)")
    steps: list[str] = []
    monkeypatch.setattr(wrapper._queue, "enter", lambda: steps.append("enter"))
    monkeypatch.setattr(wrapper._queue, "leave", lambda: steps.append("leave"))
    yield wrapper, steps
    wrapper.close()


def begin(wrapper: DatabaseWrapper) -> None:
    """As `atomic` begins a transaction."""
    wrapper.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)


@pytest.mark.django_db
def test_a_transaction_enters_the_queue_before_it_begins_and_leaves_it_with_the_commit(database):
    wrapper, steps = database
    begin(wrapper)
    assert (steps, wrapper.connection.in_transaction) == (["enter"], True)
    with wrapper.cursor() as cursor:
        cursor.execute("INSERT INTO t VALUES (%s)", [1])
    assert steps == ["enter"]
    wrapper.commit()
    assert (steps, wrapper.connection.in_transaction) == (["enter", "leave"], False)


@pytest.mark.django_db
def test_a_rollback_leaves_the_queue(database):
    wrapper, steps = database
    begin(wrapper)
    wrapper.rollback()
    assert (steps, wrapper.connection.in_transaction) == (["enter", "leave"], False)


@pytest.mark.django_db
def test_a_write_outside_a_transaction_is_a_turn_and_a_read_is_none(database):
    wrapper, steps = database
    with wrapper.cursor() as cursor:
        cursor.execute("SELECT n FROM t")
        assert steps == []
        cursor.execute("INSERT INTO t VALUES (%s)", [1])
        cursor.executemany("INSERT INTO t VALUES (%s)", [[2], [3]])
    assert steps == ["enter", "leave"] * 2


@pytest.mark.django_db
def test_a_transaction_that_cannot_begin_leaves_the_queue(database):
    wrapper, steps = database
    wrapper.transaction_mode = "NO SUCH MODE"
    with pytest.raises(OperationalError):
        wrapper._start_transaction_under_autocommit()
    assert steps == ["enter", "leave"]
    wrapper.transaction_mode = "IMMEDIATE"
