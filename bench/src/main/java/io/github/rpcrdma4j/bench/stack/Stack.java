package io.github.rpcrdma4j.bench.stack;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;

/** A stack to measure. */
public enum Stack {
    /** The limit: a plain exchange over blocking sockets. */
    TCP,
    /** As TCP, with a CRC32C of every byte on both sides. */
    TCP_CRC,
    /** Each call blocks a thread, as with our client. */
    ONCRPC4J,
    /** As ONCRPC4J, with callbacks: no caller waits. */
    ONCRPC4J_CALLBACKS,
    GRPC,
    RPCRDMA4J,
    /** Our NFS server over RDMA. */
    NFS_RDMA,
    /** Our NFS server over TCP. */
    NFS_TCP,
    /** As NFS_RDMA, by version 4.2. */
    NFS4_RDMA,
    /** As NFS_TCP, by version 4.2. */
    NFS4_TCP,
    /** As NFS_TCP, with a plain relay between client and server. */
    NFS_RELAY,
    /** As NFS_TCP, with a gateway: the client uses RDMA. */
    NFS_GATEWAY_TO_TCP,
    /** As NFS_RDMA, with a gateway: the client uses TCP. */
    NFS_GATEWAY_TO_RDMA;

    /** Returns the stacks of a run in which none is chosen: all without a process in between. */
    public static List<Stack> usual() {
        return List.copyOf(EnumSet.range(TCP, NFS4_TCP));
    }

    /** Returns the name for the command line, such as {@code nfs-rdma}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @Override
    public String toString() {
        return label();
    }

    /** Returns whether this stack can run with a CRC, or without one if {@code crc} is false. */
    public boolean takesCrc(boolean crc) {
        return switch (this) {
            case TCP, ONCRPC4J, ONCRPC4J_CALLBACKS, GRPC, NFS_TCP, NFS4_TCP, NFS_RELAY -> !crc;
            case TCP_CRC -> crc;
            case RPCRDMA4J, NFS_RDMA, NFS4_RDMA, NFS_GATEWAY_TO_TCP, NFS_GATEWAY_TO_RDMA -> true;
        };
    }

    /** Returns whether this stack is measured both with and without a CRC. */
    public boolean hasCrcChoice() {
        return takesCrc(true) && takesCrc(false);
    }

    /**
     * Returns whether a process can have a thousand connections, which stacks with threads for each
     * connection cannot.
     */
    public boolean hasManyConnections() {
        return switch (this) {
            case TCP, RPCRDMA4J, NFS_RDMA -> true;
            case TCP_CRC,
                    ONCRPC4J,
                    ONCRPC4J_CALLBACKS,
                    GRPC,
                    NFS_TCP,
                    NFS4_RDMA,
                    NFS4_TCP,
                    NFS_RELAY,
                    NFS_GATEWAY_TO_TCP,
                    NFS_GATEWAY_TO_RDMA ->
                    false;
        };
    }

    /**
     * Returns whether this stack can do a work. Only the limit and stacks with files can copy
     * files, and only version 4 opens files.
     */
    public boolean does(Work work) {
        return switch (work.kind()) {
            case NULL, READ, WRITE -> true;
            case COPY -> this == TCP || this == NFS_RDMA || this == NFS_TCP;
            case OPEN -> this == NFS4_RDMA || this == NFS4_TCP;
        };
    }

    /**
     * Returns how often both sides together copy each byte of payload in user space, according to
     * their code. A process in between does not count. The number holds for payloads of 64 KiB and
     * more. Our stack sends 4 KiB inline and copies them.
     */
    public int copies() {
        return switch (this) {
            case TCP, TCP_CRC, RPCRDMA4J, NFS_RDMA, NFS4_RDMA -> 0;
            // From the receive buffer to the record.
            case NFS_TCP, NFS4_TCP, NFS_RELAY, NFS_GATEWAY_TO_TCP, NFS_GATEWAY_TO_RDMA -> 1;
            // From the array to a Netty buffer, and from such a buffer to the target.
            case GRPC -> 2;
            // From native memory to a buffer on the heap, and from there to the target.
            case ONCRPC4J, ONCRPC4J_CALLBACKS -> 2;
        };
    }

    /** Returns both sides of this stack. */
    public Exchange exchange() {
        return switch (this) {
            case TCP, TCP_CRC -> new TcpExchange();
            case ONCRPC4J -> new OncRpc4jExchange(false);
            case ONCRPC4J_CALLBACKS -> new OncRpc4jExchange(true);
            case GRPC -> new GrpcExchange();
            case RPCRDMA4J -> new RpcRdmaExchange();
            case NFS_RDMA -> new NfsExchange(true);
            case NFS_TCP -> new NfsExchange(false);
            case NFS4_RDMA -> new CompoundExchange(true);
            case NFS4_TCP -> new CompoundExchange(false);
            case NFS_RELAY -> new PassingExchange(Passage.RELAY);
            case NFS_GATEWAY_TO_TCP -> new PassingExchange(Passage.TO_TCP);
            case NFS_GATEWAY_TO_RDMA -> new PassingExchange(Passage.TO_RDMA);
        };
    }
}
