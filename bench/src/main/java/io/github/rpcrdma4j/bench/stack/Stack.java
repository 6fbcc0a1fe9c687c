package io.github.rpcrdma4j.bench.stack;

import io.github.rpcrdma4j.bench.stack.Work.Kind;
import java.util.Locale;

/** What is measured. */
public enum Stack {
    /** The limit: a plain exchange over blocking sockets. */
    TCP,
    /** As before, with a CRC32C of every byte on both sides. */
    TCP_CRC,
    /** Each call waits in a thread, as with ours. */
    ONCRPC4J,
    /** As before, with callbacks; no caller waits. */
    ONCRPC4J_CALLBACKS,
    GRPC,
    RPCRDMA4J,
    /** Our NFS server over RDMA. */
    NFS_RDMA,
    /** Our NFS server over TCP. */
    NFS_TCP;

    /** As users write it: {@code nfs-rdma}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @Override
    public String toString() {
        return label();
    }

    /** Whether it may have a CRC. */
    public boolean takesCrc(boolean crc) {
        return switch (this) {
            case TCP, ONCRPC4J, ONCRPC4J_CALLBACKS, GRPC, NFS_TCP -> !crc;
            case TCP_CRC -> crc;
            case RPCRDMA4J, NFS_RDMA -> true;
        };
    }

    /** Whether it is measured both with and without. */
    public boolean hasCrcChoice() {
        return takesCrc(true) && takesCrc(false);
    }

    /** Whether a process can have a thousand connections: not those with threads for each. */
    public boolean hasManyConnections() {
        return switch (this) {
            case TCP, RPCRDMA4J, NFS_RDMA -> true;
            case TCP_CRC, ONCRPC4J, ONCRPC4J_CALLBACKS, GRPC, NFS_TCP -> false;
        };
    }

    /** Whether it can do that work: files are copied by those that have files, and by the limit. */
    public boolean does(Work work) {
        return work.kind() != Kind.COPY || this == TCP || this == NFS_RDMA || this == NFS_TCP;
    }

    /**
     * How often each byte of payload is copied in user space, both sides together, as their code
     * has it, where there are 64 KiB of it or more. Of ours a page fits one Send, and is copied.
     */
    public int copies() {
        return switch (this) {
            case TCP, TCP_CRC, RPCRDMA4J, NFS_RDMA -> 0;
            // From the buffer that is read into to the record.
            case NFS_TCP -> 1;
            // From the array to a buffer of netty, and from such a buffer to where it is wanted.
            case GRPC -> 2;
            // From native memory to a buffer on the heap, and from there to where it is wanted.
            case ONCRPC4J, ONCRPC4J_CALLBACKS -> 2;
        };
    }

    /** How it is done. */
    public Exchange exchange() {
        return switch (this) {
            case TCP, TCP_CRC -> new TcpExchange();
            case ONCRPC4J -> new OncRpc4jExchange(false);
            case ONCRPC4J_CALLBACKS -> new OncRpc4jExchange(true);
            case GRPC -> new GrpcExchange();
            case RPCRDMA4J -> new RpcRdmaExchange();
            case NFS_RDMA -> new NfsExchange(true);
            case NFS_TCP -> new NfsExchange(false);
        };
    }
}
