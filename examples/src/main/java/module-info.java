/** Programs to start from: each runs by itself, and the README shows them. */
module io.github.rpcrdma4j.examples {
    requires io.github.rpcrdma4j.iwarp;
    requires io.github.rpcrdma4j.nfs.client;
    requires io.github.rpcrdma4j.rpcrdma;
}
