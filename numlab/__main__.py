"""`python -m numlab`."""

from numlab.cli import main

main()
