/** Side-by-side measurements. */
module io.github.rpcrdma4j.bench {
    requires io.github.rpcrdma4j.iwarp;
    requires io.github.rpcrdma4j.rpcrdma;
}
