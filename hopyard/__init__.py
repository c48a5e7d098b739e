"""Hopyard answers questions from your documents and retrieves only as much as each needs.

This folder is the installed package. Each link in it leads to a folder of the same name at the
root of the checkout, so that editors, type checkers and coverage see the package as it is
installed.
"""
