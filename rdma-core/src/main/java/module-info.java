/**
 * The RDMA provider on the adapters of Linux: InfiniBand, RoCE and iWARP, by libibverbs and
 * librdmacm through the foreign function interface. Native access must be enabled for this module.
 */
module io.github.rpcrdma4j.rdmacore {
    requires transitive io.github.rpcrdma4j.verbs;

    exports io.github.rpcrdma4j.rdmacore;

    provides io.github.rpcrdma4j.verbs.RdmaProvider with
            io.github.rpcrdma4j.rdmacore.RdmaCoreProvider;
}
