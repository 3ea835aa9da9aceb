"""The editing session of `editcast demo`: a currency is handed down, and a field gets its name."""

from typing import NamedTuple


class Save(NamedTuple):
    """Changes of one save: pairs of old and new text, each old text replaced once."""

    purpose: str
    changes: tuple[tuple[str, str], ...]


NAME = "invoice.py"
LANGUAGE = "python"

OPENED = '''"""Invoices of a small shop: read the orders, add them up, print them."""

from dataclasses import dataclass


@dataclass
class Line:
    """One thing that was ordered."""

    title: str
    qty: int
    price: float

    def total(self):
        return self.qty * self.price


@dataclass
class Order:
    """Everything that one customer ordered."""

    customer: str
    lines: list[Line]

    def total(self):
        return sum(line.total() for line in self.lines)

    def largest(self):
        return max(self.lines, key=lambda line: line.total())


def read_order(customer, rows):
    """The order of a customer from rows of title, count and price."""
    lines = []
    for title, count, price in rows:
        lines.append(Line(title, int(count), float(price)))
    return Order(customer, lines)


def money(amount):
    return f"{amount:.2f}"


def heading(customer):
    return f"Invoice for {customer}"


def line_text(line):
    return f"{line.qty} x {line.title}: {money(line.total())}"


def total_text(order):
    return f"Total: {money(order.total())}"


def average_text(order):
    return f"Average: {money(order.total() / len(order.lines))}"


def count_text(order):
    return f"{sum(line.qty for line in order.lines)} pieces"


def is_wholesale(line):
    return line.qty >= 100


def shelf_space(line):
    return line.qty * 0.25


def invoice(order):
    """The whole invoice as text."""
    parts = [heading(order.customer)]
    for line in order.lines:
        parts.append(line_text(line))
    parts.append(total_text(order))
    parts.append(average_text(order))
    return "\\n".join(parts)
'''

SAVES = (
    Save(
        "money() is told the currency",
        (
            ("def money(amount):", "def money(amount, currency):"),
            ('return f"{amount:.2f}"', 'return f"{amount:.2f} {currency}"'),
        ),
    ),
    Save(
        "a line of the invoice hands it down",
        (
            ("def line_text(line):", "def line_text(line, currency):"),
            ("{money(line.total())}", "{money(line.total(), currency)}"),
        ),
    ),
    Save(
        "so does the total",
        (
            ("def total_text(order):", "def total_text(order, currency):"),
            ("{money(order.total())}", "{money(order.total(), currency)}"),
        ),
    ),
    Save(
        "and the average",
        (
            ("def average_text(order):", "def average_text(order, currency):"),
            ("/ len(order.lines))}", "/ len(order.lines), currency)}"),
        ),
    ),
    Save(
        "the invoice takes a currency, and its lines get it",
        (
            ("def invoice(order):", "def invoice(order, currency):"),
            ("parts.append(line_text(line))", "parts.append(line_text(line, currency))"),
        ),
    ),
    Save(
        "the total gets it",
        (("parts.append(total_text(order))", "parts.append(total_text(order, currency))"),),
    ),
    Save(
        "the average gets it",
        (("parts.append(average_text(order))", "parts.append(average_text(order, currency))"),),
    ),
    Save("a field deserves its whole name", (("    qty: int", "    quantity: int"),)),
    Save("where it is multiplied", (("self.qty", "self.quantity"),)),
    Save("where it is printed", (("{line.qty} x", "{line.quantity} x"),)),
    Save("where it is counted", (("sum(line.qty", "sum(line.quantity"),)),
    Save("where it is compared", (("line.qty >= 100", "line.quantity >= 100"),)),
    Save("where it is estimated", (("line.qty * 0.25", "line.quantity * 0.25"),)),
)


def texts() -> list[str]:
    """Return the file as opened, and as each save left it."""
    out = [OPENED]
    for save in SAVES:
        text = out[-1]
        for old, new in save.changes:
            text = text.replace(old, new, 1)
        out.append(text)
    return out
