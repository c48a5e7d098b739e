"""The files that index kinds keep: arrays on the disk."""
