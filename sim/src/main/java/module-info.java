/** An RDMA provider in virtual time, with faults drawn from a seed. */
module io.github.rpcrdma4j.sim {
    requires transitive io.github.rpcrdma4j.verbs;

    exports io.github.rpcrdma4j.sim;
}
