/**
 * System calls of Linux on files and on credentials that Java has no API for, by the foreign
 * function interface. Native access must be enabled for this module.
 */
// The modules in the qualified export are built after this one.
@SuppressWarnings("module")
module io.github.rpcrdma4j.linux {
    exports io.github.rpcrdma4j.linux to
            io.github.rpcrdma4j.cli,
            io.github.rpcrdma4j.nfs.client,
            io.github.rpcrdma4j.nfs.directories,
            io.github.rpcrdma4j.nfs.server;
}
