"""Refactorings of real files: one decision that is carried out in every place it concerns.

Half of what people change after the first edit of a commit follows from it. What follows is made
here without end: a name is changed with its uses, a parameter with the calls, a way of writing
throughout a file. The result always parses. What is drawn depends on the random generator alone.
"""

import keyword
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import TypeVar

from tree_sitter import Node

from editcast_model.diff import Hunk, apply_hunks
from editcast_training.syntax import Source, field, items

#: A refactoring of more places is nothing that one does by hand.
MOST_PLACES = 16
#: Kinds tried before a file is given up, and texts longer than this are not tried.
_TRIES, _LONGEST = 8, 200_000

_WORD_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_CONSTANTS = ("None", "True", "False", "0", "1", "()", '""')
_WRAPPERS = ("str", "int", "list", "tuple", "sorted", "bool", "repr", "len", "set", "iter")
_TYPES = ("str", "int", "bool", "float", "Any", "list[str]", "str | None", "int | None", "object")
_PLAIN_VALUES = ("identifier", "attribute", "call", "subscript", "string")
_FORMATTED = re.compile(r"%[srd]|%%")

T = TypeVar("T")
Kind = Callable[[Source, Random], "list[Hunk]"]


def refactorings(text: str, rng: Random, most: int) -> Iterator[tuple[str, str]]:
    """Yield the kind of one refactoring after another, and the text after it; at most `most`."""
    source = Source(text) if len(text) <= _LONGEST else None
    if source is None or not source.parses:
        return
    for _ in range(most):
        made = refactor(source, rng)
        if made is None:
            return
        kind, source = made
        yield kind, source.text


def refactor(source: Source, rng: Random) -> tuple[str, Source] | None:
    """A refactoring that is possible here, and what comes of it; None if some tries find none."""
    for name in rng.choices(list(KINDS), [share for _, share in KINDS.values()], k=_TRIES):
        hunks = sorted(set(KINDS[name][0](source, rng)), key=lambda hunk: (hunk.start, hunk.end))
        apart = all(one.end <= two.start for one, two in zip(hunks, hunks[1:], strict=False))
        if not (0 < len(hunks) <= MOST_PLACES and apart):
            continue
        changed = Source(apply_hunks(source.text, hunks))
        if changed.parses and changed.text != source.text:
            return name, changed
    return None


# Names.


def _fresh(source: Source, rng: Random, old: str) -> str:
    """Another name in the style of an old one, made of words that the file knows."""
    words = sorted({part.lower() for word in source.words for part in _WORD_PART.findall(word)})
    for _ in range(20):
        parts = [part.lower() for part in _WORD_PART.findall(old)] or ["value"]
        word = rng.choice(words or ["value"])
        place = rng.randrange(len(parts))
        match rng.choice(("replace", "before", "behind", "drop")):
            case "replace":
                parts[place] = word
            case "before":
                parts.insert(place, word)
            case "behind":
                parts.append(word)
            case _ if len(parts) > 1:
                del parts[place]
        lead = old[: len(old) - len(old.lstrip("_"))]
        if old.isupper():
            name = "_".join(parts).upper()
        elif "_" not in old.strip("_") and re.search("[A-Z]", old):
            name = "".join(part.capitalize() for part in parts)
            name = name if old.lstrip("_")[:1].isupper() else name[:1].lower() + name[1:]
        else:
            name = "_".join(parts)
        name = lead + name
        if name.isidentifier() and not keyword.iskeyword(name) and name not in source.words:
            return name
    return old


def _is_use(node: Node) -> bool:
    """Whether an identifier stands for a variable, not for an attribute or a keyword's name."""
    parent = node.parent
    if parent is None:
        return False
    if parent.type == "attribute":
        return field(parent, "attribute") != node
    return parent.type != "keyword_argument" or field(parent, "name") != node


