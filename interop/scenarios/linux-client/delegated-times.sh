# delegated-times.sh PORT: files whose times a program sets while they are delegated have these times after the next mount,
# and on the host at once. Linux keeps such a time with its delegation if the server lets it.
. /host/lib.sh
PORT=$1
directory=times-$VERSION-$PROTO
from=/tmp/times
mkdir -p $from
echo text >$from/copied
touch -d '2001-02-03 04:05:06' $from/copied
expected=$(stat -c %Y $from/copied)
attach
mkdir "$mounted/$directory"
cp -a $from/copied "$mounted/$directory/copied"
cp -p $from/copied "$mounted/$directory/preserved"
echo text >"$mounted/$directory/touched"
touch -d '2001-02-03 04:05:06' "$mounted/$directory/touched"
# A delegation is there while a program sets the time.
exec 3<>"$mounted/$directory/open"
echo text >&3
touch -d '2001-02-03 04:05:06' "$mounted/$directory/open"
exec 3>&-
returned=$(operations $mounted DELEGRETURN)
for file in copied preserved touched open; do
  ask time "$directory/$file" "$expected"
done
echo "NOTE $returned delegations came back before"
detach
drop_caches
attach
for file in copied preserved touched open; do
  same "the time of $file after the next mount" "$expected" "$(stat -c %Y "$mounted/$directory/$file")"
done
rm -r "$mounted/$directory"
detach
rm -r $from
verdict
