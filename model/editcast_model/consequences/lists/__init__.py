"""Lists that belong together: what one of them gets or loses, the others do."""
