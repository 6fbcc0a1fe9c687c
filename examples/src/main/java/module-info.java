/** Example programs to start from; each runs by itself. */
module io.github.rpcrdma4j.examples {
    requires io.github.rpcrdma4j.iwarp;
    requires io.github.rpcrdma4j.nfs.client;
    requires io.github.rpcrdma4j.nfs.nio;
    requires io.github.rpcrdma4j.nfs.server;
    requires io.github.rpcrdma4j.rpcrdma;
}
