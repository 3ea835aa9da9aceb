"""Nie's slides on Transformers (CS846): vocabularies, positions and networks, compared on edits."""
