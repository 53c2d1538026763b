#!/usr/bin/env bash
# Annotates the pull request, and writes SARIF. The verdict is a step of its own, so
# that the diff is shown whatever check finds.
set -euo pipefail
read -r -d "" -a folders <<<"${FOLDERS:-}" || true # spaces or lines
args=(--output github --fail-on "${FAIL_ON:-error}")
[ -z "${SARIF:-}" ] || args+=(--output "sarif:$SARIF")
[ -z "${BASELINE:-}" ] || args+=(--baseline "$BASELINE")
code=0
retryc check "${args[@]}" "${folders[@]}" || code=$?
echo "code=$code" >>"$GITHUB_OUTPUT"
