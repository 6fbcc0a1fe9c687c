/** The tests that every provider must pass, as classes that its own test extends. */
module io.github.rpcrdma4j.verbs.contract {
    requires transitive io.github.rpcrdma4j.verbs;
    requires transitive org.junit.jupiter.api;

    exports io.github.rpcrdma4j.verbs.contract;
}