def _uses(source: Source, name: str, inside: Node | None = None) -> list[Node]:
    nodes = source.all("identifier", inside=inside)
    return [node for node in nodes if source.of(node) == name and _is_use(node)]


def _parameters(function: Node) -> list[Node]:
    return items(field(function, "parameters"))


def _name_of(source: Source, parameter: Node) -> str | None:
    """The name of a plain parameter; None for starred ones and separators."""
    if parameter.type == "typed_parameter":
        parameter = parameter.children[0]
    elif parameter.type in ("default_parameter", "typed_default_parameter"):
        named = field(parameter, "name")
        return source.of(named) if named is not None else None
    return source.of(parameter) if parameter.type == "identifier" else None


def _calls(source: Source, name: str) -> list[Node]:
    """The calls of whatever has this name, as a variable or as an attribute."""
    out = []
    for call in source.all("call"):
        callee = field(call, "function")
        if callee is not None and callee.type == "attribute":
            callee = field(callee, "attribute")
        is_list = (given := field(call, "arguments")) is not None and given.type == "argument_list"
        if callee is not None and is_list and source.of(callee) == name:
            out.append(call)
    return out


def _pick(rng: Random, choices: Sequence[T]) -> list[T]:
    """One of them as a list, or none."""
    return [rng.choice(choices)] if choices else []


def _repeated(groups: dict[str, list[T]]) -> list[tuple[str, list[T]]]:
    """The groups of two and more, as many as one would change by hand."""
    return [(key, group) for key, group in groups.items() if 2 <= len(group) <= MOST_PLACES]


# The kinds. Each returns what it changes, or nothing where it does not apply.


def _rename_local(source: Source, rng: Random) -> list[Hunk]:
    """A parameter or a variable of a function, and its uses in there."""
    for function in _pick(rng, source.all("function_definition")):
        parameters = [_name_of(source, one) for one in _parameters(function)]
        lefts = [field(one, "left") for one in source.all("assignment", inside=function)]
        bound = [source.of(left) for left in lefts if left is not None]
        names = [name for name in [*parameters, *bound] if name and name.isidentifier()]
        for old in _pick(rng, [name for name in names if name not in ("self", "cls")]):
            new = _fresh(source, rng, old)
            out = [source.replace(node, new) for node in _uses(source, old, function)]
            own = field(function, "name")
            if old in parameters and own is not None:
                for call in _calls(source, source.of(own)):
                    for given in items(field(call, "arguments")):
                        named = field(given, "name")
                        if named is not None and source.of(named) == old:
                            out.append(source.replace(named, new))
            return out if len(out) > 1 else []
    return []


def _rename_global(source: Source, rng: Random) -> list[Hunk]:
    """A function, a class or a constant of the file, with all of its uses."""
    definitions = source.all("function_definition", "class_definition")
    named = [field(one, "name") for one in definitions]
    for node in _pick(rng, [one for one in named if one is not None]):
        old = source.of(node)
        new = _fresh(source, rng, old)
        # Methods are called as attributes.
        out = [one for one in source.all("identifier") if source.of(one) == old]
        return [source.replace(one, new) for one in out] if len(out) > 1 else []
    return []


def _rename_attribute(source: Source, rng: Random) -> list[Hunk]:
    """An attribute wherever it is used: of self, or a method that was given another name."""
    groups: defaultdict[str, list[Node]] = defaultdict(list)
    for node in source.all("attribute"):
        attribute = field(node, "attribute")
        if attribute is not None:
            groups[source.of(attribute)].append(attribute)
    for old, nodes in _pick(rng, _repeated(groups)):
        new = _fresh(source, rng, old)
        named = [field(one, "name") for one in source.all("function_definition")]
        nodes = nodes + [one for one in named if one is not None and source.of(one) == old]
        return [source.replace(node, new) for node in nodes]
    return []


