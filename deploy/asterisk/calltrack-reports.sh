#!/bin/sh
# Sends the reports of ended calls to Calltrack. A report stays in the spool folder until Calltrack accepts it; cron runs this script again.
settings=$(dirname "$0")/calltrack.conf

setting() {
  sed -n "s/^$1 *=>* *//p" "$settings"
}

url=$(setting CALLTRACK_URL)
key=$(setting CALLTRACK_KEY)
cd "$(setting SPOOL)" || exit
# Only one process sends at a time.
exec 9>lock
flock -n 9 || exit 0
for report in *.status *.recording; do
  [ -e "$report" ] || continue
  # Passes the key on stdin, because every user can see command lines.
  status=$(printf 'header = "Authorization: Bearer %s"\n' "$key" |
    curl --config - --silent --max-time 10 --output response --write-out '%{http_code}' --data "@$report" "$url/${report##*.}")
  case $status in
    2??) rm "$report" ;;
    408 | 429) exit 1 ;;
    4??)
      mkdir -p rejected && mv "$report" rejected/
      logger -t calltrack "Calltrack rejected $report ($status): $(head -c 500 response)"
      ;;
    *) exit 1 ;;
  esac
done
