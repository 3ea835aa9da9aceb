"""Li et al. (2018, 2019): heads of attention that disagree, and routing that joins them."""