def _with_calls(source: Source, rng: Random) -> Iterator[tuple[Node, list[Node], list[Node]]]:
    """A function that the file calls: it, its parameters but self, and the calls."""
    found = []
    for function in source.all("function_definition"):
        own = field(function, "name")
        calls = _calls(source, source.of(own)) if own is not None else []
        if 0 < len(calls) < MOST_PLACES:
            found.append((function, calls))
    for function, calls in _pick(rng, found):
        parameters = _parameters(function)
        if parameters and source.of(parameters[0]) in ("self", "cls"):
            del parameters[0]
        yield function, parameters, calls


def _positional(call: Node) -> list[Node]:
    """The arguments of a call before the first keyword; none if one is starred."""
    given = items(field(call, "arguments"))
    if any(one.type in ("list_splat", "dictionary_splat") for one in given):
        return []
    return [one for one in given if one.type != "keyword_argument"]


def _add_parameter(source: Source, rng: Random) -> list[Hunk]:
    for function, parameters, calls in _with_calls(source, rng):
        name = _fresh(source, rng, rng.choice(sorted(source.words)))
        value = rng.choice((name, *_CONSTANTS))
        if parameters and _name_of(source, parameters[-1]) is None:
            return []
        last = parameters[-1] if parameters else None
        needed = field(last, "value") is not None  # what follows a default has one
        default = f"={rng.choice(_CONSTANTS)}" if needed or rng.random() < 0.5 else ""
        inner = field(function, "parameters")
        assert inner is not None
        if last is not None:
            out = [source.behind(last, f", {name}{default}")]
        else:
            first = items(inner)
            out = [
                source.behind(first[0], f", {name}{default}")
                if first
                else source.replace(inner, f"({name}{default})")
            ]
        for call in calls:
            given = items(field(call, "arguments"))
            is_named = bool(given) and given[-1].type in ("keyword_argument", "dictionary_splat")
            text = f"{name}={value}" if is_named or default and rng.random() < 0.5 else value
            arguments = field(call, "arguments")
            assert arguments is not None
            if given:
                out.append(source.behind(given[-1], f", {text}"))
            else:
                out.append(source.replace(arguments, f"({text})"))
        return out
    return []


def _remove_parameter(source: Source, rng: Random) -> list[Hunk]:
    for function, parameters, calls in _with_calls(source, rng):
        for place in _pick(rng, range(len(parameters))):
            name = _name_of(source, parameters[place])
            if name is None:
                return []
            every = _parameters(function)
            out = [source.without(every, every.index(parameters[place]))]
            for call in calls:
                given = items(field(call, "arguments"))
                named = [field(one, "name") for one in given]
                hits = [
                    index
                    for index, one in enumerate(named)
                    if one is not None and source.of(one) == name
                ]
                if not hits and place < len(_positional(call)):
                    hits = [place]
                out += [source.without(given, index) for index in hits[:1]]
            return out if len(out) > 1 else []
    return []


def _reorder_parameters(source: Source, rng: Random) -> list[Hunk]:
    for _, parameters, calls in _with_calls(source, rng):
        plain = [one for one in parameters if one.type in ("identifier", "typed_parameter")]
        if len(plain) < 2 or plain != parameters[: len(plain)]:
            return []
        place = rng.randrange(len(plain) - 1)
        out = _swapped(source, plain, place)
        for call in calls:
            given = _positional(call)
            if len(given) > place + 1:
                out += _swapped(source, given, place)
        return out
    return []


def _swapped(source: Source, nodes: list[Node], place: int) -> list[Hunk]:
    one, two = nodes[place], nodes[place + 1]
    return [source.replace(one, source.of(two)), source.replace(two, source.of(one))]


def _by_callee(source: Source) -> list[tuple[str, list[Node]]]:
    """Calls of the same thing, twice and more."""
    groups: defaultdict[str, list[Node]] = defaultdict(list)
    for call in source.all("call"):
        callee, given = field(call, "function"), field(call, "arguments")
        if callee is not None and given is not None and given.type == "argument_list":
            groups[source.of(callee)].append(call)
    return _repeated(groups)


