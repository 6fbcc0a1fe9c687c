/** Pools that lease native memory, and the budgets that limit it. */
module io.github.rpcrdma4j.memory {
    requires jdk.management;

    exports io.github.rpcrdma4j.memory;
}
