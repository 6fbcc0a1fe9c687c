/** The RDMA verbs as Java interfaces and records, which providers implement. */
// The modules in the qualified export are built after this one.
@SuppressWarnings("module")
module io.github.rpcrdma4j.verbs {
    exports io.github.rpcrdma4j.verbs;
    exports io.github.rpcrdma4j.verbs.software to
            io.github.rpcrdma4j.iwarp,
            io.github.rpcrdma4j.sim;

    uses io.github.rpcrdma4j.verbs.RdmaProvider;
}
