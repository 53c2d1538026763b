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
read -r -d "" -a folders <<<"${FOLDERS:-}" || true # spaces or lines
comment="$RUNNER_TEMP/retryc-diff.md"
args=(--against "$base" --output text --output "markdown:$comment")
[ -z "${FAIL_ON_RISE:-}" ] || args+=(--fail-on-rise "$FAIL_ON_RISE")
code=0
retryc diff "${args[@]}" "${folders[@]}" || code=$?
# What cannot be compared must not leave an older comment standing as if it were current.
if [ "$code" -ge 2 ] && [ ! -s "$comment" ]; then
  printf '%s\n### Retry policies\n\nThe policies of this pull request cannot be compared; the run tells why.\n' '<!-- retryc diff -->' >"$comment"
fi
{
  echo "code=$code"
  if [ -s "$comment" ]; then echo "comment=$comment"; fi
} >>"$GITHUB_OUTPUT"
if [ -s "$comment" ]; then cat "$comment" >>"$GITHUB_STEP_SUMMARY"; fi
