"""Messages that are put together from texts and values, in the forms that languages have."""
