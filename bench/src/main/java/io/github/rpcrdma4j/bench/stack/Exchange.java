package io.github.rpcrdma4j.bench.stack;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Path;

/** One way to move the same bytes: both of its sides. */
public sealed interface Exchange
        permits TcpExchange, OncRpc4jExchange, GrpcExchange, RpcRdmaExchange, NfsExchange {
    /**
     * How a side behaves.
     *
     * @param crc whether every byte is under a CRC32C
     * @param regions memory regions that are registered beside those in use; for RDMA only
     * @param fileBytes the length of the file to copy, made by the service; 0 for none
     * @param directoryEntries how many files there are in a directory; for NFS only
     */
    record Setting(boolean crc, int regions, long fileBytes, int directoryEntries)
            implements Serializable {
        /** Nothing but what calls need. */
        public static Setting plain(boolean crc) {
            return new Setting(crc, 0, 0, 0);
        }
    }

    /** A side that answers until it is closed. */
    interface Service extends AutoCloseable {
        int port();

        @Override
        void close() throws IOException;
    }

    /**
     * Starts to answer on a free port of the loopback.
     *
     * @param directory for the files that it needs
     */
    Service serve(Setting setting, Path directory) throws Exception;

    /**
     * Connects to a service.
     *
     * @param directory for the files that it copies
     */
    Session connect(int port, Setting setting, Path directory) throws Exception;
}
