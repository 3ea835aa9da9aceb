# Type "amount" over the selected name.
# Then press Tab until all uses are renamed.
def total(price, tax):
    rounded = round(price, 2)
    return rounded + price * tax
