package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;

/**
 * Sends well-formed and damaged calls, and checks that the server tells them apart, keeps no memory
 * and has no internal error.
 */
final class RawCalls {
    private final TestServer server;
    private final Random random;
    private final LoggedFailures failures;

    /** How many calls were answered, were malformed, and are to be sent again. */
    int answered;

    int garbage;
    int postponed;

    /** Whether the last call was damaged. */
    boolean isDamaged;

    RawCalls(TestServer server, Random random, LoggedFailures failures) {
        this.server = server;
        this.random = random;
        this.failures = failures;
    }

    /** Decodes all arguments of a procedure. */
    interface Arguments {
        void decode(XdrReader in) throws XdrException;
    }

    private byte[] encoded(Consumer<XdrWriter> call) {
        try (var out = new XdrWriter(server.pool)) {
            call.accept(out);
            out.inlineBulkItems();
            return out.reducedStream().toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /** Cuts off the end, or flips bits: more often behind the first bytes, which are sealed. */
    private byte[] damaged(byte[] call, int sealed) {
        if (random.nextInt(4) == 0) {
            return Arrays.copyOf(call, random.nextInt(call.length + 8));
        }
        byte[] damaged = call.clone();
        for (int flips = 1 + random.nextInt(3); flips > 0 && call.length > 0; flips--) {
            int from = random.nextInt(3) == 0 || damaged.length <= sealed ? 0 : sealed;
            damaged[from + random.nextInt(damaged.length - from)] ^=
                    (byte) (1 << random.nextInt(8));
        }
        return damaged;
    }

    private static boolean isWellFormed(Arguments arguments, byte[] call) {
        try {
            arguments.decode(new XdrReader(MemorySegment.ofArray(call)));
            return true;
        } catch (XdrException _) {
            return false;
        }
    }

    /** What is called. */
    record Target(int program, int version, int procedure) {}

    /**
     * Sends a call, half of the time damaged.
     *
     * @param sealed how many bytes at its start are worth no damage
     * @param arguments decodes what the server has to decode
     * @return the results; nothing if there are none
     */
    Optional<XdrReader> send(
            Target target,
            Credential caller,
            Consumer<XdrWriter> call,
            int sealed,
            Arguments arguments)
            throws XdrException, InterruptedException {
        byte[] bytes = encoded(call);
        isDamaged = random.nextBoolean();
        byte[] chosen = isDamaged ? damaged(bytes, sealed) : bytes;
        // XDR is a stream of words.
        byte[] sent = Arrays.copyOf(chosen, (chosen.length + 3) / 4 * 4);
        var reply = server.answer(target.program, target.version, target.procedure, caller, sent);
        String what = target + " " + Arrays.toString(sent);
        failures.assertNone(what);
        assertEquals(0, server.pool.leased(), what);
        if (reply.header() instanceof ReplyHeader.Success) {
            assertTrue(isWellFormed(arguments, sent), what);
            answered++;
            return Optional.of(reply.results());
        }
        var refused = (ReplyHeader.Refused) reply.header();
        boolean isPostponed = isWellFormed(arguments, sent);
        assertEquals(
                isPostponed ? AcceptStatus.SYSTEM_ERR : AcceptStatus.GARBAGE_ARGS,
                refused.status(),
                what);
        if (isPostponed) {
            postponed++;
        } else {
            garbage++;
        }
        return Optional.empty();
    }
}
