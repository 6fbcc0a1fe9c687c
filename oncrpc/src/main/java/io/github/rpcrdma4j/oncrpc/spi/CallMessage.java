package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;

/** Writes call messages (RFC 5531, Section 9). */
public final class CallMessage {
    private CallMessage() {}

    /**
     * Writes a whole call message.
     *
     * @param protection the protection of this call alone
     * @param pool lends the memory in which arguments are wrapped
     * @throws RpcException if the call cannot be protected
     * @throws IllegalArgumentException if an argument is confined to another thread
     */
    public static void encode(
            XdrWriter message, RpcCall call, int xid, CallProtection protection, SegmentPool pool)
            throws RpcException {
        CallHeader.encodeToVerifier(
                message,
                xid,
                call.program(),
                call.version(),
                call.procedure(),
                protection.credential());
        protection.verifier(message.reducedStream()).encode(message);
        try {
            protection.wrap(call.arguments(), pool, message);
        } catch (WrongThreadException confined) {
            throw confined("an argument", confined);
        }
        var items = message.bulkItems();
        for (int i = 0; i < items.size(); i++) {
            requireAccessible(items.get(i).data(), "an argument");
        }
    }

    /**
     * Checks that this thread, which makes the call, may access memory of the call.
     *
     * @param what the memory, for the caller
     * @throws IllegalArgumentException if the memory is confined to another thread
     */
    public static void requireAccessible(MemorySegment memory, String what) {
        if (!memory.isAccessibleBy(Thread.currentThread())) {
            throw confined(what, null);
        }
    }

    private static IllegalArgumentException confined(String what, WrongThreadException cause) {
        return new IllegalArgumentException(
                what
                        + " is confined to another thread than that of the call: use"
                        + " Arena.ofShared() or Arena.ofAuto()",
                cause);
    }
}
