/** Native memory in pools, within one budget. */
module io.github.rpcrdma4j.memory {
    requires jdk.management;

    exports io.github.rpcrdma4j.memory;
}
