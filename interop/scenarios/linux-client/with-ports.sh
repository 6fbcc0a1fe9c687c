# with-ports.sh PORT TCP_PORT VERSION[/PROTO] SCRIPT [ARGUMENT...]: runs a script with a server at these ports.
export OTHER_PORT=$1 OTHER_TCP_PORT=$2
shift 2
exec sh /host/with.sh "$@"
