"""References to entries of a table in place of the literals that they stand for.

`[[old=>new]]` is what was typed, `<<old=>new>>` what follows from it, and nothing else does.
"""

import re

import pytest

from editcast_model.consequences.consequences import Consequences
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.other_files.entry_index import EntryIndex
from editcast_model.diff import apply_hunks

ENGLISH = """{"nav": {"name": "Name", "open": "Open"},
"signIn": {"title": "Sign in", "failed": "That did not work.", "name": "Full name",
"re-do": "Redo"},
"signOut": {"title": "Sign out", "open": "Open"}, "flat": "Just this", "plain": "signIn.title"}"""
GERMAN = '{"signIn": {"title": "Anmelden", "name": "Name"}, "nav": {"name": "Name"}}'
MESSAGES = """export const messages = { signIn: { title: 'Log in', failed: "Won't work" }, a: {
    b: `Log out`, c: x ? 'Open' : 'Full name' } } as const;
export default { nav: { open: 'Open it' } };
"""
STATUS = """from enum import Enum

class Status(str, Enum):
    ACTIVE = "active"
    CLOSED = "closed"

class Color(Enum):
    RED = "red"

LABELS = {"first": "The first", "second": "The second"}
"""
PAGES = """de:
  page:
    # The head of the page.
    title: "Seite %{number}"
    foot: 'At the end'  # of it
    next: Go on to the next
    plain:
"""
BOOKING = """<?php

return [
    'taken' => 'This slot is taken.',
    'saved' => 'It is saved.',
];
"""
FILES = {
    "config/locales/de.yml": PAGES,
    "config/settings.yml": PAGES.replace("Go on to", "Come to"),
    "lang/en/booking.php": BOOKING,
    "src/locales/en.json": ENGLISH,
    "src/locales/de.json": GERMAN,
    "src/messages.ts": MESSAGES,
    "shop/status.py": STATUS,
}
IMPORTED = "from shop.status import Color, Status\n\n"