def _swap_arguments(source: Source, rng: Random) -> list[Hunk]:
    """Two arguments of all the calls of one thing."""
    for _, calls in _pick(rng, _by_callee(source)):
        given = [_positional(call) for call in calls]
        if min(map(len, given)) >= 2:
            place = rng.randrange(min(map(len, given)) - 1)
            return [hunk for nodes in given for hunk in _swapped(source, nodes, place)]
    return []


def _add_argument(source: Source, rng: Random) -> list[Hunk]:
    """A keyword to all the calls of one thing."""
    for _, calls in _pick(rng, _by_callee(source)):
        name = rng.choice(sorted(source.words))
        text = f"{name}={rng.choice((name, *_CONSTANTS))}"
        out = []
        for call in calls:
            given = items(field(call, "arguments"))
            if given:
                out.append(source.behind(given[-1], f", {text}"))
        return out if len(out) > 1 else []
    return []


def _wrap(source: Source, rng: Random) -> list[Hunk]:
    """An expression into a call, wherever it stands as a value."""
    groups: defaultdict[str, list[Node]] = defaultdict(list)
    for node in source.all(*_PLAIN_VALUES):
        parent = node.parent
        if parent is None or "\n" in source.of(node):
            continue
        is_value = parent.type in ("argument_list", "return_statement", "list", "tuple")
        is_value |= parent.type in ("assignment", "pair", "keyword_argument") and node in (
            field(parent, "right"),
            field(parent, "value"),
        )
        if is_value:
            groups[source.of(node)].append(node)
    for text, nodes in _pick(rng, _repeated(groups)):
        name = _wrapper(source, rng)
        return [source.replace(node, f"{name}({text})") for node in nodes]
    return []


def _wrapper(source: Source, rng: Random) -> str:
    known = [name for name, _ in _by_callee(source) if name.isidentifier()]
    return rng.choice([*_WRAPPERS, *known])


def _unwrap(source: Source, rng: Random) -> list[Hunk]:
    """The calls of one thing give way to their only argument."""
    for _, calls in _pick(rng, _by_callee(source)):
        given = [items(field(call, "arguments")) for call in calls]
        if all(len(one) == 1 and one[0].type in _PLAIN_VALUES for one in given):
            pairs = zip(calls, given, strict=True)
            return [source.replace(call, source.of(one[0])) for call, one in pairs]
    return []


def _rename_import(source: Source, rng: Random) -> list[Hunk]:
    """Another name from the same module, or the same under another name, and its uses."""
    for imported in _pick(rng, source.all("import_from_statement", "import_statement")):
        names = [one for one in imported.children_by_field_name("name") if one.type != "aliased"]
        for node in _pick(rng, [one for one in names if one.type == "dotted_name"]):
            old = source.of(node)
            if not old.isidentifier():
                return []
            new = _fresh(source, rng, old)
            uses = [one for one in _uses(source, old) if one.parent != node]
            is_alias = imported.type == "import_statement" or rng.random() < 0.4
            first = source.behind(node, f" as {new}") if is_alias else source.replace(node, new)
            return [first, *(source.replace(one, new) for one in uses)] if uses else []
    return []


def _import_module(source: Source, rng: Random) -> list[Hunk]:
    """`from m import a` becomes `import m`, and its uses `m.a`."""
    for imported in _pick(rng, source.all("import_from_statement")):
        module, names = field(imported, "module_name"), imported.children_by_field_name("name")
        if module is None or module.type != "dotted_name" or len(names) != 1:
            return []
        name, home = source.of(names[0]), source.of(module)
        uses = [one for one in _uses(source, name) if one.parent != names[0]]
        if name.isidentifier() and uses:
            out = [source.replace(imported, f"import {home}")]
            return out + [source.replace(one, f"{home}.{name}") for one in uses]
    return []


