# delegated.sh make DIRECTORY: makes files. knfsd grants no delegation of a file that a client has just written.
# delegated.sh list: prints the delegations of all clients.
# delegated.sh append|read FILE: opens a file in this guest, which conflicts with a delegation of it.
# delegated.sh append-by-client FILE: as another client, which is refused until the delegation is back.
# delegated.sh append-by-guest FILE PORT: as a client in another guest than the server.
. /host/lib.sh
opened() { # opened COMMAND: carries out what opens the file, in time
  began=$(uptime_ms)
  "$@" || fail "$* ended with $?"
  took=$(($(uptime_ms) - began))
  check "$kind: the other is served within 20 seconds" test $took -lt 20000
  echo "NOTE $kind took $took ms"
}
append() { echo appended >>"$1"; }

kind=$1
case $1 in
  make)
    mkdir -m 777 "/export/$2"
    for each in append append-by-client read; do
      for number in 1 2 3 4 5 6; do
        echo made >"/export/$2/$each-$number"
        chmod 666 "/export/$2/$each-$number"
      done
    done
    ;;
  list) cat /proc/fs/nfsd/clients/*/states | grep 'type: deleg' ;;
  append) opened append "/export/$2" ;;
  append-by-client)
    mkdir -p $mounted
    check "a mount of its own" mount -t nfs -o vers=4.2,proto=tcp,hard 127.0.0.1:/export $mounted
    opened append "$mounted/$2"
    check unmount umount $mounted
    ;;
  append-by-guest)
    PORT=$3
    attach
    opened append "$mounted/$2"
    detach
    ;;
  read)
    opened cp "/export/$2" /tmp/read
    same "the conflicting reader gets what the client wrote" "made written" "$(words /tmp/read)"
    ;;
esac
verdict
