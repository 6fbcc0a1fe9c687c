package io.github.rpcrdma4j.dissect.fuzz;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.lock.NlmCall;
import io.github.rpcrdma4j.nfs.lock.NlmProcedure;
import io.github.rpcrdma4j.nfs.lock.NlmReply;
import io.github.rpcrdma4j.nfs.lock.NsmCall;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;

/** The messages of NLM and NSM, for {@link Decoder}. */
final class LockMessages {
    /** By two bits of the selector; 0 stands for NSM. */
    private static final int[] VERSIONS = {1, 3, 4, 0};

    private static final int WIDE = 4;
    private static final int VERSION_SHIFT = 5;
    private static final SegmentPool POOL = new SegmentPool(1 << 16);

    private LockMessages() {}

    /** Decodes a message. */
    private interface Decoding {
        Object decode(XdrReader in) throws XdrException;
    }

    /**
     * Decodes arguments, or results if the first byte is negative. Two bits of it tell the version,
     * and the others the procedure.
     */
    static void take(byte[] bytes) throws XdrException {
        if (bytes.length == 0) {
            return;
        }
        byte selector = bytes[0];
        var in = new XdrReader(MemorySegment.ofArray(bytes).asSlice(1));
        int version = VERSIONS[selector >> VERSION_SHIFT & 3];
        int procedure = selector & (1 << VERSION_SHIFT) - 1;
        if (version == 0) {
            monitor(procedure, selector < 0, in);
        } else {
            var all = NlmProcedure.values();
            lock(version, all[procedure % all.length], selector < 0, in);
        }
    }

    private static void lock(int version, NlmProcedure procedure, boolean isReply, XdrReader in)
            throws XdrException {
        switch (procedure) {
            case NULL -> in.finish();
            case TEST_RES, LOCK_RES, CANCEL_RES, UNLOCK_RES, GRANTED_RES ->
                    reply(version, procedure, in);
            case TEST, LOCK, CANCEL, UNLOCK, GRANTED, SHARE, UNSHARE, NM_LOCK -> {
                if (isReply) {
                    reply(version, procedure, in);
                } else {
                    call(version, procedure, in);
                }
            }
            case TEST_MSG, LOCK_MSG, CANCEL_MSG, UNLOCK_MSG, GRANTED_MSG, FREE_ALL ->
                    call(version, procedure, in);
        }
    }

    private static void call(int version, NlmProcedure procedure, XdrReader in)
            throws XdrException {
        var call = NlmCall.decode(version, procedure, in);
        requireComesBack(
                call,
                out -> call.encode(version, out),
                again -> NlmCall.decode(version, procedure, again));
    }

    private static void reply(int version, NlmProcedure procedure, XdrReader in)
            throws XdrException {
        var reply = NlmReply.decode(version, procedure, in);
        if (version == WIDE) {
            // The other versions have no numbers for some statuses.
            requireComesBack(
                    reply,
                    out -> reply.encode(version, out),
                    again -> NlmReply.decode(version, procedure, again));
        }
    }

    private static void monitor(int number, boolean isReply, XdrReader in) throws XdrException {
        var all = NsmCall.Procedure.values();
        var procedure = all[number % all.length];
        if (isReply) {
            var result = NsmCall.Result.decode(in);
            requireComesBack(result, result::encode, NsmCall.Result::decode);
        } else if (procedure == NsmCall.Procedure.NULL
                || procedure == NsmCall.Procedure.SIMU_CRASH) {
            in.finish();
        } else {
            var call = NsmCall.decode(procedure, in);
            requireComesBack(call, call::encode, again -> NsmCall.decode(procedure, again));
        }
    }

    private static void requireComesBack(
            Object message, Consumer<XdrWriter> encoding, Decoding decoding) throws XdrException {
        try (var out = new XdrWriter(POOL)) {
            encoding.accept(out);
            byte[] bytes = out.reducedStream().toArray(ValueLayout.JAVA_BYTE);
            var again = decoding.decode(new XdrReader(MemorySegment.ofArray(bytes)));
            if (!again.equals(message)) {
                throw new AssertionError(message + " comes back as " + again);
            }
        }
    }
}
