# delegations.sh [PORT KIND,... [cut]]: the server grants delegations, and recalls them as others open the files: a program
# of its machine, and clients. The server is knfsd in the other guest, or ours on the host. With cut, the connection ends
# before one more delegation is recalled.
. /host/lib.sh
PORT=${1:-$PORT}
kinds=$(echo "${2:-append,append-by-client}" | tr , " ")
directory=delegated-$VERSION-$PROTO
ask make "$directory"
attach

granted() { # granted ACCESS FILE: whether the server has granted a delegation
  ask list
  grep -q "type: deleg, access: $1,.*$2\"" /host/answer
}
obtain() { # obtain ACCESS KIND: opens files of a kind as descriptor 3, until the server grants a delegation
  for number in 1 2 3 4 5 6; do
    file=$directory/$2-$number
    if [ "$1" = r ]; then exec 3<"$mounted/$file"; else exec 3<>"$mounted/$file"; fi
    granted "$1" "$file" && return
    exec 3<&-
    sleep 2
  done
  return 1
}
refused() { ! "$@"; }
opens() { # how many opens the server has seen; those of a file whose handle is known have a name of their own
  echo $(($(operations $mounted OPEN) + $(operations $mounted OPEN_NOATTR)))
}

for kind in $kinds; do
  obtain r $kind || { fail "$kind: no read delegation"; continue; }
  echo "NOTE $kind: a read delegation of file $number"
  opened=$(opens)
  returned=$(operations $mounted DELEGRETURN)
  same "$kind: the file" made "$(cat "$mounted/$file")"
  exec 4<"$mounted/$file"
  same "$kind: the client opens it without the server" "$opened" "$(opens)"
  ask $kind "$file"
  check "$kind: the delegation is gone" refused granted r "$file"
  same "$kind: the client returned it" $((returned + 1)) "$(operations $mounted DELEGRETURN)"
  # A file that another took the place of is gone from our server.
  [ "$kind" = replace-by-client ] || same "$kind: what was opened under it can be read" made "$(head -n 1 <&4)"
  exec 3<&- 4<&-
  opened=$(opens)
  same "$kind: the file after it" "made appended" "$(words "$mounted/$file")"
  check "$kind: the client opens it at the server again" test "$(opens)" -gt "$opened"
done

if [ "$VERSION" = 4.0 ]; then
  echo "NOTE version 4.0 has no write delegations"
elif obtain w read; then
  echo "NOTE read: a write delegation of file $number"
  returned=$(operations $mounted DELEGRETURN)
  echo written >>"$mounted/$file"
  ask read "$file"
  check "read: the delegation is gone" refused granted w "$file"
  same "read: the client returned it" $((returned + 1)) "$(operations $mounted DELEGRETURN)"
  exec 3<&-
else
  fail "read: no write delegation"
fi
if [ "$3" = cut ]; then
  kind=${kinds%% *}
  if obtain r "$kind"; then
    echo "NOTE cut: a read delegation of file $number"
    # Others may have appended to it before, half a minute ago at least.
    before=$(words "$mounted/$file")
    returned=$(operations $mounted DELEGRETURN)
    ask cut
    check "cut: the client goes on" touch "$mounted/$directory/touched"
    ask "$kind" "$file"
    check "cut: the delegation is gone" refused granted r "$file"
    same "cut: the client returned it" $((returned + 1)) "$(operations $mounted DELEGRETURN)"
    exec 3<&-
    same "cut: the file after it" "$before appended" "$(words "$mounted/$file")"
  else
    fail "cut: no read delegation"
  fi
fi
rm -r "$mounted/$directory"
detach ${3:+reconnected}
verdict
