"""Who may do what: the rule with its table, the operator's policy, and the audience of a copy."""
