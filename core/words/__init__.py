"""A debate in words and values, made once: views, the outcome document, the report, the receipt."""