def _import_names(source: Source, rng: Random) -> list[Hunk]:
    """`import m` becomes `from m import a`, and the uses of `m.a` those of `a`."""
    for imported in _pick(rng, source.all("import_statement")):
        names = imported.children_by_field_name("name")
        home = source.of(names[0]) if len(names) == 1 else ""
        uses: list[tuple[Node, str]] = []
        for node in source.all("attribute"):
            owner, attribute = field(node, "object"), field(node, "attribute")
            if owner is not None and attribute is not None and source.of(owner) == home:
                uses.append((node, source.of(attribute)))
        if home.isidentifier() and uses:
            wanted = ", ".join(sorted({name for _, name in uses}))
            out = [source.replace(imported, f"from {home} import {wanted}")]
            return out + [source.replace(node, name) for node, name in uses]
    return []


def _format_strings(source: Source, rng: Random) -> list[Hunk]:
    """`"%s" % a` and `"{}".format(a)` become f-strings, throughout the file."""
    out = []
    for node in source.all("binary_operator"):
        left, right = field(node, "left"), field(node, "right")
        if left is None or right is None or left.type != "string" or "%" != _operator(source, node):
            continue
        values = items(right) if right.type == "tuple" else [right]
        out += _f_string(source, node, source.of(left), _FORMATTED, values)
    for call in source.all("call"):
        callee = field(call, "function")
        owner = field(callee, "object")
        if owner is None or owner.type != "string" or not source.of(callee).endswith(".format"):  # type: ignore[arg-type]
            continue
        marks = re.compile(r"\{\}|\{\{|\}\}")
        out += _f_string(source, call, source.of(owner), marks, items(field(call, "arguments")))
    return out[:MOST_PLACES]


def _operator(source: Source, node: Node) -> str:
    operator = field(node, "operator")
    return source.of(operator) if operator is not None else ""


def _f_string(
    source: Source, node: Node, literal: str, marks: re.Pattern[str], values: list[Node]
) -> list[Hunk]:
    """The f-string in place of a node, if it is a simple one."""
    texts = [source.of(value) for value in values]
    found = [mark for mark in marks.findall(literal) if mark in ("%s", "%r", "%d", "{}")]
    simple = all(value.type in ("identifier", "attribute") for value in values)
    if literal[:1] not in "\"'" or len(found) != len(values) or not simple or not values:
        return []
    if len(found) != len(marks.findall(literal)) or (marks is _FORMATTED and "{" in literal):
        return []
    left = iter(texts)
    ends = {"%r": "!r}"}
    made = marks.sub(lambda mark: "{" + next(left) + ends.get(mark[0], "}"), literal)
    return [source.replace(node, "f" + made)]


def _quotes(source: Source, rng: Random) -> list[Hunk]:
    """The other quotes around some neighbouring strings."""
    nodes = [
        node
        for node in source.all("string")
        if re.fullmatch(r"'[^'\"\\\n]*'|\"[^'\"\\\n]*\"", source.of(node))
    ]
    if len(nodes) < 2:
        return []
    quote = source.of(rng.choice(nodes))[0]
    alike = [node for node in nodes if source.of(node)[0] == quote]
    first = rng.randrange(len(alike))
    other = '"' if quote == "'" else "'"
    some = alike[first : first + rng.randint(2, 8)]
    return [source.replace(node, other + source.of(node)[1:-1] + other) for node in some]


