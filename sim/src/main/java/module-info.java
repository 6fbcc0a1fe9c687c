/** The test bench: a provider in virtual time, and the contract that every provider keeps. */
module io.github.rpcrdma4j.sim {
    requires transitive io.github.rpcrdma4j.capture;
    requires transitive io.github.rpcrdma4j.verbs;
    requires transitive org.junit.jupiter.api;

    exports io.github.rpcrdma4j.sim;
    exports io.github.rpcrdma4j.sim.capture;
    exports io.github.rpcrdma4j.sim.contract;
}
