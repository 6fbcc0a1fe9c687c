package io.github.rpcrdma4j.rpcrdma.v2.wire;

/** A characteristic that an endpoint sends to its peer (RTR-8.1-1). */
public sealed interface Characteristic {
    /** XCHAR_RBSIZ: the length that each posted receive has at least, in bytes (XCH-3.1-1). */
    record ReceiveSize(long bytes) implements Characteristic {}

    /** XCHAR_RQREMINV: whether the endpoint accepts Send With Invalidate as a requester. */
    record RemoteInvalidation(boolean isAccepted) implements Characteristic {}

    /** XCHAR_BRS: which calls in the reverse direction the endpoint serves. */
    record ReverseSupport(Reverse support) implements Characteristic {}

    /** The degree of support for the reverse direction; the ordinals are those of the wire. */
    enum Reverse {
        UNKNOWN,
        NONE,
        /** Calls without chunks (RFC 8167). */
        SIZE_LIMITED,
        /** Calls like those in the forward direction. */
        GENERAL
    }

    /**
     * XCHAR_RTRSUPP: the operations of the round-trip extension that the endpoint sends and
     * accepts. Unknown bits are ignored (RTR-8.2-1).
     */
    record Transmissions(int mask) implements Characteristic {
        public static final int REQUESTS = 1;
        public static final int RESPONSES = 2;
        public static final int CONTINUATIONS = 4;

        /** The trailer of requests, our own addition. */
        public static final int TRAILER = 0x10000;

        public boolean has(int bit) {
            return (mask & bit) != 0;
        }
    }

    /** XCHAR_RBSTRUCT: how the endpoint's receive buffers are built. */
    record ReceiveStructure(BufferStructure structure) implements Characteristic {}

    /** XCHAR_REQRXLIM: the most transmissions of one request that the endpoint accepts. */
    record RequestTransmissions(long max) implements Characteristic {}

    /** XCHAR_RESPSXLIM: the most transmissions of one response that the endpoint makes. */
    record ResponseTransmissions(long max) implements Characteristic {}

    /** XCHAR_RPRSUPP, our own: the endpoint's support for responder-provided Read chunks. */
    record ReadChunks(int mask) implements Characteristic {
        /** The endpoint fetches replies as a requester. */
        public static final int FETCHES = 1;

        /** The endpoint exposes replies as a responder. */
        public static final int EXPOSES = 2;

        /** The endpoint accepts remote invalidation of its Read chunks as a responder. */
        public static final int ACCEPTS_INVALIDATION = 4;

        /** The endpoint accepts ROPT_RPCALL as a responder. */
        public static final int ACCEPTS_CALLS_WITH_NOTICES = 8;

        /** The endpoint answers ROPT_RPDONE as a responder. */
        public static final int ACKNOWLEDGES = 0x10;

        /** The endpoint can post Send With Invalidate as a requester. */
        public static final int INVALIDATES = 0x20;

        public boolean has(int bit) {
            return (mask & bit) != 0;
        }
    }

    /**
     * XCHAR_RPRHOLD, our own: how long the endpoint keeps a Read chunk, in milliseconds; 0:
     * unknown.
     */
    record ReadChunkHold(long milliseconds) implements Characteristic {}

    /** An unknown characteristic, which only keeps its position in the list (XCH-2.1-4). */
    record Unknown(int id) implements Characteristic {}
}
