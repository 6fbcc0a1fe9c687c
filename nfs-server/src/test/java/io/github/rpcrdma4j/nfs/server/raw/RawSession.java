package io.github.rpcrdma4j.nfs.server.raw;

import static io.github.rpcrdma4j.rpcrdma.raw.HeaderWords.readList;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.rpcrdma.raw.SeenHeader;
import io.github.rpcrdma4j.rpcrdma.raw.Words;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A session of NFS version 4.1 that a test operates (RFC 8881, Sections 18.35, 18.36 and 18.46). It
 * answers the calls of the server.
 */
public final class RawSession {
    public static final int CALLBACK_PROGRAM = 0x40000099;
    public static final int CB_RECALL = 4;
    public static final int CB_NOTIFY_LOCK = 13;

    private static final int BIND_CONN_TO_SESSION = 41;
    private static final int BACK_OR_BOTH = 7;
    private static final int EXCHANGE_ID = 42;
    private static final int CREATE_SESSION = 43;
    private static final int SEQUENCE = 53;
    private static final int RECLAIM_COMPLETE = 58;

    /** The flag of CREATE_SESSION by which both sides agree to callbacks on its connection. */
    private static final int BACK_CHANNEL = 2;

    private static final int CB_SEQUENCE = 11;
    private static final int CREDITS = 4;

    /** Where the results of the first operation begin in a message, in words. */
    private static final int FIRST_RESULTS = 11;

    private final RawCaller caller;
    private final Words clientId;
    private final Words id;
    private final boolean isCalledBack;
    private int sequence;
    private int statusFlags;
    private final List<SeenCallback> callbacks = new ArrayList<>();

    /**
     * A call of the server.
     *
     * @param operation the one behind CB_SEQUENCE; 0 for none
     * @param header how it came
     */
    public record SeenCallback(int operation, SeenHeader header) {}

    /**
     * @param back {@code csa_back_chan_attrs} without what it ends with, the RDMA IRD
     * @param security {@code csa_sec_parms}
     */
    public RawSession(RawCaller caller, String name, Words back, Words security)
            throws InterruptedException {
        this(caller, name, BACK_CHANNEL, back, security);
    }

    /** Begins a session whose client accepts no callbacks until it says so. */
    static RawSession withoutCallbacks(RawCaller caller, String name, Words back)
            throws InterruptedException {
        return new RawSession(caller, name, 0, back, noSecurity());
    }

    private RawSession(RawCaller caller, String name, int flags, Words back, Words security)
            throws InterruptedException {
        this.caller = caller;
        var identity =
                first(
                        Words.of(EXCHANGE_ID)
                                .twoWords(System.nanoTime())
                                .opaque(Compound.ascii(name))
                                .word(0, 0, 0));
        clientId = Words.of(identity.at(FIRST_RESULTS), identity.at(FIRST_RESULTS + 1));
        var created =
                first(
                        Words.of(CREATE_SESSION)
                                .and(clientId)
                                .word(identity.at(FIRST_RESULTS + 2), flags)
                                .word(0, 1 << 16, 1 << 16, 1 << 12, 16, 32, 0)
                                .and(back)
                                .word(0, CALLBACK_PROGRAM)
                                .and(security));
        id = new Words(Arrays.copyOf(created.from(FIRST_RESULTS).bytes(), 16));
        isCalledBack = (created.at(FIRST_RESULTS + 5) & BACK_CHANNEL) != 0;
        requireOk(call(reclaimComplete()));
    }

    /**
     * Returns the attributes of a back channel, for {@link #RawSession}.
     *
     * @param requestMax the longest call that the client takes, in bytes
     */
    public static Words back(int requestMax, int responseMax, int slots) {
        return Words.of(0, requestMax, responseMax, 0, 2, slots);
    }

    /** Returns the choice of AUTH_NONE for callbacks. */
    public static Words noSecurity() {
        return Words.of(1, 0);
    }

    private static Words reclaimComplete() {
        return Words.of(RECLAIM_COMPLETE, 0);
    }

    public Words clientId() {
        return clientId;
    }

    /** Returns whether the server said that it calls back on the connection of this session. */
    boolean isCalledBack() {
        return isCalledBack;
    }

    /** Returns {@code sr_status_flags} of the last reply. */
    public int statusFlags() {
        return statusFlags;
    }

