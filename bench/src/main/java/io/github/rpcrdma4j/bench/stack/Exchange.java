package io.github.rpcrdma4j.bench.stack;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Path;

/** Both sides of one stack, which move the same bytes as the other stacks. */
public sealed interface Exchange
        permits TcpExchange,
                OncRpc4jExchange,
                GrpcExchange,
                RpcRdmaExchange,
                NfsExchange,
                CompoundExchange,
                PassingExchange {
    /**
     * The settings of a side.
     *
     * @param crc whether a CRC32C covers every byte
     * @param regions the number of unused memory regions; for RDMA only
     * @param fileBytes the length in bytes of the file to copy, which the service makes; 0 for no
     *     file
     * @param directoryEntries the number of files in a directory; for NFS only
     */
    record Setting(boolean crc, int regions, long fileBytes, int directoryEntries)
            implements Serializable {
        /** Returns settings without additional regions and files. */
        public static Setting plain(boolean crc) {
            return new Setting(crc, 0, 0, 0);
        }
    }

    /** A server that answers calls until it is closed. */
    interface Service extends AutoCloseable {
        int port();

        @Override
        void close() throws IOException;
    }

    /**
     * Starts a service on a free port of the loopback address.
     *
     * @param directory the directory for the service's files
     */
    Service serve(Setting setting, Path directory) throws Exception;

    /**
     * Connects to a service.
     *
     * @param directory the directory for the copied files
     */
    Session connect(int port, Setting setting, Path directory) throws Exception;
}
