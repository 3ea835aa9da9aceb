# Type "amount" now: the parameter's name is selected. Then press Tab, until all uses have followed.
def total(price, tax):
    rounded = round(price, 2)
    return rounded + price * tax
