# A realm of MIT Kerberos in the guest; mounts of our server with krb5, krb5i and krb5p.
. /host/lib.sh
as_user() { setpriv --reuid=1000 --regid=1000 --clear-groups "$@"; }

hostname guest
mkdir -p /etc/krb5kdc /var/lib/krb5kdc
cat >/etc/krb5.conf <<CONFIGURATION
[libdefaults]
 default_realm = TEST
 dns_canonicalize_hostname = false
 rdns = false
[realms]
 TEST = {
  kdc = 127.0.0.1
 }
CONFIGURATION
cat >/etc/krb5kdc/kdc.conf <<CONFIGURATION
[realms]
 TEST = {
  database_name = /var/lib/krb5kdc/principal
  key_stash_file = /etc/krb5kdc/stash
 }
CONFIGURATION
{
  kdb5_util create -s -P master -r TEST
  kadmin.local addprinc -pw secret root
  kadmin.local addprinc -pw secret user
  kadmin.local addprinc -randkey nfs/host
  kadmin.local ktadd -k /host/keytab nfs/host
  chmod 644 /host/keytab
  krb5kdc
  echo secret | kinit root
  echo secret | as_user kinit
} >/host/realm.log 2>&1 || fail "the realm was not made: $(tail -n 3 /host/realm.log)"
siw_up
mount -t rpc_pipefs rpc_pipefs /var/lib/nfs/rpc_pipefs
rpc.gssd -n -f -p /var/lib/nfs/rpc_pipefs >/host/gssd.log 2>&1 &
ask serve

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
  mkdir $mounted/folder
  for i in 1 2 3 4 5 6 7 8 9; do echo $i >$mounted/folder/$i; done
  drop_caches
  same "$sec: a folder" 123456789 "$(cat $mounted/folder/* | tr -d '\n')"
  chmod 700 $mounted/folder
  check "$sec: another user may look at what is everybody's" as_user cmp /tmp/ref $mounted/file
  # A server that is not root itself leaves it to the host who may do what.
  if [ "$(stat -c %u $mounted/folder)" = 0 ] && as_user ls $mounted/folder >/dev/null 2>&1; then
    fail "$sec: another user sees what is root's"
  fi
  rm -r $mounted/folder $mounted/file
  detach
done
check "nobody without a ticket" sh -c "kdestroy; ! mount -t nfs -o \
  proto=rdma,vers=3,nolock,soft,timeo=50,retrans=1,retry=0,port=$PORT,mountproto=tcp,mountport=$MOUNT_PORT,sec=krb5p \
  host:/export $mounted 2>/dev/null"
kill %1 2>/dev/null
verdict
