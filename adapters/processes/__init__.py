"""Programs that are started beside this one."""
