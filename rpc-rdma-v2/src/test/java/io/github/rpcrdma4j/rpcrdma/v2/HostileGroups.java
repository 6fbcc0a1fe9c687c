package io.github.rpcrdma4j.rpcrdma.v2;

import io.github.rpcrdma4j.rpcrdma.session.HostileMessageSource;
import io.github.rpcrdma4j.rpcrdma.session.ManualConnection;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.ResponseSet;
import io.github.rpcrdma4j.rpcrdma.v2.wire.ResponseSet.Target;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Makes calls in several Sends, as a hostile peer sends them.
 *
 * @param source makes other messages, and damages them
 */
record HostileGroups(HostileMessageSource source, RandomGenerator random) {
    private static final int SENDS_MAX = 4;

    /**
     * Returns a call of version 2 in several Sends. It is correct, or one Send is damaged, missing,
     * repeated or out of order.
     */
    List<byte[]> next(int xid) {
        byte[] stream = source.stream(xid);
        int count = 1 + random.nextInt(SENDS_MAX);
        int part = Math.ceilDiv(stream.length / Integer.BYTES, count) * Integer.BYTES;
        var sends = new ArrayList<byte[]>();
        for (int t = 0; t < count; t++) {
            int from = Math.min(stream.length, t * part);
            byte[] payload = Arrays.copyOfRange(stream, from, Math.min(stream.length, from + part));
            Operation operation =
                    t == 0
                            ? new Operation.TransmitRequest(
                                    List.of(),
                                    directions(),
                                    count,
                                    random.nextInt(SENDS_MAX),
                                    payload.length,
                                    Optional.empty())
                            : new Operation.Continuation(
                                    t, Version2HeaderCodec.XMTREQ, payload.length);
            sends.add(
                    ManualConnection.message(
                            new Version2Header.Option(
                                    xid, HostileMessageSource.CREDITS, Direction.CALL, operation),
                            payload));
        }
        disturb(sends);
        return sends;
    }

    private void disturb(List<byte[]> sends) {
        int at = random.nextInt(sends.size());
        switch (random.nextInt(8)) {
            case 0 -> sends.set(at, source.damaged(sends.get(at)));
            case 1 -> sends.remove(at);
            case 2 -> sends.add(at, sends.get(random.nextInt(sends.size())));
            case 3 -> Collections.reverse(sends);
            case 4 -> sends.add(at, source.next(random.nextInt()));
            default -> {}
        }
    }

    /** Returns the targets of results: one set, as for programs without operations, or none. */
    private List<ResponseSet> directions() {
        if (random.nextBoolean()) {
            return List.of();
        }
        var target =
                switch (random.nextInt(4)) {
                    case 0 -> new Target.Numbered();
                    case 1 -> new Target.Explicit(source.chunk().segments());
                    case 2 -> new Target.Choice(source.chunk().segments());
                    default ->
                            new Target.BySize(
                                    random.nextInt(HostileMessageSource.DATA_MAX),
                                    source.chunk().segments());
                };
        var item = new ResponseSet.ExpectedResult(random.nextInt(3), target);
        return List.of(new ResponseSet(0, Integer.BYTES, List.of(item)));
    }
}
