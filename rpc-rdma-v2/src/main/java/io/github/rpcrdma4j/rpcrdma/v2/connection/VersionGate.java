package io.github.rpcrdma4j.rpcrdma.v2.connection;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.v2.wire.FirstMessage;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.verbs.Completion;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The role of a server's connection until the client's first message shows its version (V2-5-3).
 * Guarded by the lock of the connection.
 */
public final class VersionGate implements Endpoint.Role {
    private static final ValueLayout.OfInt UINT32 =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int VERSION_AT = 4;

    private final Endpoint endpoint;
    private final Counters counters;
    private final int credits;
    private final boolean speaks1;
    private final Endpoint.Role version1;
    private final Supplier<? extends Endpoint.Role> version2;

    /**
     * @param credits the credits that an error grants
     * @param speaks1 whether the server accepts version 1
     * @param version1 the role for version 1
     * @param version2 creates the role for version 2; called at most once
     */
    public VersionGate(
            Endpoint endpoint,
            Counters counters,
            int credits,
            boolean speaks1,
            Endpoint.Role version1,
            Supplier<? extends Endpoint.Role> version2) {
        this.endpoint = endpoint;
        this.counters = counters;
        this.credits = credits;
        this.speaks1 = speaks1;
        this.version1 = version1;
        this.version2 = version2;
    }

    @Override
    public void received(SegmentPool.Lease buffer, Completion completion) {
        var message = buffer.segment().asSlice(0, completion.length());
        switch (FirstMessage.of(message)) {
            case VERSION_1 -> {
                if (speaks1) {
                    endpoint.interceptor(Optional.empty());
                    version1.received(buffer, completion);
                } else {
                    refuse(buffer, Version2Header.VERSION, Version2Header.VERSION);
                }
            }
            case VERSION_2 -> {
                var role = version2.get();
                endpoint.interceptor(Optional.of(role));
                role.received(buffer, completion);
            }
            case LATER_DRAFT -> {
                if (speaks1) {
                    refuse(buffer, Version1Header.VERSION, Version1Header.VERSION);
                } else {
                    buffer.close();
                    endpoint.close("the peer speaks a later draft of version 2");
                }
            }
            case OTHER_VERSION ->
                    refuse(
                            buffer,
                            speaks1 ? Version1Header.VERSION : Version2Header.VERSION,
                            Version2Header.VERSION);
            case TOO_SHORT -> {
                counters.count(Counter.DISCARDED);
                endpoint.postReceive(buffer);
            }
        }
    }

    private void refuse(SegmentPool.Lease buffer, int lowest, int highest) {
        int xid = buffer.segment().get(UINT32, 0);
        int version = buffer.segment().get(UINT32, VERSION_AT);
        buffer.close();
        counters.count(Counter.VERSION_ERRORS);
        endpoint.messageSends()
                .queueAnswer(
                        new Version1Header.VersionError(xid, version, credits, lowest, highest),
                        endpoint::postReceive);
    }

    @Override
    public void lost(String reason) {}
}
