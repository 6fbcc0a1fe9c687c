# A realm of MIT Kerberos in the guest.
make_realm() { # make_realm SERVICE KEYTAB: root and user, whose password is secret, and a service with its keys
  hostname guest
  mkdir -p /etc/krb5kdc /var/lib/krb5kdc /var/tmp
  chmod 1777 /var/tmp
  cat >/etc/krb5.conf <<CONFIGURATION
[libdefaults]
 default_realm = TEST
 dns_canonicalize_hostname = false
 rdns = false
[realms]
 TEST = {
  kdc = 127.0.0.1:$KDC_PORT
 }
CONFIGURATION
  cat >/etc/krb5kdc/kdc.conf <<CONFIGURATION
[kdcdefaults]
 kdc_ports = $KDC_PORT
 kdc_tcp_ports = $KDC_PORT
[realms]
 TEST = {
  database_name = /var/lib/krb5kdc/principal
  key_stash_file = /etc/krb5kdc/stash
 }
CONFIGURATION
  {
    kdb5_util create -s -P master -r TEST &&
      kadmin.local addprinc -pw secret root &&
      kadmin.local addprinc -pw secret user &&
      kadmin.local addprinc -randkey "$1" &&
      kadmin.local ktadd -k "$2" "$1" &&
      krb5kdc &&
      echo secret | kinit root
  } >/host/realm.log 2>&1 || fail "the realm was not made: $(tail -n 3 /host/realm.log)"
}
