/** A provider in virtual time, with seeded faults. */
module io.github.rpcrdma4j.sim {
    requires transitive io.github.rpcrdma4j.verbs;

    exports io.github.rpcrdma4j.sim;
}
