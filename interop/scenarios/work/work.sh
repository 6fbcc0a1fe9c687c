# work.sh SECONDS PROJECT GUEST: programs of the host work on two mounts of one server, which is killed three times. PROJECT is
# a repository of the host, GUEST the directory with the sources of the guest's own modules.
. /host/lib.sh
seconds=$1 project=$2 guest=$3
tools=/tools
version=$(uname -r)
rm -f /tmp/stop /tmp/wrong /tmp/done-*

mkdir -p $tools
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144,cache=loose,ro tools $tools || { fail "no programs of the host"; verdict; }
for directory in proc dev; do mount --bind /$directory $tools/$directory; done
mount --bind /tmp $tools/srv
cp /host/work/bank.pl /tmp/
printf '[safe]\ndirectory = *\n' >/tmp/.gitconfig
host_program() { HOME=/srv TMPDIR=/srv chroot $tools "$@"; }

# The module is compiled in /mnt, so that its objects name the same files whether /mnt is in memory or a mount of ours.
module() { # module NAME: compiles it in a new directory, and prints the sums of its objects
  mkdir $tools/mnt/module && cp "$tools$guest/siw-$version"/*.[ch] "$tools$guest/siw-$version"/Makefile $tools/mnt/module/ &&
    rm -f $tools/mnt/module/*.mod.c || return
  host_program make -s -C "$guest/headers-$version/usr/src/linux-headers-$version" M=/mnt/module CONFIG_RDMA_SIW=m \
    CONFIG_DEBUG_INFO_BTF_MODULES= modules >"/tmp/make-$1" 2>&1 || { tail -n 3 "/tmp/make-$1" >&2; return 1; }
  (cd $tools/mnt/module && sha256sum ./*.o siw.ko) && rm -r $tools/mnt/module
}
repository() { # clones a repository, packs and checks it
  host_program git clone -q --no-local "$project" /mnt/clone || return
  host_program git -C /mnt/clone gc -q &&
    host_program git -C /mnt/clone fsck --full --strict --no-progress --no-dangling &&
    [ "$(host_program git -C /mnt/clone rev-parse HEAD)" = "$(host_program git -C "$project" rev-parse HEAD)" ] &&
    [ -z "$(host_program git -C /mnt/clone status --porcelain)" ] &&
    rm -r $tools/mnt/clone
}
again() { # again NAME COMMAND...: runs a command until the end, and counts
  name=$1
  shift
  count=0
  while [ ! -e /tmp/stop ]; do
    "$@" >"/tmp/said-$name" 2>&1 || { echo "$name: $(tail -n 5 "/tmp/said-$name" | tr '\n' ' ')" >>/tmp/wrong; return; }
    count=$((count + 1))
    echo $count >"/tmp/done-$name"
  done
}
compiled() { module "$1" >/tmp/objects && cmp /tmp/objects /tmp/expected; }

mount -t tmpfs memory $tools/mnt
module first >/tmp/expected || { fail "the module does not compile in memory"; verdict; }
umount $tools/mnt
began=$(uptime_ms)

other=/mnt/other
attach nosharecache
first=$mounted
mounted=$other
attach nosharecache
mounted=$first
mount --bind $mounted $tools/mnt
mount --bind $other $tools/media
host_program perl /srv/bank.pl open /mnt/bank
again compile compiled module &
again repository repository &
for teller in 1 2; do
  again "teller-$teller" host_program perl /srv/bank.pl move /mnt/bank $teller &
  again "teller-$((teller + 2))" host_program perl /srv/bank.pl move /media/bank $((teller + 2)) &
done
for _ in 1 2 3; do
  sleep $((seconds / 4))
  ask restart-server
done
sleep $((seconds / 4))
: >/tmp/stop
wait

same "no program failed" "" "$(head -n 5 /tmp/wrong 2>/dev/null)"
for name in compile repository teller-1 teller-2 teller-3 teller-4; do
  check "$name came to an end" test -e "/tmp/done-$name"
  echo "NOTE $name: $(cat "/tmp/done-$name" 2>/dev/null) times"
done
echo "NOTE $((($(uptime_ms) - began) / 1000)) s"
drop_caches
check "no money is lost" host_program perl /srv/bank.pl count /media/bank
rm $mounted/bank
# "lost 1 locks" also means a process that had none yet; a lost lock shows in the accounts.
check "the client has reclaimed all" sh -c '! dmesg | grep -i reclaim'
umount $tools/mnt $tools/media
umount $other
detach reconnected
for directory in proc dev srv; do umount $tools/$directory; done
umount $tools
verdict
