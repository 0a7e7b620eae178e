"""Every public constant and every field of a record is documented where it stands."""

import ast
import re

from tests.support.imports import module_trees

CONSTANT = re.compile(r"[A-Z][A-Z0-9_]*")


def documented(body, place):
    """Tell whether a string follows a statement."""
    after = body[place + 1] if place + 1 < len(body) else None
    return (
        isinstance(after, ast.Expr)
        and isinstance(after.value, ast.Constant)
        and isinstance(after.value.value, str)
    )


def silent_constants(tree):
    """Give the public constants of a module without a docstring of their own."""
    for place, node in enumerate(tree.body):
        targets = (
            node.targets
            if isinstance(node, ast.Assign)
            else [node.target]
            if isinstance(node, ast.AnnAssign)
            else []
        )
        for target in targets:
            if (
                isinstance(target, ast.Name)
                and CONSTANT.fullmatch(target.id)
                and not documented(tree.body, place)
            ):
                yield target.id


def silent_fields(tree):
    """Give the public fields of public dataclasses and named tuples that no docstring names."""
    for record in tree.body:
        if not isinstance(record, ast.ClassDef) or record.name.startswith("_"):
            continue
        made_by = " ".join(map(ast.unparse, (*record.decorator_list, *record.bases)))
        if "dataclass" not in made_by and "NamedTuple" not in made_by:
            continue
        about = ast.get_docstring(record) or ""
        for place, node in enumerate(record.body):
            if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
                continue
            name, code = node.target.id, ast.unparse(node)
            if name.startswith("_") or any(
                word in code for word in ("ClassVar", "metadata", "Option(", "= option(", "_SITE_BY")
            ):
                continue  # an option has a help text
            if not re.search(rf"\b{name}\b", about) and not documented(record.body, place):
                yield f"{record.name}.{name}"


def test_every_public_constant_says_what_it_is():
    silent = [
        f"{module}: {name}" for module, tree in module_trees().items() for name in silent_constants(tree)
    ]
    # The version is read by the build, and kernels state their constants in C types.
    assert not [line for line in silent if not re.match(r"_version|.*\._[a-z]", line)]


def test_every_field_of_a_record_is_documented():
    assert not [
        f"{module}: {name}" for module, tree in module_trees().items() for name in silent_fields(tree)
    ]


def test_the_check_sees_what_is_silent():
    tree = ast.parse(
        "A = 1\n'What A is.'\nB: int = 2\n_C = 3\n"
        "@dataclass\nclass R:\n    '''A record.\n\n    a\n        Named.\n    '''\n    a: int\n    b: int\n"
        "    c: int\n    'Said here.'\n    _d: int\n"
        "class _P(NamedTuple):\n    e: int\n"
    )
    assert list(silent_constants(tree)) == ["B"]
    assert list(silent_fields(tree)) == ["R.b"]
