"""Where threads are kept, and how they are written."""
