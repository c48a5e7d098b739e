"""The words of a file, found in a second and simpler way than its reader's, to compare the two."""
