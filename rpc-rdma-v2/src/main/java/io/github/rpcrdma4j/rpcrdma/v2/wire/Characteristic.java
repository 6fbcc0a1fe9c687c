package io.github.rpcrdma4j.rpcrdma.v2.wire;

/** Something that an endpoint tells of itself (RTR-8.1-1). */
public sealed interface Characteristic {
    /** XCHAR_RBSIZ: bytes that each posted receive takes at least (XCH-3.1-1). */
    record ReceiveSize(long bytes) implements Characteristic {}

    /** XCHAR_RQREMINV: whether it takes Send With Invalidate as a requester. */
    record RemoteInvalidation(boolean isAccepted) implements Characteristic {}

    /** XCHAR_BRS: which calls against the usual direction it serves. */
    record ReverseSupport(Reverse support) implements Characteristic {}

    /** How far calls against the usual direction go; the ordinals are those of the wire. */
    enum Reverse {
        UNKNOWN,
        NONE,
        /** Without chunks (RFC 8167). */
        SIZE_LIMITED,
        /** As calls in the usual direction. */
        GENERAL
    }

    /**
     * XCHAR_RTRSUPP: which operations of the round-trip extension it sends and takes; unknown bits
     * are ignored (RTR-8.2-1).
     */
    record Transmissions(int mask) implements Characteristic {
        public static final int REQUESTS = 1;
        public static final int RESPONSES = 2;
        public static final int CONTINUATIONS = 4;

        /** Ours: the trailer of requests. */
        public static final int TRAILER = 0x10000;

        public boolean has(int bit) {
            return (mask & bit) != 0;
        }
    }

    /** XCHAR_RBSTRUCT: how its receive buffers are built. */
    record ReceiveStructure(BufferStructure structure) implements Characteristic {}

    /** XCHAR_REQRXLIM: transmissions of one request that it takes. */
    record RequestTransmissions(long max) implements Characteristic {}

    /** XCHAR_RESPSXLIM: transmissions of one response that it makes. */
    record ResponseTransmissions(long max) implements Characteristic {}

    /** XCHAR_RPRSUPP, ours: what it does with responder-provided Read chunks. */
    record ReadChunks(int mask) implements Characteristic {
        /** As a requester fetches replies. */
        public static final int RECEIVES = 1;

        /** As a responder lets replies be fetched. */
        public static final int SENDS = 2;

        /** As a responder lets handles of its Read chunks be invalidated from afar. */
        public static final int TAKES_INVALIDATION = 4;

        /** As a responder knows ROPT_RPCALL. */
        public static final int PIGGYBACK = 8;

        /** As a responder answers ROPT_RPDONE. */
        public static final int ACKNOWLEDGES = 0x10;

        /** As a requester can post Send With Invalidate. */
        public static final int INVALIDATES = 0x20;

        public boolean has(int bit) {
            return (mask & bit) != 0;
        }
    }

    /** XCHAR_RPRHOLD, ours: milliseconds that it keeps a Read chunk; 0 says nothing. */
    record ReadChunkHold(long milliseconds) implements Characteristic {}

    /** One that is not known here: it keeps its place in the list, and no more (XCH-2.1-4). */
    record Unknown(int id) implements Characteristic {}
}
