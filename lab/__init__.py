"""Train and measure the adapter of the built-in model, with the `training` extra."""
