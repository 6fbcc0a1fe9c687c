/** What every provider has to pass, as tests that each extends. */
module io.github.rpcrdma4j.verbs.contract {
    requires transitive io.github.rpcrdma4j.verbs;
    requires transitive org.junit.jupiter.api;

    exports io.github.rpcrdma4j.verbs.contract;
}
