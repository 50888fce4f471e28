# SPDX-License-Identifier: GPL-2.0
# For sphinx-build, see development.rst.

project = "Dynamic kernel tracing for Linux 6.1"
extensions = []
html_show_copyright = False
