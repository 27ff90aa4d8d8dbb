"""Parts of a page that several reports have."""
