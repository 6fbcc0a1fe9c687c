/** A gateway between RPC over TCP and RPC over RDMA. */
module io.github.rpcrdma4j.gateway {
    requires io.github.rpcrdma4j.nfs;
    requires transitive io.github.rpcrdma4j.rpcrdma;

    exports io.github.rpcrdma4j.gateway;
}
