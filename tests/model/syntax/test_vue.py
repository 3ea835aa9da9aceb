import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcast_model.syntax.tree import parse
from editcast_model.syntax.vue import script_of, script_start

SETUP = "<script setup>\nconst a = 1\n</script>\n"
PIECES = st.sampled_from(
    """<script>|<script setup>|</script>|<template>|</template>|<p>|</p>|<p |<Foo |>|/>
    |{{|}}|<!--|-->|:a="b"|@a="b()"|v-for="a of b"| v-for="(a, i) in b"|#a="{b}"|v-if="a < b"
    |"|'|`|=|a|b.c()|é|\0| |\t""".split("|")
)


@given(st.lists(PIECES, max_size=30).map("".join))
def test_every_character_stays_where_it_is(text: str) -> None:
    code = script_of(SETUP + text)
    assert len(code) == len(SETUP + text)
    for old, new in zip(SETUP + text, code, strict=True):
        assert (old == "\n") == (new == "\n")
        assert new in (old, *" ;(){}[]forlet")


@given(st.lists(PIECES, max_size=20).map("".join), st.lists(PIECES, max_size=20).map("".join))
def test_a_tree_again_is_that_of_the_text(one: str, other: str) -> None:
    first = parse(SETUP + one, "vue")
    assert first is not None
    again, fresh = first.reparsed(SETUP + other), parse(SETUP + other, "vue")
    assert again is not None and fresh is not None
    assert again.parses == fresh.parses
    if fresh.parses:
        assert str(again.root) == str(fresh.root)


@pytest.mark.parametrize(
    ("template", "code"),
    [
        ("<p>{{ a + 1 }}</p>", ";( a + 1 );"),
        ("<p>{{ }}</p>", ""),
        ("<!-- {{ a }} --><p>{{ a }}", ";( a );"),
        ('<p :a="b" @c="d(); e()" f="g"/>', ";(b) ; d(); e();"),
        ("<p :a='b' v-else v-if=\"a > b\">", ";(b) ;(a > b)"),
        ('<p @a="() => b" @c="function () {}">', "; () => b; ;(function () {})"),
        ('<p v-for="a in b" :c="a">{{ a }}</p>{{ a }}', "for(let a in b){ ;(a) ;( a ); } ;( a );"),
        ('<p v-for="(a, i) of b">{{ a }}</p>', "for(let [a, i] of b){;( a );}"),
        ('<p v-for="{ a, b } of c"><p>{{ a }}</p>', "for(let { a, b } of c){ ;( a ); }"),
        ('<br v-for="a in b" :c="a"> {{ a }}', "for(let a in b){ ;(a)} ;( a );"),
        ('<Foo v-for="a in b" :c="a" />', "for(let a in b){ ;(a) }"),
        ('<Foo :a="b"><Bar/></Foo>', ";Foo; ;(b) ;Bar; ;Foo;"),
        ('<A><B #c="{ a }">{{ a }}<p :b="a"/></B>{{ a }}</A>', ";A; ;( a ); ;A;"),
        ('<p v-for="a, i of b">{{ a }}</p>{{ c }}', ";( c );"),
        ('<br v-for="a in b">{{ c }}', ";( c );"),
        ("<style>{{ a }}</style>", ""),
    ],
)
def test_expressions_of_a_template(template: str, code: str) -> None:
    text = f"{SETUP}<template>{template}</template>\n"
    found = script_of(text).removeprefix("              \nconst a = 1\n;")
    assert "".join(found.split()) == "".join(code.split())
    tree = parse(text, "vue")
    assert tree is not None and tree.parses


def test_without_a_setup_script_the_names_of_a_template_are_not_the_scripts() -> None:
    text = "<template>{{ a }}</template>\n<script>\nconst a = 1\n</script>\n"
    assert script_of(text).split() == ["const", "a", "=", "1", ";"]


@pytest.mark.parametrize("piece", ["{{", "<!--", '<a "', "<p :a='", "<p ", "<p v-for='a of ", "("])
def test_what_is_never_closed_is_read_in_one_go(piece: str) -> None:
    text = SETUP + piece * (400_000 // len(piece))
    assert len(script_of(text)) == len(text)
    spaces = f'{SETUP}<template><p v-for="{" " * 400_000}x"/>'
    assert len(script_of(spaces)) == len(spaces)


@pytest.mark.parametrize(
    "tag",
    [
        "<script setup>",
        '<script setup lang="ts" generic="T extends A<B>">',
        '<script lang="ts" generic="T extends A<B>" setup>',
        "<script lang='ts'\nsetup>",
    ],
)
def test_a_tag_ends_behind_the_types_in_it(tag: str) -> None:
    text = f"<p/>{tag}\nconst a = 1\n</script>\n<template><p>{{{{ a }}}}</p></template>\n"
    assert script_start(text) == text.index("\nconst")
    assert "".join(script_of(text).split()) == "consta=1;;(a);"


def test_a_script_that_only_mentions_setup() -> None:
    text = '<script lang="a setup b">\nconst a = 1\n</script>\n<template>{{ a }}</template>\n'
    assert "".join(script_of(text).split()) == "consta=1;"
