/**
 * System calls of Linux on files and on credentials, by the foreign function interface: what Java
 * has no words for. Native access has to be enabled for this module.
 */
// The modules that may use it are built after it.
@SuppressWarnings("module")
module io.github.rpcrdma4j.linux {
    exports io.github.rpcrdma4j.linux to
            io.github.rpcrdma4j.nfs.client,
            io.github.rpcrdma4j.nfs.server;
}