    /** Makes a call of one operation without the session, and returns the RPC message. */
    private Words first(Words operation) throws InterruptedException {
        return requireOk(call(caller.nextXid(), Compound.call().inline(operation)));
    }

    private Words call(int xid, Compound.Call call) throws InterruptedException {
        caller.end().send(caller.profile().msg(xid).and(readList()).and(call.message(xid)));
        return await(xid);
    }

    /** Accepts callbacks on the connection from now on (RFC 8881, Section 18.34). */
    void acceptCallbacks() throws InterruptedException {
        first(Words.of(BIND_CONN_TO_SESSION).and(id).word(BACK_OR_BOTH, 0));
    }

    /** Waits for a call of the server, and makes one with the same XID before it answers. */
    Words callWithTheXidOfACallback() throws InterruptedException {
        var called = SeenHeader.of(caller.end().receive());
        assertEquals(0, called.message().at(1), "it is a call");
        var reply = call(called.xid(), begin(0, ++sequence, false).putRoot());
        answer(called);
        return reply;
    }

    /** Returns SEQUENCE in a slot. */
    public Compound.Call begin(int slot, int sequenceInSlot, boolean isKept) {
        return Compound.call()
                .inline(
                        Words.of(SEQUENCE)
                                .and(id)
                                .word(sequenceInSlot, slot, slot, isKept ? 1 : 0));
    }

    /** Calls operations in slot 0, and returns the RPC message of the reply. */
    public Words call(Words... operations) throws InterruptedException {
        var call = begin(0, ++sequence, false);
        for (var operation : operations) {
            call = call.inline(operation);
        }
        return call(call);
    }

    /** Makes a call that begins with SEQUENCE, and returns the RPC message of the reply. */
    public Words call(Compound.Call call) throws InterruptedException {
        var reply = call(caller.nextXid(), call);
        // The session, sequence, slot, highest and target slot precede the flags.
        statusFlags = reply.at(FIRST_RESULTS + 8);
        return reply;
    }

    /** Requires that a COMPOUND succeeded, and returns the RPC message. */
    public static Words requireOk(Words reply) {
        assertEquals(0, reply.at(5), "accept_stat");
        assertEquals(0, reply.at(6), "the status of the COMPOUND");
        return reply;
    }

    /** Returns the results behind those of SEQUENCE: of the next operation, from its number on. */
    public static Words behindSequence(Words reply) {
        return reply.from(FIRST_RESULTS + 9);
    }

    private Words await(int xid) throws InterruptedException {
        while (true) {
            var seen = SeenHeader.of(caller.end().receive());
            if (seen.message().at(1) == 0) {
                answer(seen);
            } else {
                assertEquals(xid, seen.xid());
                return seen.message();
            }
        }
    }

    /**
     * Waits for a call of the server with an operation behind CB_SEQUENCE, and answers it. Returns
     * nothing if none comes in time.
     */
    public Optional<SeenCallback> awaitCallback() throws InterruptedException {
        callbacks.removeIf(each -> each.operation() == 0);
        while (callbacks.isEmpty()) {
            var next = caller.end().receiveSoon();
            if (next.isEmpty()) {
                return Optional.empty();
            }
            answer(SeenHeader.of(next.get()));
            callbacks.removeIf(each -> each.operation() == 0);
        }
        return Optional.of(callbacks.removeFirst());
    }

    private void answer(SeenHeader call) {
        var message = call.message();
        int credentialWords = (message.at(7) + 3) / 4;
        // The header of the call, its verifier, an empty tag, the minor version and the ident.
        int count = 13 + credentialWords;
        int at = count + 1;
        assertEquals(CB_SEQUENCE, message.at(at));
        var session = new Words(Arrays.copyOf(message.from(at + 1).bytes(), 16));
        int seen = message.at(at + 5);
        int slot = message.at(at + 6);
        int highest = message.at(at + 7);
        assertEquals(0, message.at(at + 9), "referring calls");
        int operation = message.at(count) > 1 ? message.at(at + 10) : 0;
        var results = Words.of(CB_SEQUENCE, 0).and(session).word(seen, slot, highest, highest);
        if (operation != 0) {
            results = results.word(operation, 0);
        }
        callbacks.add(new SeenCallback(operation, call));
        caller.end()
                .send(
                        Words.of(call.xid(), 1, CREDITS, 0)
                                .and(readList())
                                .word(call.xid(), 1, 0, 0, 0, 0, 0, 0, operation == 0 ? 1 : 2)
                                .and(results));
    }
}
