"""A stored database of each release, as its rows; ``keep FILE VERSION`` stores one."""
