"""Whether passages state what an answer says, by words, names, numbers and dates."""
