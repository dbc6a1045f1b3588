"""The catalogues, one `.po` file for each language but English."""