FOLLOWS = {
    "text between tags": (
        "a.tsx",
        """<h1>[[Sign in=>{t("signIn.title")}]]</h1>;
<label>
  <<Full name=>{t("signIn.name")}>>
  <input placeholder=<<"Sign out"=>{t("signOut.title")}>> value={<<"Just this"=>t("flat")>>} />
</label>;
setError(<<'That did not work.'=>t("signIn.failed")>>);
""",
    ),
    "an argument, whose brackets a diff takes for others": (
        "a.tsx",
        """setError([["That did not work."=>t("signIn.failed")]]);
x = <p><<Sign out=>{t("signOut.title")}>></p>;
""",
    ),
    "texts of a template": (
        "a.vue",
        """<script setup lang="ts">
const { t } = useI18n();
setError(<<'That did not work.'=>t('signIn.failed')>>);
</script>
<template>
  <h1>[[Sign in=>{{ t('signIn.title') }}]]</h1>
  <label class="Full name">
    <<Full name=>{{ t('signIn.name') }}>>
    <input <<placeholder="Sign out"=>:placeholder="t('signOut.title')">> :value="Just this" />
  </label>
  <p>{{ name }} Sign out</p>
</template>
""",
    ),
    "a translator that nothing uses yet": (
        "a.tsx",
        """import { useTranslation } from "react-i18next";
export function Page() {
[[=>  const { t } = useTranslation();
]]  fail(<<"That did not work."=>t("signIn.failed")>>);
  return <p title="Closed"><<Sign in=>{t("signIn.title")}>></p>;
}
""",
    ),
    "a translator of a part": (
        "a.tsx",
        """import { useTranslation } from 'react-i18next';
export function Page() {
[[=>  const { t, i18n } = useTranslation('signIn');
]]  return <p><<Full name=>{t('name')}>></p>;
}
""",
    ),
    "an attribute": (
        "a.tsx",
        """<A label=[["Sign in"=>{t('signIn.title')}]] of=<<"Sign out"=>{t('signOut.title')}>> />;
""",
    ),
    "the same text again": (
        "a.ts",
        "f([['Sign in'=>t('signIn.title')]], 1);\nf(<<'Sign in'=>t('signIn.title')>>, 2);\n",
    ),
    "an element": (
        "a.tsx",
        """<h1>[[Sign in=><Text id="signIn.title" />]]</h1>;
<b><<Sign out=><Text id="signOut.title" />>></b>;
f("Full name");
""",
    ),
    "a namespace before the keys": (
        "a.ts",
        "f([['Sign in'=>t('all:signIn.title')]]);\nf(<<'Sign out'=>t('all:signOut.title')>>);\n",
    ),
    "a single key takes its neighbours alone": (
        "a.ts",
        "f([['Sign in'=>t('title')]]);\nf(<<'Full name'=>t('name')>>);\nf('Sign out');\n",
    ),
    "several entries, of which one is a neighbour": (
        "a.ts",
        "f([['Sign out'=>t('signOut.title')]]);\nf(<<'Open'=>t('signOut.open')>>);\n",
    ),
    "several entries and no neighbour": (
        "a.ts",
        "f([['Sign in'=>t('signIn.title')]]);\nf('Open');\nf(<<'Redo'=>t('signIn.re-do')>>);\n",
    ),
    "keys in code": (
        "a.ts",
        """import { messages as m, messages } from './messages';
f([['Log in'=>messages.signIn.title]], <<"Won't work"=>messages.signIn.failed>>);
f(<<'Log out'=>messages.a.b>>, 'Open it', 'Open', 'Full name');
""",
    ),
    "keys in code that are no names": (
        "a.ts",
        "f([['Sign in'=>en.signIn.title]]);\nf('Redo', <<'Sign out'=>en.signOut.title>>);\n",
    ),
    "members of an enum": (
        "a.py",
        IMPORTED
        + """def f(x):
    if x == [["active"=>Status.ACTIVE]] or x == <<'closed'=>Status.CLOSED>>:
        return "red", f"closed", b"closed"
    log("closed", color="closed")
    return {"x": "closed", "closed": x}, x["closed"], "closed " "red"
""",
    ),
    "values of members": (
        "a.py",
        f"{IMPORTED}f([['active'=>Status.ACTIVE.value]])\nf(<<'closed'=>Status.CLOSED.value>>)\n",
    ),
    "keys in brackets": (
        "a.py",
        """from shop.status import LABELS

f([["The first"=>LABELS["first"]]])
f(<<"The second"=>LABELS["second"]>>)
""",
    ),
    "a name that is not known everywhere": (
        "a.tsx",
        """function A() {
  const { t } = useTranslation();
  const b = <b>[[Sign in=>{t('signIn.title')}]]</b>;
  return <p title=<<"Sign out"=>{t('signOut.title')}>> dir="rtl">{b}</p>;
}
function B() {
  return <p>Sign out</p>;
}
function C({ t }: Props) {
  return <p><<Sign out=>{t('signOut.title')}>></p>;
}
""",
    ),
    "what is no value": (
        "a.tsx",
        """import x from 'Sign out';
'Full name';
type A = 'Sign out' | 'Open it';
const a = { 'Sign out': 1, [b]: <<'Sign out'=>t('signOut.title')>> };
f([['Sign in'=>t('signIn.title')]], a['Sign out'], require('Sign out'), tag`Sign out`);
if (typeof a === 'Sign out') <p className="Sign out" title={`Sign out ${a}`} />;
""",
    ),
    "texts that have values, and others": (
        "a.rb",
        """puts [["Seite #{at}"=>I18n.t("page.title", number: at)]]
puts <<"Go on to the next"=>I18n.t("page.next")>>, "Come to the next", "Seite #{at + 1}"
""",
    ),
    "texts for people, not for a log": (
        "a.php",
        """<?php
Log::info('This slot is taken.');
refuse([['This slot is taken.'=>__('booking.taken')]]);
$this->logger->warning('It is saved.');
return <<'It is saved.'=>__('booking.saved')>>;
""",
    ),
    "tables that have the same texts": (
        "de.ts",
        """export const de = { signIn: { title: 'Sign in', failed: 'That did not work.' } };
const columns = [{ name: <<'Full name'=>t('signIn.name')>> }];
f([['Sign in'=>t('signIn.title')]]);
""",
    ),
}


