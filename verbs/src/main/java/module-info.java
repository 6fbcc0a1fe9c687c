/** The RDMA verbs as Java interfaces and records; providers implement them. */
module io.github.rpcrdma4j.verbs {
    exports io.github.rpcrdma4j.verbs;
    exports io.github.rpcrdma4j.verbs.software;

    uses io.github.rpcrdma4j.verbs.RdmaProvider;
}
