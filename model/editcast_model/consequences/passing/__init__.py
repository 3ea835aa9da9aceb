"""Arguments that follow from parameters: their order, and values that functions pass on."""
