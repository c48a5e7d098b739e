"""Search methods: given a text, which evidence."""