NOTHING = {
    "a text that no table has": ("a.ts", "f([['Signing'=>t('signIn.title')]]);\nf('Sign out');\n"),
    "another key": ("a.ts", "f([['Sign in'=>t('signIn.titles')]]);\nf('Sign out');\n"),
    "half a key": ("a.ts", "f([['Sign in'=>t('signIn.tit')]]);\nf('Sign out');\n"),
    "another text": ("a.ts", "f([['Sign in'=>'signIn.title']]);\nf('Sign out');\n"),
    "a bare name": ("a.ts", "f([['Sign in'=>title]]);\nf('Full name');\n"),
    "more than a reference": (
        "a.ts",
        "f([['Sign in'=>a ? t('signIn.title') : b]]);\nf('Sign out');\n",
    ),
    "further arguments": (
        "a.ts",
        "f([['Sign in'=>t('signIn.title', { n })]]);\nf('Sign out');\n",
    ),
    "the text is still there": (
        "a.tsx",
        """<p>[[Sign in=><T id="signIn.title" or="Sign in" />]]</p>;\n<p>Sign out</p>;\n""",
    ),
    "another class": ("a.py", f"{IMPORTED}f([['active'=>Status.ACTIVE]])\nf('red')\n"),
    "other code around it": ("a.ts", "f([['Sign in'=>t('signIn.title'), 1]]);\nf('Sign out');\n"),
}

_MARK = re.compile(r"\[\[(.*?)=>(.*?)\]\](?!\])|<<(.*?)=>(.*?)>>(?!>)", re.DOTALL)


def text(marked: str, *, typed: bool, follows: bool = False) -> str:
    def chosen(found: re.Match[str]) -> str:
        if found[1] is not None:
            return found[2] if typed else found[1]
        return found[4] if follows else found[3]

    return _MARK.sub(chosen, marked)


@pytest.fixture(scope="module")
def entries() -> EntryIndex:
    known = EntryIndex()
    for file, content in FILES.items():
        known.put(file, "", content)
    return known


@pytest.mark.parametrize("name", [*FOLLOWS, *NOTHING])
def test_what_follows_and_nothing_else(name: str, entries: EntryIndex) -> None:
    path, marked = (FOLLOWS | NOTHING)[name]
    before, typed = text(marked, typed=False), text(marked, typed=True)
    source = Consequences("", path)
    found = source.propose([before], typed, entries=entries)
    made = [one for one in found if one.kind == "use_entry"]
    made.sort(key=lambda one: one.hunk.start)
    done = text(marked, typed=True, follows=True)
    assert apply_hunks(typed, [one.hunk for one in made]) == done
    assert len({one.cause for one in made}) == min(len(made), 1)
    assert source.propose([before, typed], done, entries=entries) == []


def test_one_after_another(entries: EntryIndex) -> None:
    path, marked = FOLLOWS["text between tags"]
    history = [text(marked, typed=False), text(marked, typed=True)]
    source = Consequences("", path)
    while found := source.propose(history[:-1], history[-1], entries=entries):
        history.append(apply_hunks(history[-1], [found[0].hunk]))
    assert history[-1] == text(marked, typed=True, follows=True)


def test_lines_that_came_with_it(entries: EntryIndex) -> None:
    before = "const a = 1;\n\nf('Sign in');\nf('Sign out');\n"
    after = before.replace("const", "const t = u();\nconst", 1)
    after = after.replace("'Sign in');", "t('signIn.title'));\ng(1);")
    (found,) = Consequences("", "a.ts").propose([before], after, entries=entries)
    assert found.hunk.text == "t('signOut.title')"


def kinds(found: list[Consequence]) -> list[str]:
    return [one.kind for one in found if one.kind == "use_entry"]


def test_what_is_being_typed(entries: EntryIndex) -> None:
    _, marked = FOLLOWS["the same text again"]
    before, typed = text(marked, typed=False), text(marked, typed=True)
    at = typed.index("title") + 5
    source = Consequences("", "a.ts")
    assert kinds(source.propose([before], typed, entries=entries, active=range(at, at))) == []
    at = typed.index("'Sign in'") + 3
    assert kinds(source.propose([before], typed, entries=entries, active=range(at, at))) == []
    assert kinds(source.propose([before], typed, entries=entries, active=range(0, 1)))
    assert kinds(source.propose([before], typed, entries=EntryIndex())) == []
    assert kinds(source.propose([before], typed)) == []


def test_an_enum_that_was_not_saved_yet() -> None:
    marked = """from enum import StrEnum


class State(StrEnum):
    OPEN = "open"
    DONE = "done"


class Job:
    state: [[str = "open"=>State = State.OPEN]]

    def close(self):
        self.state = <<"done"=>State.DONE>>
"""
    before, typed = text(marked, typed=False), text(marked, typed=True)
    found = Consequences("", "jobs.py").propose([before], typed, entries=EntryIndex())
    done = text(marked, typed=True, follows=True)
    assert apply_hunks(typed, [one.hunk for one in found]) == done
