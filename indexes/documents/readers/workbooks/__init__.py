"""Readers of Excel's workbooks: `.xlsx`, `.xls` and `.xlsb`."""
