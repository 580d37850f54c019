"""What a process keeps between requests is in the caches of the settings, or bounded and named here. Reads files only.

`lru_cache` with a size remains for pure functions; `cache` for functions without arguments. See decision 0020.
"""

import ast
from collections.abc import Iterator

from django.conf import settings

from core.caches.disk import DiskCache
from core.caches.memory import MemoryCache
from tests.modules import modules
from tests.paths import ROOT
from tests.sources import TOGETHER, nodes_in, text_of, tree

pytestmark = TOGETHER

# Containers of modules and classes that functions change, and why they are no caches.
STATE = {
    "aggregator.catalogue.etags._PREPARED": "sessions of PostgreSQL that know the prepared statement",
    "aggregator.matching.features.row._RECENT": "the features of recent descriptions, a limited number",
    "aggregator.middleware.statement_timeout._current": "the limit that each session of the database has now",
    "core.caches.memory._STORES": "the cache in memory itself",
    "core.checkpoints._passed": "for tests that kill a process at a place",
    "core.redaction._known": "secrets, which must not be written anywhere",
    "core.temporary_files._folder": "the folder for temporary files that this process has chosen",
    "harvesting.pushes.folders._said": "folders whose failure the log has already, at most one for each provider",
    "metadata.formats.FORMATS": "filled while modules are imported, like the next six",
    "metadata.formats.BY_NAME": "see FORMATS",
    "metadata.formats.CROSSWALKS": "see FORMATS",
    "metadata.formats.READABLE": "see FORMATS",
    "metadata.formats.WRITERS": "see FORMATS",
    "metadata.formats._BY_ROOT": "see FORMATS",
    "metadata.formats._RANKS": "see FORMATS",
    "metadata.vocabularies.namespaces.NAMESPACES": "the namespaces of formats, declared while modules are imported",
    "metadata.vocabularies.namespaces.PREFIXES": "see NAMESPACES",
}
KINDS = {
    *("dict", "set", "list", "defaultdict", "OrderedDict", "Counter", "deque"),
    *("WeakKeyDictionary", "WeakValueDictionary", "WeakSet"),
}
CHANGES = {
    *("add", "append", "appendleft", "extend", "insert", "setdefault", "update", "move_to_end"),
    *("pop", "popitem", "remove", "discard", "clear"),
}


def called_name(node: ast.expr) -> str:
    """The name of what is called: `WeakSet` of `weakref.WeakSet[Any]()`."""
    if isinstance(node, ast.Subscript):
        return called_name(node.value)
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def is_container(node: ast.expr | None) -> bool:
    literal = ast.Dict | ast.List | ast.Set | ast.DictComp | ast.ListComp | ast.SetComp
    return isinstance(node, literal) or (isinstance(node, ast.Call) and called_name(node.func) in KINDS)


def containers(body: list[ast.stmt]) -> Iterator[str]:
    """The names of containers that a module, and the classes in it, begin with."""
    for statement in body:
        if isinstance(statement, ast.ClassDef) and statement.name != "Meta":
            yield from containers(statement.body)
        elif isinstance(statement, ast.Assign | ast.AnnAssign) and is_container(statement.value):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def changed_names(function: ast.AST) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            yield called_name(node.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGES:
            yield called_name(node.func.value)
        elif isinstance(node, ast.AugAssign):
            yield called_name(node.target)
        elif isinstance(node, ast.Global):
            yield from node.names


def state_of(module: ast.Module) -> set[str]:
    """The containers of a module or class that functions change, and names that functions declare global."""
    globals_ = {name for node in ast.walk(module) if isinstance(node, ast.Global) for name in node.names}
    if not (known := set(containers(module.body))):
        return globals_
    functions = [node for node in ast.walk(module) if isinstance(node, ast.FunctionDef | ast.Lambda)]
    changed = {name for function in functions for name in changed_names(function)}
    return changed & known | globals_


def test_what_modules_keep_is_named() -> None:
    found = {f"{name}.{container}" for name, path in modules().items() for container in state_of(tree(path))}
    assert found == set(STATE)


def test_state_is_recognised() -> None:
    source = """
kept, counted = {}, 0
seen: set[str] = set()
TABLE = {"a": 1}
class Index:
    opened = WeakSet[str]()
    def keep(self, key): self.opened.add(key)
def keep(key):
    global counted
    seen.add(key)
    return TABLE[key]
"""
    assert state_of(ast.parse(source.replace("kept, counted = {}, 0", "counted = 0"))) == {"counted", "seen", "opened"}


def is_bounded(decorator: ast.expr, function: ast.FunctionDef) -> bool:
    """Whether a decorator keeps a known number of results, or none."""
    name = called_name(decorator.func if isinstance(decorator, ast.Call) else decorator)
    arguments = function.args
    if name == "cache":
        return not (arguments.args or arguments.kwonlyargs or arguments.vararg or arguments.kwarg)
    return name != "lru_cache" or isinstance(decorator, ast.Call)


def test_remembered_results_are_bounded() -> None:
    wrong = [
        f"{name}.{node.name}"
        for name, path in modules().items()
        for node in nodes_in(path)
        if isinstance(node, ast.FunctionDef)
        if not all(is_bounded(decorator, node) for decorator in node.decorator_list)
    ]
    sizes = [
        f"{name}:{node.lineno}"
        for name, path in modules().items()
        for node in nodes_in(path)
        if isinstance(node, ast.Call) and called_name(node.func) == "lru_cache"
        if not any(keyword.arg == "maxsize" and ast.unparse(keyword.value) != "None" for keyword in node.keywords)
    ]
    assert (wrong, sizes) == ([], [])


def test_only_the_caches_make_caches() -> None:
    makers = {
        "OrderedDict": {
            "aggregator.matching.features.row",
            *("core.caches.memory", "core.redaction", "harvesting.transports.resourcesync.requests"),
        }
    }
    for maker, places in makers.items():
        found = {
            name
            for name, path in modules().items()
            for node in nodes_in(path)
            if isinstance(node, ast.Call) and called_name(node.func) == maker
        }
        assert found <= places


def test_every_cache_of_the_settings_is_of_one_of_the_two_kinds() -> None:
    kinds = {f"{kind.__module__}.{kind.__qualname__}" for kind in (DiskCache, MemoryCache)}
    assert {cache["BACKEND"] for cache in settings.CACHES.values()} == kinds
    decision = text_of(ROOT / "docs/explanation/decisions/0020-two-kinds-of-cache.md")
    assert [name for name in settings.CACHES if f"| `{name}` |" not in decision] == []
    locations = [str(cache["LOCATION"]) for cache in settings.CACHES.values()]
    assert len(set(locations)) == len(locations)
