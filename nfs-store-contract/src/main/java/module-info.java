/** The tests that every file store must pass, as classes that its own test extends. */
module io.github.rpcrdma4j.nfs.store.contract {
    requires transitive io.github.rpcrdma4j.nfs.store;
    requires transitive org.junit.jupiter.api;

    exports io.github.rpcrdma4j.nfs.store.contract;
}
