# A realm for knfsd, and tickets of root for the host.
. /host/lib.sh
. /host/realm.sh
make_realm "nfs/$KNFSD" /etc/krb5.keytab
cp /tmp/krb5cc_0 /host/tickets
chmod 644 /host/tickets
modprobe rpcsec_gss_krb5
rpc.svcgssd -n -f >/host/svcgssd.log 2>&1 &
sleep 1
check "svcgssd runs" pidof rpc.svcgssd
verdict
