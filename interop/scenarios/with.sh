# with.sh VERSION[/PROTO] SCRIPT [ARGUMENT...]: runs a script with another version of NFS, and over another transport.
VERSION=${1%/*}
case $1 in
  */*) PROTO=${1#*/} ;;
  *) PROTO=rdma ;;
esac
export VERSION PROTO
script=$2
shift 2
exec sh "/host/$script" "$@"
