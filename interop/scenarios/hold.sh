# Sourced by scenarios with locks, after lib.sh.
hold() { # hold COMMAND...: runs a command that takes a lock, which holds it until release
  rm -f /tmp/held /tmp/release /tmp/go
  mkfifo /tmp/go
  # It starts no process while it waits: each one that ends with the file open unlocks it for itself, which Linux counts
  # as a lost lock if the server has just restarted.
  "$@" /bin/sh -c 'echo >/tmp/held; read -r _ </tmp/go' &
  holder=$!
  while [ ! -e /tmp/held ]; do
    kill -0 $holder 2>/dev/null || { fail "$* did not get the lock"; return; }
    sleep 0.1
  done
}
release() {
  : >/tmp/release
  echo >/tmp/go
  wait $holder
}
refused() { ! "$@" 2>/dev/null; }
