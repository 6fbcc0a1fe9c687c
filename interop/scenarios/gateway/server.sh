# Prepares knfsd to be a server behind gateways, after start.sh and kerberos.sh: it has no client that could reclaim
# anything, and its client has keys of its own. Linux needs those for the sessions of mounts with Kerberos.
. /host/lib.sh
echo Y >/proc/fs/nfsd/v4_end_grace
{
  kadmin.local addprinc -randkey host/client &&
    kadmin.local ktadd -k /host/client.keytab host/client
} >>/host/realm.log 2>&1 || fail "the client has no keys: $(tail -n 3 /host/realm.log)"
chmod 644 /host/client.keytab
check "knfsd has a port for TCP" grep -q '^tcp 2049' /proc/fs/nfsd/portlist
check "and one for RDMA" grep -q '^rdma 20049' /proc/fs/nfsd/portlist
verdict
