"""Li et al. (2018): code completion with neural attention and pointer networks, made again."""
