# Makes this guest a client of the realm of the other guest, whose ports are those of the host.
. /host/lib.sh
hostname client
echo "$ADDRESS client" >>/etc/hosts
cat >/etc/krb5.conf <<CONFIGURATION
[libdefaults]
 default_realm = TEST
 dns_canonicalize_hostname = false
 rdns = false
 udp_preference_limit = 1
[realms]
 TEST = {
  kdc = host:$KDC_PORT
 }
CONFIGURATION
mkdir -p /var/tmp
chmod 1777 /var/tmp
cp /host/client.keytab /etc/krb5.keytab
check "a ticket" sh -c 'echo secret | kinit root >/dev/null'
modprobe rpcsec_gss_krb5
mount -t rpc_pipefs rpc_pipefs /var/lib/nfs/rpc_pipefs
rpc.gssd -n -f -p /var/lib/nfs/rpc_pipefs >/host/gssd.log 2>&1 &
verdict
