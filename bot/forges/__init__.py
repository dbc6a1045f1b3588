"""Pull requests that places follow: what forges tell, the runs it leads to, what is written."""
