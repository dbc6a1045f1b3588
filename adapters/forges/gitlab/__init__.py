"""GitLab, on gitlab.com and own installations: reading, writing and webhooks."""
