/**
 * NFS servers as file systems of {@link java.nio.file}: two providers, which are found by their
 * schemes.
 */
module io.github.rpcrdma4j.nfs.nio {
    requires transitive io.github.rpcrdma4j.nfs.client;

    exports io.github.rpcrdma4j.nfs.nio;
    exports io.github.rpcrdma4j.nfs.nio.routed;

    provides java.nio.file.spi.FileSystemProvider with
            io.github.rpcrdma4j.nfs.nio.NfsProvider,
            io.github.rpcrdma4j.nfs.nio.NfsRdmaProvider;
}
