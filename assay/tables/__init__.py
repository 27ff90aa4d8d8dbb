"""The tidy tables: their schemas, their words, how they are read and written."""
