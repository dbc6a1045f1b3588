"""The debate: pure rules, typed contracts and the one loop that plays a debate."""
