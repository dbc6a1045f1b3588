"""GitLab, of gitlab.com and own installations: read, written to, heard."""
