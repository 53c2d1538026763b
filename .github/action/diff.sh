#!/usr/bin/env bash
# Compares the policies with those of the pull request's base, for the summary of the
# run and for the comment.
set -euo pipefail
base=$(jq -r .pull_request.base.sha "$GITHUB_EVENT_PATH")
# A shallow checkout may know neither the base nor where the branch left it.
if ! git merge-base "$base" HEAD >/dev/null 2>&1; then
  unshallow=()
  if [ "$(git rev-parse --is-shallow-repository)" = true ]; then unshallow=(--unshallow); fi
  git fetch --quiet --no-tags --filter=blob:none "${unshallow[@]}" origin "$base" ||
    git fetch --quiet --no-tags "${unshallow[@]}" origin
fi
read -ra folders <<<"${FOLDERS:-}"
comment="$RUNNER_TEMP/retryc-diff.md"
args=(--against "$base" --output text --output "markdown:$comment")
[ -z "${FAIL_ON_RISE:-}" ] || args+=(--fail-on-rise "$FAIL_ON_RISE")
code=0
retryc diff "${args[@]}" "${folders[@]}" || code=$?
{
  echo "code=$code"
  if [ -s "$comment" ]; then echo "comment=$comment"; fi
} >>"$GITHUB_OUTPUT"
if [ -s "$comment" ]; then cat "$comment" >>"$GITHUB_STEP_SUMMARY"; fi
