#!/usr/bin/env bash
# Fails the run with the highest exit status of check and diff.
set -euo pipefail
code=${CHECK:-0}
if [ "${DIFF:-0}" -gt "$code" ]; then code=$DIFF; fi
echo "code=$code" >>"$GITHUB_OUTPUT"
exit "$code"
