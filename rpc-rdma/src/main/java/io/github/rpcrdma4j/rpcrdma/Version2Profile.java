package io.github.rpcrdma4j.rpcrdma;

import io.github.rpcrdma4j.rpcrdma.connect.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connect.Exchanges;
import io.github.rpcrdma4j.rpcrdma.connect.Reception;
import io.github.rpcrdma4j.rpcrdma.connect.Terms;
import io.github.rpcrdma4j.rpcrdma.exchange.Introduction;
import io.github.rpcrdma4j.rpcrdma.exchange.VersionProbe;
import io.github.rpcrdma4j.rpcrdma.wire.v2.BufferStructure;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Characteristic.Reverse;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Extension;
import io.github.rpcrdma4j.xdr.SegmentPool;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.IntPredicate;

/** What an endpoint is like in version 2, by its options. */
final class Version2Profile {
    private final RpcRdmaOptions options;
    private final Version2 version2;
    private final boolean callsBothWays;

    /**
     * @param callsBothWays whether calls against the usual direction are served, or made
     */
    Version2Profile(RpcRdmaOptions options, boolean callsBothWays) {
        this.options = options;
        this.version2 = options.version2().orElseThrow();
        this.callsBothWays = callsBothWays;
    }

    private Introduction.Own own() {
        var receives =
                new BufferStructure(
                        options.inlineReceive(),
                        List.of(new BufferStructure.Group(1, options.inlineReceive(), 0, 0)));
        return new Introduction.Own(
                receives,
                options.remoteInvalidation(),
                callsBothWays ? Reverse.SIZE_LIMITED : Reverse.NONE,
                0,
                1,
                1,
                0,
                0);
    }

    /**
     * Who takes what arrives on a connection.
     *
     * @param inUse whether a call has that XID
     * @param heard told what a message means for the version
     * @param changed told when something else may hold of the peer
     */
    Reception reception(
            Endpoint endpoint,
            SegmentPool pool,
            Statistics statistics,
            IntPredicate inUse,
            Consumer<VersionProbe.Event> heard,
            Runnable changed) {
        var last = new int[] {ThreadLocalRandom.current().nextInt()};
        var self = new Reception[1];
        var wanted = version2.wantedReceive();
        var exchanges =
                new Exchanges(
                        own(),
                        options.credits(),
                        version2.receiveMax(),
                        wanted.isPresent()
                                ? OptionalLong.of(wanted.getAsInt())
                                : OptionalLong.empty(),
                        () -> {
                            do {
                                last[0]++;
                            } while (inUse.test(last[0]));
                            return last[0];
                        },
                        size -> endpoint.growReceives((int) size, () -> self[0].drained()),
                        changed);
        self[0] =
                new Reception(
                        endpoint,
                        pool,
                        statistics,
                        exchanges,
                        options.credits(),
                        Set.of(Extension.CHARACTERISTICS),
                        heard);
        return self[0];
    }

    /** What holds for a client's calls. */
    Terms ofClient(Terms initial, Exchanges exchanges) {
        return initial.ofVersion2(
                exchanges.sendMax(options.inlineSend()),
                initial.replyThreshold(),
                options.remoteInvalidation());
    }

    /** What holds for the calls of a client, at its server. */
    Terms ofServer(Terms initial, Exchanges exchanges) {
        return initial.ofVersion2(
                initial.callThreshold(),
                exchanges.sendMax(options.inlineSend()),
                // XCH-3.2-1.
                options.remoteInvalidation() && exchanges.peer().acceptsRemoteInvalidation());
    }
}
