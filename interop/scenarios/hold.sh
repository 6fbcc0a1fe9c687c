# Sourced by scenarios with locks, after lib.sh.
hold() { # hold COMMAND...: runs a command that takes a lock, which holds it until release
  rm -f /tmp/held /tmp/release
  "$@" /bin/sh -c 'echo >/tmp/held; while [ ! -e /tmp/release ]; do sleep 0.1; done' &
  holder=$!
  while [ ! -e /tmp/held ]; do
    kill -0 $holder 2>/dev/null || { fail "$* did not get the lock"; return; }
    sleep 0.1
  done
}
release() { : >/tmp/release; wait $holder; }
refused() { ! "$@" 2>/dev/null; }
