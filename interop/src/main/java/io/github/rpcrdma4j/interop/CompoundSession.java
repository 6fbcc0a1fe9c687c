package io.github.rpcrdma4j.interop;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * A session of NFS version 4.1 with one slot, on the connection of a caller (RFC 8881, Section
 * 2.10). Its own calls use no chunk.
 *
 * <p>Tests: {@code interop/run}.
 */
final class CompoundSession {
    static final int OK = 0;

    private static final int EXCHANGE_ID = 42;
    private static final int CREATE_SESSION = 43;
    private static final int DESTROY_SESSION = 44;
    private static final int SEQUENCE = 53;
    private static final int DESTROY_CLIENTID = 57;
    private static final int RECLAIM_COMPLETE = 58;
    private static final int USE_NON_PNFS = 0x10000;
    private static final int SESSION_BYTES = 16;

    /** The words of a successful SEQUENCE behind the session. */
    private static final int SEQUENCE_WORDS = 5;

    private static final int MESSAGE_MAX = 2 << 20;
    private static final int CACHED_MAX = 4096;
    private static final int OPERATIONS_MAX = 32;
    private static final int CALLBACK_PROGRAM = 0x40000000;

    private final Caller caller;
    private final long client;
    private final MemorySegment session;
    private int sequence;

    private CompoundSession(Caller caller, long client, MemorySegment session) {
        this.caller = caller;
        this.client = client;
        this.session = session;
    }

    /**
     * Creates a client and its session.
     *
     * @param owner names the client; no other client of the server has it
     */
    static CompoundSession open(Caller caller, String owner) throws Mismatch, InterruptedException {
        try {
            var known = plain(caller, out -> exchangeId(out, owner));
            long client = known.uint64();
            int first = known.uint32();
            var created = plain(caller, out -> createSession(out, client, first));
            byte[] id = created.fixedOpaque(SESSION_BYTES).toArray(ValueLayout.JAVA_BYTE);
            var session = new CompoundSession(caller, client, MemorySegment.ofArray(id));
            session.reclaimComplete();
            return session;
        } catch (XdrException malformed) {
            throw new Mismatch("the results are malformed: " + malformed.getMessage());
        }
    }

    private static void exchangeId(XdrWriter out, String owner) {
        out.uint32(EXCHANGE_ID).uint64(System.nanoTime());
        out.opaque(owner.getBytes(StandardCharsets.US_ASCII));
        // No protection of its state, and no name of an implementation.
        out.uint32(USE_NON_PNFS).uint32(0).uint32(0);
    }

    private static void createSession(XdrWriter out, long client, int first) {
        out.uint32(CREATE_SESSION).uint64(client).uint32(first).uint32(0);
        channel(out);
        channel(out);
        // One flavor of callbacks: AUTH_NONE.
        out.uint32(CALLBACK_PROGRAM).uint32(1).uint32(0);
    }

    /** No header padding, the limits of messages, one slot, no RDMA reads. */
    private static void channel(XdrWriter out) {
        out.uint32(0).uint32(MESSAGE_MAX).uint32(MESSAGE_MAX).uint32(CACHED_MAX);
        out.uint32(OPERATIONS_MAX).uint32(1).uint32(0);
    }

    private void reclaimComplete() throws Mismatch, InterruptedException {
        var call = message(1, out -> out.uint32(RECLAIM_COMPLETE).bool(false));
        var in = results(caller.call(call, call.whole(), CallChunks.NONE), OK, 1);
        operation(in, RECLAIM_COMPLETE, OK);
    }

    /** Makes a call of one operation without SEQUENCE, and returns its results. */
    private static XdrReader plain(Caller caller, Consumer<XdrWriter> operation)
            throws Mismatch, InterruptedException {
        var call =
                CallMessage.ofCompound(out -> operation.accept(out.uint32(0).uint32(1).uint32(1)));
        var in = compound(caller.call(call, call.whole(), CallChunks.NONE), OK, 1);
        word(in, "the operation");
        Mismatch.requireSame("the status of the operation", OK, word(in, "the status"));
        return in;
    }

    /**
     * Returns a COMPOUND that begins with SEQUENCE.
     *
     * @param count the number of operations behind it
     * @param operations writes them
     */
    CallMessage message(int count, Consumer<XdrWriter> operations) {
        sequence++;
        return CallMessage.ofCompound(
                out -> {
                    out.uint32(0).uint32(1).uint32(1 + count);
                    out.uint32(SEQUENCE).fixedOpaque(session).uint32(sequence);
                    // Slot 0, the highest one as well; the reply need not be kept.
                    out.uint32(0).uint32(0).bool(false);
                    operations.accept(out);
                });
    }

    /**
     * Returns a reader of the results behind SEQUENCE.
     *
     * @param status the required status of the COMPOUND
     * @param count the required number of results behind SEQUENCE
     */
    XdrReader results(Reply reply, int status, int count) throws Mismatch {
        var in = compound(reply, status, 1 + count);
        operation(in, SEQUENCE, OK);
        try {
            in.fixedOpaque(SESSION_BYTES + SEQUENCE_WORDS * Integer.BYTES);
        } catch (XdrException malformed) {
            throw new Mismatch("SEQUENCE is malformed: " + malformed.getMessage());
        }
        return in;
    }

    private static XdrReader compound(Reply reply, int status, int count) throws Mismatch {
        var in = new XdrReader(MemorySegment.ofArray(reply.stream()));
        reply.requireSuccess(in);
        Mismatch.requireSame("the status of COMPOUND", status, word(in, "the status"));
        Mismatch.requireSame("the length of the tag", 0, word(in, "the tag"));
        Mismatch.requireSame("the number of results", count, word(in, "the number of results"));
        return in;
    }

    /** Requires the number and the status of the next operation. */
    static void operation(XdrReader in, int number, int status) throws Mismatch {
        Mismatch.requireSame("the operation", number, word(in, "the operation"));
        Mismatch.requireSame("the status of operation " + number, status, word(in, "the status"));
    }

    static int word(XdrReader in, String what) throws Mismatch {
        try {
            return in.uint32();
        } catch (XdrException _) {
            throw new Mismatch("the reply ends before " + what);
        }
    }

    /** Ends the session and the client, so that the server keeps nothing of them. */
    void close() throws Mismatch, InterruptedException {
        caller.release();
        plain(caller, out -> out.uint32(DESTROY_SESSION).fixedOpaque(session));
        plain(caller, out -> out.uint32(DESTROY_CLIENTID).uint64(client));
    }
}
