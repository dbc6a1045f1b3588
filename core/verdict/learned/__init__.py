"""What became of earlier verdicts: how well seats, thresholds and sizes of panels did."""
