"""Who is let in: sessions of browsers, links that make one."""
