# killed.sh PORT: the gateway at the port is killed and started again while four processes use the mount: once as it is,
# and once when the server has carried out their calls and the host holds its replies back. The mount is hard, so no
# process sees an error. In versions 4.1 and 4.2 the client repeats its calls in the slots of its session, and each is
# carried out once. In others the server may carry a call out twice, so the processes do only what may be done again.
. /host/lib.sh
PORT=$1
workers='1 2 3 4'
load=$mounted/load-$VERSION
expected=/tmp/expected
rm -rf $expected /tmp/wrong /tmp/stop /tmp/at-* /tmp/names-*
mkdir -p $expected
random 300001 /tmp/ref
head -c 5001 /tmp/ref >/tmp/short
attach
mkdir "$load"

must() { # must COMMAND...: notes a failure, with its words
  "$@" 2>/tmp/error-"$worker" || echo "$worker, round $round: $*: $(cat /tmp/error-"$worker")" >>/tmp/wrong
}
create() { (set -C; cat /tmp/short >"$1"); } # exclusively
append() { echo "$2" >>"$1"; }
links() { [ "$(stat -c %h "$2")" = "$1" ]; }
rename_twice() {
  must mv directory renamed
  must mv renamed directory
}

# A step that is carried out twice, or not at all, fails, or makes a later one fail, or shows in the end.
changes() {
  must create new
  must append new "$worker $round"
  must ln new second
  must mv new "kept-$round"
  must links 2 "kept-$round"
  must rm second
  must mkdir directory
  rename_twice
  while [ -e /tmp/names-only ]; do
    : >/tmp/names-"$worker"
    rename_twice
  done
  rm -f /tmp/names-"$worker"
  must rmdir directory
  must append all "$round"
}
expected_changes() {
  { cat /tmp/short; echo "$worker $round"; } >"kept-$round"
  echo "$round" >>all
}

whole_files() {
  must cp /tmp/ref whole
  must cmp /tmp/ref whole
  must dd if=/tmp/ref of=direct bs=100003 oflag=direct conv=notrunc status=none
  must sh -c 'dd if=direct bs=100003 iflag=direct status=none | cmp - /tmp/ref'
}
expected_whole_files() {
  cp /tmp/ref whole
  cp /tmp/ref direct
}

case $VERSION in
  4.1 | 4.2) kind=changes ;;
  *) kind=whole_files ;;
esac
work() {
  round=0
  mkdir "$load/$worker" && cd "$load/$worker" || exit
  while [ ! -e /tmp/stop ]; do
    round=$((round + 1))
    $kind
    echo $round >/tmp/at-$worker
  done
}
done_rounds() { for worker in $workers; do cat /tmp/at-$worker 2>/dev/null || echo 0; done; }
until_all_go_on() { # waits until each process has ended another round
  done_rounds >/tmp/before
  tries=0
  until done_rounds | paste -d' ' - /tmp/before | awk '$1 <= $2 { exit 1 }'; do
    tries=$((tries + 1))
    [ $tries -lt 900 ] || { fail "the processes do not go on $1: $(done_rounds | tr '\n' ' ')"; break; }
    sleep 0.1
  done
}
# Storage may take nearly all of a process's time, so a hold would meet only COMMITs: the processes do nothing but change
# names, until the file goes that tells them so.
change_names_only() {
  : >/tmp/names-only
  tries=0
  until [ -e /tmp/names-1 ] && [ -e /tmp/names-2 ] && [ -e /tmp/names-3 ] && [ -e /tmp/names-4 ]; do
    tries=$((tries + 1))
    [ $tries -lt 900 ] || { fail "the processes do not come to change names"; break; }
    sleep 0.1
  done
}
# Holds replies until all processes wait, in sessions with the reply to a change of a name among them.
hold_replies() {
  [ $kind != changes ] || change_names_only
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
    [ $kind = changes ] || { ask hold-replies; until_all_wait; return; }
    ask hold-rename
    until_all_wait
    ask list-held
    [ ! -s /host/answer ] || { echo "NOTE carried out, without a reply: $(words /host/answer)"; return; }
    ask release-replies
    sleep 0.3
  done
  fail "no change of a name was held"
}
until_all_wait() { # waits until the mount is silent
  sends=
  until [ "$(counter sends)" = "$sends" ]; do
    sends=$(counter sends)
    sleep 1
  done
}

for worker in $workers; do work & done
until_all_go_on "at first"
ask restart-gateway
until_all_go_on "after the first kill"
hold_replies
rm -f /tmp/names-only
ask restart-gateway
until_all_go_on "after the second kill"
: >/tmp/stop
wait

same "no process saw an error" "" "$(head -n 5 /tmp/wrong 2>/dev/null)"
for worker in $workers; do
  mkdir $expected/$worker && cd $expected/$worker || verdict
  last=$(cat /tmp/at-$worker)
  round=$([ $kind = changes ] || echo $((last - 1)))
  while [ "${round:=0}" -lt "$last" ]; do
    round=$((round + 1))
    expected_$kind
  done
done
cd /
echo "NOTE $(done_rounds | awk '{ sum += $1 } END { print sum }') rounds of $kind"
drop_caches
check "each change was made once, and all bytes are right" diff -r $expected "$load"
if [ -n "${KNFSD:-}" ]; then
  ask sums
  (cd $expected && find . -type f | LC_ALL=C sort | while read -r name; do
    echo "$(sum "$name") ./load-$VERSION/${name#./}"
  done) >/tmp/sums
  check "the server has the same files" cmp /tmp/sums /host/sums
else
  check "the server has the same files" diff -r $expected "$shared/load-$VERSION"
fi
check "it connected anew after each kill" test "$(counter connects)" -ge 3
check "calls were sent again" test "$(counter retransmissions)" -gt 0
rm -r "$load" $expected
detach reconnected
verdict
