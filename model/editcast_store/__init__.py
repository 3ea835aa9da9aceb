"""The data that Editcast keeps on the user's disk: saves, installed models, locks."""
