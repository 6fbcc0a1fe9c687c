/**
 * Types and codecs of NFS versions 2 and 3 and MOUNT, the bindings of NFS and of the programs
 * beside it to RPC-over-RDMA (RFC 8267), walks over the operations of NFS version 4, these
 * operations as records, and the names of all these programs.
 */
module io.github.rpcrdma4j.nfs {
    requires transitive io.github.rpcrdma4j.oncrpc;

    exports io.github.rpcrdma4j.nfs;
    exports io.github.rpcrdma4j.nfs.acl;
    exports io.github.rpcrdma4j.nfs.binding;
    exports io.github.rpcrdma4j.nfs.lock;
    exports io.github.rpcrdma4j.nfs.mount;
    exports io.github.rpcrdma4j.nfs.names;
    exports io.github.rpcrdma4j.nfs.v2;
    exports io.github.rpcrdma4j.nfs.v3;
    exports io.github.rpcrdma4j.nfs.v4;
    exports io.github.rpcrdma4j.nfs.v4.attribute;
    exports io.github.rpcrdma4j.nfs.v4.operation;
    exports io.github.rpcrdma4j.nfs.v4.type;
}
