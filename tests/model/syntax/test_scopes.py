"""`‹x|1›`: the definitions and uses of a name that mean the same thing have the same label.

`‹x|-›` means nothing that this file defines; a name without a mark is none, or a member, or a key.
"""

import re

import pytest

from editcast_model.syntax.names import Names
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import parse

_MARK = re.compile(r"‹([\w$]+)\|(\w+|-)›")

TEXTS = {
    "functions": (
        "python",
        """\
‹x|1› = 1
def f(‹x|2›, y=‹x|1›, *args, z: ‹x|1› = ‹x|1›, **kw) -> ‹x|1›:
    g = [‹x|3› for ‹x|3› in ‹x|2› if ‹x|3›]
    print(f"{‹x|2›!r:>{‹x|2›}} x", f(x=‹x|2›))
    def h():
        global ‹x|1›
        ‹x|1› += ‹x|1›
    return lambda ‹x|4›=‹x|2›: ‹x|4›
class A:
    ‹x|5› = ‹x|5›
    def m(self, a=‹x|5›):
        self.x = ‹x|1›
        return [‹x|1› for _ in ‹x|1›]
    y = [‹x|1› for _ in ‹x|5›]
""",
    ),
    "statements": (
        "python",
        """\
import ‹a|1›.b, c as ‹d|2›
from a import e as ‹f|3›, ‹g|4›
with ‹a|1› as (‹h|5›, [‹i|6›]), ‹d|2›:
    (‹h|5›, *‹i|6›) = ‹f|3›, ‹q|-›
try:
    pass
except ‹g|4› as ‹h|5›:
    del ‹h|5›
match ‹h|5›:
    case {"k": ‹j|7›, **‹k|8›}: pass
    case ‹a|1›.h | ‹g|4›(h=‹l|9›, i=2) as ‹m|10›: pass
    case [‹n|11›, *‹o|12›]: ‹n|11›
(‹p|13› := [‹r|14› := ‹s|15› for ‹s|15› in ‹j|7›])
‹r|14›
""",
    ),
    "nonlocal names": (
        "python",
        """\
def f():
    ‹x|1› = 1
    class C:
        ‹x|2› = 2
        def g(self):
            nonlocal ‹x|1›
            ‹x|1› = 3
            return ‹x|1›
    return ‹x|1›
""",
    ),
    "type parameters": (
        "python",
        """\
def ‹f|1›[‹T|2›: int, *‹Ts|3›, **‹P|4›](a: ‹T|2›, *b: *‹Ts|3›) -> ‹T|2›:
    x: ‹T|2› = ‹f|1›[‹T|2›](a, ‹P|4›)
class ‹A|5›[‹U|6›](B[‹U|6›]):
    def m[‹V|7›](self, a: ‹V|7›) -> ‹A|5›[‹U|6›]:
        b: list[‹V|7›] = [a]
type ‹Pair|8›[‹K|9›] = tuple[‹K|9›, ‹Q|-›]
y: ‹Pair|8›[‹Q|-›]
""",
    ),
    "variables of types": (
        "typescript",
        """type A<‹T|1›> = { [‹K|2› in keyof ‹T|1› as `x${‹K|2›}`]: ‹T|1›[‹K|2›] };
type B<‹T|3›> = ‹T|3› extends C<infer ‹U|4›> ? ‹U|4› : ‹V|-›;
""",
    ),
    "patterns": (
        "csharp",
        """class A {
    void F(int ‹x|1›) {
        var (‹a|2›, (‹b|3›, _)) = G(‹x|1›);
        foreach (var (‹k|4›, ‹v|5›) in H) { Use(‹k|4›, ‹v|5›, ‹a|2›, ‹b|3›); }
        var q = from ‹n|6› in ‹x|1› where ‹n|6› > 1 select ‹n|6›;
    }
}
""",
    ),
    "blocks": (
        "typescript",
        """\
import ‹D|1›, { a as ‹b|2›, ‹c|3› } from "x";
import * as ‹ns|4› from "y";
const { ‹p|5›, q: ‹r|6› = ‹p|5›, ...‹s|7› } = ‹b|2›, [‹t|8› = 1] = ‹c|3›;
function ‹f|9›<‹T|10›>(‹b|11›: ‹T|10›, ‹g|12› = ‹b|11›, { ‹c|13›, d: ‹h|14› }: P): ‹T|10› {
  if (‹b|11›) {
    var ‹v|15› = 1;
    let ‹b|16› = ‹v|15›;
    ‹b|16› + ‹g|12›;
  }
  for (const ‹c|17› of ‹c|13›) ‹c|17›;
  try {} catch (‹h|18›) { ‹h|18›; }
  return { ‹v|15›, b: ‹b|11›, [‹h|14›]: x.c, d() {} };
}
class ‹A|19›<‹T|20›> extends ‹D|1› {
  private b: ‹T|20› = ‹b|2›;
  f(‹b|21›: ‹A|19›<‹T|20›>) { return this.b + ‹b|21› + ‹ns|4›.b; }
}
const ‹e|22› = function ‹f|23›(‹c|24›) { return ‹f|23›(‹c|24›); };
export { ‹f|9› as g, ‹e|22› };
type ‹U|25› = { b: ‹A|19›; m(‹b|26›: ‹U|25›): void };
""",
    ),
    "elements": (
        "typescriptreact",
        """\
const ‹Row|1› = ({ ‹text|2› }: P) => <div title={‹text|2›} text="text">text {‹text|2›}</div>;
const ‹All|3› = (‹rows|4›: ‹text|-›[]) => <‹Row|1› rows={‹rows|4›} {...‹rows|4›}></‹Row|1›>;
""",
    ),
    "Go": (
        "go",
        """\
package m

import ‹str|1› "strings"

type ‹T|2› struct{ x, B int }

const ‹c|3›, ‹d|4› = 1, 2

func (‹t|5› *‹T|2›) M(‹a|6›, b int) (n int, ‹err|7› error) {
	‹x|8›, ‹err|7› := f(‹a|6›)
	‹x|8›.y = ‹t|5›.x
	if ‹x|9› := ‹x|8›; ‹x|9› > 0 {
		for ‹a|10›, v := range ‹a|6› {
			‹a|10›++
		}
	}
	switch ‹q|11› := ‹x|8›.(type) {
	case int:
		‹q|11›++
		‹x|12› := ‹x|8›
		‹str|1›.Join(‹x|12›)
	}
	p := &‹T|2›{x: 1, B: ‹x|8›}
	mm := map[string]int{‹x|8›: ‹c|3› + ‹d|4›}
	go func(‹x|13› int) { ‹x|13›++ }(‹x|8›)
	return
}
""",
    ),
    "PHP": (
        "php",
        """\
<?php
namespace x\\y;

use x\\{‹T|1›, z as ‹Z|2›};
use function x\\‹h|3›;

const ‹C|4› = 1;
‹$x|5› = ‹C|4›;

#[‹Z|2›\\T(x: 1)]
abstract class ‹A|6› extends ‹T|1›
{
    const C = ‹C|4›;
    public $x = self::C;

    public function h(‹A|6›|‹T|1› ‹$x|7›, private int ‹$y|8› = ‹C|4›): ?static
    {
        $this->x = ‹$x|7›->h(x: ‹$y|8›) . $this->C . ‹A|6›::C . static::$x;
        foreach (‹$x|7› as ‹$k|9› => [‹$x|7›, 'x' => ‹$v|10›]) {
            echo "‹$x|7› x‹$v|10› {‹$k|9›->x}", ‹h|3›(...);
        }
        ‹$f|11› = fn (‹$x|12›) => ‹$x|12› + ‹$y|8› + ‹$q|-›;
        ‹$g|13› = function (‹$z|14›) use (‹$y|8›, &‹$f|11›) {
            ‹$f|11› = ‹$x|-› + ‹$y|8› + ‹$z|14›;
            return function () use (‹$f|11›) {
                ‹$f|11› .= ‹$y|-›;
            };
        };
        [‹$k|9› => ‹$v|10›] = ‹$g|13›;
        return new ‹A|6›(new \\x\\T(), C: 1);
    }
}

function f()
{
    global ‹$x|5›;
    static ‹$y|15› = ‹$x|5›;
    try {
        return ‹$x|5›;
    } catch (‹T|1› ‹$z|16›) {
        unset(‹$z|16›, ‹$y|15›);
    }
}
""",
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_scopes(name: str) -> None:
    language, marked = TEXTS[name]
    text, labels, done = "", {}, 0
    for found in _MARK.finditer(marked):
        text += marked[done : found.start()]
        labels[len(text)] = found[2]
        text += found[1]
        done = found.end()
    text += marked[done:]
    tree = parse(text, language)
    assert tree is not None and tree.parses
    names = Names(tree)
    meanings: dict[str, set[object]] = {}
    for word in {found[1] for found in _MARK.finditer(marked)}:
        for one in names.of(word):
            is_name = one.role in (Role.DEFINITION, Role.REFERENCE, Role.OUTER)
            assert is_name == (one.start in labels), (text[one.start - 20 : one.end], one.part)
            if is_name:
                scope = names.resolve(one)
                meanings.setdefault(labels[one.start], set()).add(scope and (word, scope))
    assert meanings.pop("-", {None}) == {None}
    assert {label: len(found) for label, found in meanings.items()} == dict.fromkeys(meanings, 1)
    assert len({found.pop() for found in meanings.values()}) == len(meanings)
