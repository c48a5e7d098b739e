"""From files to texts: one module for formats that are alike. `table` lists them all."""
