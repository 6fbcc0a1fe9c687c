/** What is proved against other implementations, of which the Linux kernel is the judge. */
module io.github.rpcrdma4j.interop {
    requires io.github.rpcrdma4j.iwarp;
    requires io.github.rpcrdma4j.nfs;
}
