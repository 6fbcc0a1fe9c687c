# A server reads its config file again and again while processes use its export /stays. /comes is there after every
# other reload. The argument says how many reloads. Every tenth one finds a mistake in the file.
. /host/lib.sh
EXPORT=/stays
visited=/mnt/comes
shared=/host/reloads/stays
mkdir -p $visited
rm -f /tmp/stop /tmp/wrong /tmp/rounds.*
random 300000 /tmp/ref
attach
mkdir $mounted/load

# Repeats a step in the background until all is done, and notes each failure: worker NAME COMMAND...
worker() {
  (name=$1
    shift
    rounds=0
    while [ ! -e /tmp/stop ]; do
      "$@" >/tmp/said.$name 2>&1 || echo "$* ended with $?: $(words /tmp/said.$name)" >>/tmp/wrong
      rounds=$((rounds + 1))
      echo $rounds >/tmp/rounds.$name
    done) &
}
writing() { # writing FILE: a new file, by write and fsync, and another one by direct I/O
  dd if=/tmp/ref of="$1" bs=64k conv=fsync status=none && cmp /tmp/ref "$1" && rm "$1" &&
    dd if=/tmp/ref of="$1" bs=64k oflag=direct conv=fsync status=none && rm "$1"
}
reading() { # reading FILE: past the cache of pages
  dd if="$1" of=/tmp/read bs=64k iflag=direct status=none && cmp /tmp/ref /tmp/read
}
naming() { # naming DIRECTORY: makes, renames, links, lists and removes
  mkdir "$1" && echo name >"$1/a" && mv "$1/a" "$1/b" && ln "$1/b" "$1/c" && chmod 600 "$1/c" &&
    [ "$(ls "$1" | tr '\n' ' ')" = "b c " ] && rm "$1/b" "$1/c" && rmdir "$1"
}
visit() { # mounts the export that has come, and uses it
  mount -t nfs -o "$options" "$SERVER:/comes" $visited && echo here >$visited/seen && [ "$(cat $visited/seen)" = here ]
}

cp /tmp/ref $mounted/load/read && sync
exec 9>$mounted/open
check "a lock" flock -n 9
worker writer writing $mounted/load/written
worker reader reading $mounted/load/read
worker names naming $mounted/load/names
for name in writer reader names; do
  until [ -s /tmp/rounds.$name ]; do sleep 0.1; done
done
for name in writer reader names; do eval "before_$name=\$(cat /tmp/rounds.\$name)"; done

lines=0
i=1
while [ $i -le "$1" ]; do
  ask reload $i
  echo "line $i" >&9 || fail "a write to an open file, after reload $i"
  lines=$((lines + 1))
  case $((i % 10)) in
    5) check "the new export is there after reload $i" visit ;;
    6)
      if ls $visited >/dev/null 2>/tmp/gone; then fail "the old export is still there after reload $i"; fi
      same "the old export is stale" 1 "$(grep -c 'Stale file handle' /tmp/gone)"
      check "it is unmounted" umount $visited
      ;;
    7) check "it is back after reload $i" visit && umount $visited ;;
  esac
  i=$((i + 1))
done

for name in writer reader names; do
  after=$(cat /tmp/rounds.$name)
  eval "before=\$before_$name"
  # shellcheck disable=SC2154
  check "$name worked meanwhile" test "$after" -gt "$before"
  echo "NOTE $name: $((after - before)) rounds meanwhile"
done
touch /tmp/stop
wait
same "no process saw an error" "" "$(head -c 1000 /tmp/wrong 2>/dev/null)"
check "the open file takes a lock again" flock -n 9
exec 9>&-
same "and has what was written to it" "$lines" "$(wc -l <$shared/open)"
same "the connection has stayed" 1 "$(counter connects)"
rm -r $mounted/load $mounted/open
detach
rm -f /tmp/ref /tmp/read /tmp/stop /tmp/said.* /tmp/rounds.*
verdict