def _annotate(source: Source, rng: Random) -> list[Hunk]:
    """The same parameter of several functions, or what several functions return."""
    functions = source.all("function_definition")
    groups: defaultdict[str, list[Node]] = defaultdict(list)
    for function in functions:
        for parameter in _parameters(function):
            name = source.of(parameter)
            if parameter.type == "identifier" and name not in ("self", "cls"):
                groups[name].append(parameter)
    if rng.random() < 0.6:
        for _, nodes in _pick(rng, _repeated(groups)):
            name = rng.choice([*_TYPES, *sorted(w for w in source.words if w[:1].isupper())])
            return [source.behind(node, f": {name}") for node in nodes]
        return []
    bare = [one for one in functions if field(one, "return_type") is None]
    first = rng.randrange(len(bare)) if bare else 0
    returned = rng.choice(("None", "None", *_TYPES))
    some = [field(one, "parameters") for one in bare[first : first + rng.randint(2, 8)]]
    return [source.behind(one, f" -> {returned}") for one in some if one is not None]


def _parallel_lines(source: Source, rng: Random) -> list[Hunk]:
    """What stands line by line in a list, a dictionary, a call or a block, changed alike."""
    runs: list[list[Node]] = []
    for node in source.all("list", "tuple", "set", "dictionary", "argument_list", "block"):
        kinds: defaultdict[str, list[Node]] = defaultdict(list)
        for child in items(node):
            kinds[child.type].append(_value_of(child))
        for same in kinds.values():
            rows = {one.start_point.row for one in same}
            if 3 <= len(same) == len(rows):
                runs.append(same)
    for run in _pick(rng, runs):
        first = rng.randrange(max(1, len(run) - 2))
        some = run[first : first + rng.randint(3, 10)]
        if any("\n" in source.of(node) for node in some):
            return []
        make = _line_change(source, rng, {node.type for node in some})
        return [source.replace(node, make(source.of(node))) for node in some] if make else []
    return []


def _value_of(node: Node) -> Node:
    """What is changed of an item: the value of a pair, the right side of an assignment."""
    if node.type == "expression_statement" and node.named_child_count == 1:
        node = node.named_children[0]
    return field(node, "value") or field(node, "right") or node


def _line_change(source: Source, rng: Random, kinds: set[str]) -> Callable[[str], str] | None:
    wrapper, value = _wrapper(source, rng), rng.choice(_CONSTANTS)
    name = rng.choice(sorted(source.words))
    if kinds == {"string"} and rng.random() < 0.6:
        word = rng.choice(_WORD_PART.findall(name) or ["new"]).lower()
        if rng.random() < 0.5:
            return lambda text: text[:1] + word + "_" + text[1:] if text[:1] in "\"'" else text
        return lambda text: text[:-1] + "_" + word + text[-1:]
    if kinds == {"call"} and rng.random() < 0.6:
        return lambda text: f"{text[:-1]}, {name}={value})" if text[-2:-1] != "(" else text
    if kinds == {"tuple"} and rng.random() < 0.8:
        return lambda text: f"{text[:-1]}, {value})" if text.startswith("(") else text
    if kinds <= {*_PLAIN_VALUES, "integer", "float", "none", "true", "false"}:
        if rng.random() < 0.2:
            return lambda text: f"({text}, {value})"
        return lambda text: f"{wrapper}({text})"
    return None


#: Every kind, and how often it is tried.
KINDS: dict[str, tuple[Kind, float]] = {
    "rename in a function": (_rename_local, 3.0),
    "rename in the file": (_rename_global, 1.5),
    "rename an attribute": (_rename_attribute, 1.5),
    "add a parameter": (_add_parameter, 1.5),
    "remove a parameter": (_remove_parameter, 1.0),
    "reorder parameters": (_reorder_parameters, 0.7),
    "swap arguments": (_swap_arguments, 0.5),
    "add an argument": (_add_argument, 1.0),
    "wrap": (_wrap, 1.5),
    "unwrap": (_unwrap, 1.0),
    "rename an import": (_rename_import, 1.0),
    "import the module": (_import_module, 0.7),
    "import names": (_import_names, 0.5),
    "f-strings": (_format_strings, 1.0),
    "quotes": (_quotes, 0.5),
    "annotate": (_annotate, 1.5),
    "parallel lines": (_parallel_lines, 3.0),
}
