#!/bin/sh
# usage: review.sh LINK
# Reviews a pull request or merge request, writes review.json, review.md and review.sarif, and with POST=yes posts the review.
# BUDGET is what it may cost in US dollars. Exit codes are those of `debate --check`: 0 passes, 1 does not, 2 and 3 could not be.
set -u
# The folder may hold a change that brings links of these names.
rm -f review.json review.md review.sarif
code=0
debate "$1" --recheck --check --budget "${BUDGET:-1.00}" --json > review.json || code=$?
case $code in
  0 | 1) ;;
  *) exit "$code" ;;
esac
id=$(python3 -I -c 'import json; print(json.load(open("review.json"))["id"])')
debate export "$id" md > review.md
debate export "$id" sarif > review.sarif
if [ "${POST:-no}" = yes ]; then
  # Nothing to approve: it stands there already, or such a verdict is never posted; the line says which.
  said=$(debate post "$id" 2>&1) || true
  hash=$(printf '%s\n' "$said" | sed -n 's/^Post exactly this: .* --approve \([0-9a-f]*\)$/\1/p')
  if [ -n "$hash" ]; then
    debate post "$id" --approve "$hash" || exit 3
  else
    printf '%s\n' "$said" | tail -n 1
  fi
fi
exit "$code"
