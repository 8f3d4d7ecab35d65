"""`python -m sleepd` is the command `sleepd`."""

from sleepd.cli import main

if __name__ == "__main__":
    main()
