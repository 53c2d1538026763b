#!/usr/bin/env bash
# Finds retryc: the version asked for, else the tool that go.mod names, so that CI
# and developers run the same, else the version of this action.
set -euo pipefail
bin="$RUNNER_TEMP/retryc-bin"
mkdir -p "$bin"
module=github.com/retryc/retryc/cmd/retryc
if [ -z "${RETRYC_VERSION:-}" ] && [ -f go.mod ] && grep -q "$module" go.mod; then
  go build -o "$bin/retryc" "$module"
elif [ -z "${RETRYC_VERSION:-}" ] && [ -f "$GITHUB_ACTION_PATH/go.mod" ]; then
  (cd "$GITHUB_ACTION_PATH" && go build -o "$bin/retryc" ./cmd/retryc)
else
  GOBIN="$bin" go install "$module@${RETRYC_VERSION:-${ACTION_REF:-latest}}"
fi
echo "$bin" >>"$GITHUB_PATH"
"$bin/retryc" version
