# Sourced at the start of every scenario. A scenario prints "PASS what" and "FAIL what", and ends with `verdict`.
. /host/address
. /host/cell
failures=0
mounted=/mnt/n
shared=/host/export
: "${VERSION:=3}" "${PROTO:=rdma}" "${EXPORT:=/export}" "${LOCKS:=nolock}"
# A script may be about another server than that of the cell.
PORT=${OTHER_PORT:-$PORT} MOUNT_PORT=${OTHER_TCP_PORT:-$MOUNT_PORT} TCP_PORT=${OTHER_TCP_PORT:-$TCP_PORT}
[ $PROTO = rdma ] || PORT=$TCP_PORT

pass() { echo "PASS $*"; }
fail() { echo "FAIL $*"; failures=$((failures + 1)); }
check() { # check WHAT COMMAND...
  what=$1
  shift
  if "$@"; then pass "$what"; else fail "$what ($* ended with $?)"; fi
}
same() { # same WHAT EXPECTED FOUND
  if [ "$2" = "$3" ]; then pass "$1"; else fail "$1: expected '$2', found '$3'"; fi
}
verdict() { [ "$failures" -eq 0 ]; exit $?; }

# Sends a request to the host, and waits until the host has carried it out.
ask() { echo "?$*"; read -r _answer; }

uptime_ms() { awk '{ printf "%d\n", $1 * 1000 }' /proc/uptime; }
drop_caches() { sync; echo 3 >/proc/sys/vm/drop_caches; }
random() { # random BYTES FILE
  head -c "$1" /dev/urandom >"$2"
}
words() { tr '\n' ' ' <"$1" | sed 's/ $//'; } # words FILE: its lines in one
sum() { sha256sum <"$1" | cut -d' ' -f1; }

siw_up() {
  [ -d /sys/class/infiniband/siw0 ] && return
  modprobe siw && rdma link add siw0 type siw netdev eth0 && modprobe rpcrdma || return 1
  for switch in $SIW; do
    echo "${switch#*=}" >"/sys/module/siw/parameters/${switch%=*}" || return 1
  done
}

attach() { # attach [OPTIONS]: mounts EXPORT of the host's server with the version of NFS in VERSION, over the transport in PROTO
  mkdir -p $mounted
  options=proto=$PROTO,vers=$VERSION,hard,port=$PORT
  internal=
  # Versions 3 and 2 have other programs for mounts and for locks, which are not on RDMA.
  case $VERSION in
    3) options=$options,$LOCKS,mountproto=tcp,mountport=$MOUNT_PORT ;;
    2)
      # The distribution's mount.nfs does not know this version, but the kernel does.
      internal=-i
      options=$options,nolock,addr=$SERVER,mountaddr=$SERVER,mountvers=1,mountproto=tcp,mountport=$MOUNT_PORT
      ;;
  esac
  # shellcheck disable=SC2086
  mount $internal -t nfs -o "$options${1:+,$1}" "$SERVER:$EXPORT" $mounted && return
  fail "mount $options${1:+,$1}"
  verdict
}

# The counters of the mount's transports, as NAME=VALUE words; a mount over several connections has several lines.
# A failed marshal means that the kernel ran out of memory regions: it tries again.
transport() {
  awk -v at="$mounted" '
    $1 == "device" { here = ($5 == at) }
    here && $1 == "xprt:" {
      connects += $5; sends += $8; receives += $9; strangers += $10
      reads += $13; writes += $14; replies += $15
      pulled += $18; fixed += $19; marshal += $21; bad += $22; long += $23
    }
    here && operations && NF >= 9 && $1 ~ /:$/ { again += $3 - $2; timeouts += $4 }
    here && $1 == "per-op" { operations = 1 }
    END {
      printf "connects=%d sends=%d receives=%d read_chunks=%d write_chunks=%d reply_chunks=%d long_calls=%d ", \
        connects, sends, receives, reads, writes, replies, long
      printf "fixup_bytes=%d unknown_xids=%d failed_marshals=%d bad_replies=%d retransmissions=%d timeouts=%d\n", \
        fixed, strangers, marshal, bad, again, timeouts
    }' /proc/self/mountstats
}
# The names of the mount's transports, each once. Linux joins mounts of one server, so the options alone prove nothing.
transports() {
  awk -v at="$mounted" '
    $1 == "device" { here = ($5 == at) }
    here && $1 == "xprt:" { print $2 }' /proc/self/mountstats | sort -u
}
operations() { # operations MOUNT NAME: how many the mount has sent
  awk -v at="$1" -v name="$2:" '
    $1 == "device" { here = ($5 == at) }
    here && $1 == name { print $2 }' /proc/self/mountstats
}
counter() { transport | tr ' ' '\n' | sed -n "s/^$1=//p"; }
used() { # used KIND: succeeds if this mount has used chunks of that kind
  [ "$(counter "$1")" -gt 0 ]
}

# siw takes a right CRC for a wrong one if TCP cuts it in two, and reconnects; the capture is checked for every CRC of ours.
mistook_crc() { dmesg | grep -q 'siw: crc error'; }

detach() { # detach [reconnected]: checks the transport and its counters, and unmounts
  echo "NOTE $(transport)"
  same "the transport" "$PROTO" "$(transports)"
  same "no reply was bad" 0 "$(counter bad_replies)"
  same "no reply had an unknown XID" 0 "$(counter unknown_xids)"
  if [ "$1" != reconnected ] && ! mistook_crc; then
    same "nothing was retransmitted" 0 "$(counter retransmissions)"
    same "nothing timed out" 0 "$(counter timeouts)"
  fi
  check unmount umount $mounted
}

siw_up || { fail "siw does not start"; verdict; }
