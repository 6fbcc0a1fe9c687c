# Mounts of our server with krb5, krb5i and krb5p. The realm and the server stay for another version.
. /host/lib.sh
. /host/realm.sh
as_user() { setpriv --reuid=1000 --regid=1000 --clear-groups "$@"; }

if [ ! -e /host/keytab ]; then
  echo "$ADDRESS guest" >>/etc/hosts
  make_realm nfs/host /host/keytab
  chmod 644 /host/keytab
  # The sessions of version 4 are those of the machine, which has a key of its own.
  kadmin.local addprinc -randkey host/guest >>/host/realm.log 2>&1
  kadmin.local ktadd -k /etc/krb5.keytab host/guest >>/host/realm.log 2>&1
  mount -t rpc_pipefs rpc_pipefs /var/lib/nfs/rpc_pipefs
  # One for all versions: two that read the same pipes take each other's requests, and mounts are denied.
  rpc.gssd -n -f -p /var/lib/nfs/rpc_pipefs >>/host/gssd.log 2>&1 &
  ask serve
fi
echo secret | kinit root >/dev/null
echo secret | as_user kinit >/dev/null
siw_up

SERVER=host
random 3000001 /tmp/ref
for sec in krb5 krb5i krb5p; do
  attach "sec=$sec,timeo=100"
  cp /tmp/ref $mounted/file || fail "$sec: write"
  sync
  drop_caches
  check "$sec: the data comes back" cmp /tmp/ref $mounted/file
  same "$sec: the server holds the same" "$(sum /tmp/ref)" "$(sum $shared/file)"
  chunks=$(counter write_chunks)
  case $sec in
    krb5) check "$sec: READ data is placed" test "$chunks" -gt 0 ;;
    *) same "$sec: nothing is placed" 0 "$chunks" ;;
  esac
  mkdir $mounted/directory
  for i in 1 2 3 4 5 6 7 8 9; do echo $i >$mounted/directory/$i; done
  drop_caches
  same "$sec: a directory" 123456789 "$(cat $mounted/directory/* | tr -d '\n')"
  chmod 700 $mounted/directory
  check "$sec: another user may look at what is everybody's" as_user cmp /tmp/ref $mounted/file
  # A server that is not root does not check this itself: all callers act as its own user.
  if [ "$(stat -c %u $mounted/directory)" = 0 ] && as_user ls $mounted/directory >/dev/null 2>&1; then
    fail "$sec: another user sees what is root's"
  fi
  rm -r $mounted/directory $mounted/file
  detach
done
[ "$VERSION" != 3 ] || check "nobody without a ticket" sh -c "kdestroy; ! mount -t nfs -o \
  proto=rdma,vers=3,nolock,soft,timeo=50,retrans=1,retry=0,port=$PORT,mountproto=tcp,mountport=$MOUNT_PORT,sec=krb5p \
  host:/export $mounted 2>/dev/null"
verdict
