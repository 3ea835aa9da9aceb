"""A model whose graphs run on a server that the user names. Not in the wheel of `editcast`.

All network code of a prediction is here, and nothing imports this package unless the setting
`sharedPredictor` names an address.
"""
