# Type "amount": the name is selected.
# Then press Tab until all uses follow.
def total(price, tax):
    rounded = round(price, 2)
    return rounded + price * tax
