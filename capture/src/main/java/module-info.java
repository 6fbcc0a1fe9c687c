/** Reads packet captures and the TCP streams in them. */
module io.github.rpcrdma4j.capture {
    exports io.github.rpcrdma4j.capture;
}
