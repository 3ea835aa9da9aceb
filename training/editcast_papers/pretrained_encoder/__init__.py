"""BERT-LSTM (Li 2020, topic 3): a pre-trained encoder, a decoder that copies, lines of code."""
