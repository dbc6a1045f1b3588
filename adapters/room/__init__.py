"""The room: debates in a browser, made of the same commands and permissions as every chat."""
