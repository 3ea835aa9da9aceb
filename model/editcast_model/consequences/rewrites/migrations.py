"""Migrations: changes that a new version of a library asks for together.

`migrations.toml` contains them. Once one of them is made, in the file or in the last saves of
others, the others follow wherever the old code is left.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, Final

from editcast_model.alignment import common_ends
from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.replaced.saves import Save
from editcast_model.consequences.rewrites.counterparts import count_others, span_now
from editcast_model.consequences.rewrites.rewrites import (
    change_of_save,
    places_of,
    rewrites_by,
    rules_of,
)
from editcast_model.consequences.rewrites.rule import Rule, Span
from editcast_model.diff import Hunk, line_around
from editcast_model.syntax.languages import language_of
from editcast_model.syntax.members import is_declared_member, owner
from editcast_model.syntax.names import Names, Occurrence, have_same_rules, opened, whole_words
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import parse

#: The file of migrations, beside this one.
MIGRATIONS: Final = Path(__file__).with_suffix(".toml")
_WORD = re.compile(r"\w+")
#: Written before a member of objects whose classes are known, and such a class: others have it too.
_TYPED, _OF_CLASS = "Class", re.compile(r"(?!(?:Client)?(?:Request|Response)@)[A-Z]")
#: A version in the line of a package, in a file of dependencies.
_VERSION = r"(?i)(?<![\w-]){}(?![\w-])[^\d\n]{{0,12}}(\d+)"
#: An import of a package, where a line begins.
_IMPORT = (
    r"^[ \t]*(?:(?:import\b.*|from\s+|\}}\s*from\s+|.*\brequire\()[\"']?|\")(?<![\w./-]){}(?![\w-])"
)


@dataclass(frozen=True, slots=True)
class Renaming:
    """A name that a migration replaces by another."""

    name: str  # with that of its module where it changes too
    pattern: re.Pattern[str]
    new: str
    is_member: bool  # of something that stays
    is_typed: bool = False  # and whose class is known

    @classmethod
    def read(cls, written: str) -> "Renaming":
        """Read a renaming as it is written in the file."""
        old, new = written.split(" -> ")
        is_typed = old.startswith(f"{_TYPED}.")
        old = old.removeprefix(_TYPED) if is_typed else old
        behind = r"(?=\()" if old.endswith("()") else r"(?=\[)" if old.endswith("[]") else r"(?!\w)"
        name, is_member = old.strip(".()[]"), old.startswith(".")
        before = r"(?<=\.)" if is_member else r"(?<![\w.])"
        pattern = re.compile(before + re.escape(name) + behind)
        return cls(name, pattern, new, is_member, is_typed)

    @property
    def old(self) -> str:
        """Return the old name without that of its module."""
        return self.name.rpartition(".")[2]

    def left_in(self, names: Names) -> Iterator[Hunk]:
        """Yield the replacements that are left in a text, but for names that it defines itself."""
        is_dotted = self.old != self.name
        if not is_dotted and any(map(self._is_own, names.of(self.old))):
            return
        for found in self.pattern.finditer(names.tree.text):
            one, whose = names.at(found.end() - len(self.old)), names.at(found.start())
            if one is None or (one.part.kind == "import" and self.new in names.rules.builtins):
                continue
            if self.is_typed and not _OF_CLASS.match(owner(names, one) or ""):
                continue
            # A local variable is not the module.
            scope = names.resolve(whose) if is_dotted and whose is not None else None
            if scope is None or scope == one.scopes[-1]:
                yield Hunk(found.start(), found.end(), self.new)

    def _is_own(self, one: Occurrence) -> bool:
        """Tell whether a text defines what it calls so, and does not import it."""
        if one.part.kind == "import":
            return False
        is_declared = is_declared_member(one)
        return is_declared if self.is_member else one.role is Role.DEFINITION and not is_declared


@dataclass(frozen=True, slots=True)
class Pattern:
    """Lines that a migration writes in another way, as a regular expression."""

    old: re.Pattern[str]
    new: str

    def left_in(self, text: str, *part: int) -> Iterator[Hunk]:
        """Yield the replacements that are left in a text, or in a part of it."""
        for found in self.old.finditer(text, *part):
            old, new = found[0], found.expand(self.new)
            same = old.rfind("\n", 0, common_ends(old, new)[0]) + 1  # lines that only say where
            yield Hunk(found.start() + same, found.end(), new[same:])


@dataclass(frozen=True, slots=True)
class Migration:
    """Changes that are made together in a language.

    Attributes:
        renamings: The names that change.
        patterns: The lines that change with them.
        rules: The code that is written in another way.
        package: The package whose new version begins it; empty for none.
        gone: The package that no import brings any more when it begins; empty for none.
        major: That version's first number; 0 if any version does, where there was none.
        name: What it is called; empty for nothing.
        follows: The migration with which it begins in the same file; empty for none.
        after: The migration that has no lines left in the same file when it begins; empty for none.
        setting: The text that a file of settings has when all files change, which are changed one
            by one, or not at all, where none has it; empty for a migration of the whole project.
    """

    renamings: tuple[Renaming, ...]
    patterns: tuple[Pattern, ...]
    rules: tuple[Rule, ...]
    package: str = ""
    gone: str = ""
    major: int = 0
    name: str = ""
    follows: str = ""
    after: str = ""
    setting: str = ""

    @property
    def words(self) -> frozenset[str]:
        """Return the words that it takes away."""
        renamed = (_WORD.findall(one.name) for one in self.renamings)
        return frozenset(rule.anchor for rule in self.rules).union(*renamed)

    def left_in(self, names: Names) -> Iterator[Consequence]:
        """Yield what is left to do in a text."""
        yield from self.lines_left_in(names)
        for one in self.renamings:
            for hunk in one.left_in(names):
                yield Consequence(hunk, "migrate", cause=f"{one.old} {one.new}")
        for rule in self.rules:
            for found in rewrites_by(rule, names):
                yield replace(found, kind="migrate")

    def lines_left_in(self, names: Names) -> Iterator[Consequence]:
        """Yield the lines that are left, which contain names that change."""
        for one in self.patterns:
            for hunk in one.left_in(names.tree.text):
                if "comment" not in names.tree.path(hunk.start)[-1].type:
                    yield Consequence(hunk, "migrate", cause=one.old.pattern)

    def made_in(self, change: Change) -> list[Span]:
        """Return the parts of the text before a change that were changed as the migration asks."""
        tree = change.before.tree
        left = list[tuple[Span, str]]()
        parts = {_lines_near(tree.text, hunk) for hunk in change.hunks} if self.patterns else set()
        hunks = (one.left_in(tree.text, *part) for part in parts for one in self.patterns)
        left += ((Span(one.start, one.end), one.text) for one in chain.from_iterable(hunks))
        gone = (whole_words(tree.text, hunk.start, hunk.end) for hunk in change.hunks)
        words = (word for part in gone for word in _WORD.findall(tree.text, *part))
        if not self.words.isdisjoint(words):
            renamed = (hunk for one in self.renamings for hunk in one.left_in(change.before))
            left += ((Span(hunk.start, hunk.end), hunk.text) for hunk in renamed)
            left += (place for rule in self.rules for place in places_of(tree, rule))
        return [span for span, text in left if _is_now(change, span, text)]

    def begins_with(self, save: Save) -> bool:
        """Tell whether a save of a file of dependencies brings the version that asks for it.

        Or the setting.
        """
        if self.setting and self.setting in save.after:
            return self.setting not in save.before
        if not self.package or self.package not in save.after.lower():
            return False
        pattern = re.compile(_VERSION.format(re.escape(self.package)))
        was, now = pattern.search(save.before), pattern.search(save.after)
        if was is None or now is None:
            return not self.major and was is None and now is not None
        return int(was[1]) < self.major <= int(now[1])

    def begins_in(self, change: Change) -> bool:
        """Tell whether a change imports a package that was not there, or no longer the old one."""
        was, now = change.before, change.after
        comes = bool(self.package) and not self.major and _is_new(self.package, was, now)
        return comes or (bool(self.gone) and _is_new(self.gone, now, was))


def after_migration(change: Change) -> Iterator[Consequence]:
    """Yield what is left of the migrations that a change begins or goes on with."""
    made = [(one.made_in(change), one) for one in migrations(change.after.tree.language)]
    begun = {one.name for spans, one in made if spans}
    done = {one.name for spans, one in made if spans and not any(one.lines_left_in(change.after))}
    for spans, one in sorted(made, key=lambda each: len(each[0]), reverse=True):
        others = count_others(change, spans) if spans else len(change.made) - 1
        has_begun = spans or one.follows in begun or one.after in done or one.begins_in(change)
        for found in one.left_in(change.after) if has_begun else ():
            yield replace(found, others=others)


def lines_to_migrate(change: Change) -> Iterator[Consequence]:
    """Yield the lines that a migration changes as a whole, before single names in them."""
    for one in migrations(change.after.tree.language):
        if one.patterns and one.made_in(change):
            yield from one.lines_left_in(change.after)


def migrations_left_in(saves: Sequence[Save], names: Names) -> Iterator[Consequence]:
    """Yield what is left in a text of the migrations that the last saves of other files made."""
    language = names.tree.language
    made = set(chain.from_iterable(_made_by(save, language) for save in saves))
    for at, one in enumerate(migrations(language)):
        if at in made:
            yield from one.left_in(names)


@lru_cache(256)
def _made_by(save: Save, language: str) -> tuple[int, ...]:
    """Return the numbers of the migrations that a save begins; cached as `change_of_save` is."""
    words = _WORD.findall(save.before)
    known = enumerate(migrations(language))
    return tuple(at for at, one in known if _is_made(one, save, words, language))


def _is_made(migration: Migration, save: Save, words: list[str], language: str) -> bool:
    """Tell whether a save, whose words before are given, begins a migration."""
    if migration.begins_with(save):
        return True
    if migration.setting or not have_same_rules(language_of("", save.file), language):
        return False
    if not migration.patterns and migration.words.isdisjoint(words):
        return False
    change = change_of_save(save.before, save.after, language)
    return change is not None and bool(migration.made_in(change))


@lru_cache
def migrations(language: str) -> tuple[Migration, ...]:
    """Return the migrations of a language."""
    return tuple(
        Migration(
            tuple(map(Renaming.read, one.get("names", ()))),
            tuple(Pattern(re.compile(old, re.MULTILINE), new) for old, new in one.get("lines", ())),
            tuple(_rules(one.get("code", ()), language)),
            one.get("package", ""),
            one.get("gone", ""),
            one.get("major", 0),
            one["name"],
            one.get("follows", ""),
            one.get("after", ""),
            one.get("setting", ""),
        )
        for one in read_migrations()
        if language in one["languages"]
    )


@lru_cache
def read_migrations() -> list[dict[str, Any]]:
    """Return the table of migrations as it is written."""
    return list(tomllib.loads(MIGRATIONS.read_text("utf-8"))["migration"])


def _rules(snippets: Iterable[str], language: str) -> Iterator[Rule]:
    """Yield the rule that each pair of snippets is an example of."""
    for snippet in snippets:
        texts = (parse(opened(f"{one}\n", language), language) for one in snippet.split(" -> "))
        was, now = (Names(tree) if tree else None for tree in texts)
        if was is not None and now is not None:
            yield replace(next(rules_of(Change(was, now))), tied="")


def _is_new(package: str, was: Names, now: Names) -> bool:
    """Tell whether a text imports a package that another one does not."""
    pattern = re.compile(_IMPORT.format(re.escape(package)), re.MULTILINE)
    return bool(pattern.search(now.tree.text)) and not pattern.search(was.tree.text)


def _lines_near(text: str, hunk: Hunk) -> tuple[int, int]:
    """Return the ends of the lines of a change and the two around them."""
    start, end = line_around(text, hunk.start, hunk.end)
    return line_around(text, max(0, start - 1), min(len(text), end + 1))


def _is_now(change: Change, span: Span, text: str) -> bool:
    """Tell whether a part of the text before a change reads so in the text after."""
    now = span_now(change, span)
    return now is not None and change.after.tree.text[now.start : now.end] == text
