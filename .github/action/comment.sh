#!/usr/bin/env bash
# Keeps one comment of the pull request up to date. Whoever may not write comments,
# such as a fork, gets a notice and no failure: the summary holds the same.
set -euo pipefail
[ -n "${COMMENT:-}" ] && [ -s "$COMMENT" ] || exit 0
marker='<!-- retryc diff -->'
number=$(jq -r .pull_request.number "$GITHUB_EVENT_PATH")
comments="$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues/$number/comments"
answer=$(mktemp)
payload=$(mktemp)
trap 'rm -f "$answer" "$payload"' EXIT

# api METHOD URL [BODY-FILE]: prints the status, leaves the answer in $answer.
api() {
  local body=()
  [ -z "${3:-}" ] || body=(--data-binary "@$3")
  curl --silent --show-error --max-time 30 --retry 2 --output "$answer" --write-out '%{http_code}' \
    --request "$1" --header "Authorization: Bearer $GITHUB_TOKEN" --header 'Accept: application/vnd.github+json' \
    "${body[@]}" "$2" || true
}

id=
page=1
while :; do
  status=$(api GET "$comments?per_page=100&page=$page")
  if [ "$status" != 200 ]; then
    echo "::notice title=retryc::the comments could not be read (status $status); the summary of this run holds the diff"
    exit 0
  fi
  id=$(jq -r --arg marker "$marker" 'map(select(.body | startswith($marker))) | first | .id // empty' "$answer")
  if [ -n "$id" ] || [ "$(jq length "$answer")" != 100 ]; then break; fi
  page=$((page + 1))
done
jq -n --rawfile body "$COMMENT" '{body: $body}' >"$payload"
status=
if [ -n "$id" ]; then
  status=$(api PATCH "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues/comments/$id" "$payload")
elif grep -qx 'This pull request makes no policy changes\.' "$COMMENT"; then
  exit 0 # nothing to say, and nothing said before
fi
# Somebody else's comment that begins like ours cannot be edited: write one of our own.
if [ -z "$status" ] || [ "$status" = 403 ] || [ "$status" = 404 ]; then
  status=$(api POST "$comments" "$payload")
fi
case "$status" in
  200 | 201) ;;
  *) echo "::notice title=retryc::the comment could not be written (status $status); the summary of this run holds it" ;;
esac
