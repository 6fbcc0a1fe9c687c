package io.github.rpcrdma4j.bench.stack;

/** What a process between client and server passes on. */
enum Passage {
    /** Bytes, between connections of TCP. */
    RELAY(false, false),
    /** Calls of RDMA clients, to a server on TCP. */
    TO_TCP(true, false),
    /** Calls of TCP clients, to a server on RDMA. */
    TO_RDMA(false, true);

    private final boolean clientUsesRdma;
    private final boolean serverUsesRdma;

    Passage(boolean clientUsesRdma, boolean serverUsesRdma) {
        this.clientUsesRdma = clientUsesRdma;
        this.serverUsesRdma = serverUsesRdma;
    }

    NfsExchange clientSide() {
        return new NfsExchange(clientUsesRdma);
    }

    NfsExchange serverSide() {
        return new NfsExchange(serverUsesRdma);
    }
}
