/** The RDMA verbs as Java interfaces and records; providers implement them. */
// The modules that may use it are built after it.
@SuppressWarnings("module")
module io.github.rpcrdma4j.verbs {
    exports io.github.rpcrdma4j.verbs;
    exports io.github.rpcrdma4j.verbs.software to
            io.github.rpcrdma4j.iwarp,
            io.github.rpcrdma4j.sim;

    uses io.github.rpcrdma4j.verbs.RdmaProvider;
}
