package io.github.rpcrdma4j.rpcrdma.v2;

import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.profile.ServerProfile;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlanner;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlanner.EncodedCall;
import io.github.rpcrdma4j.rpcrdma.requester.ChunkedCall;
import io.github.rpcrdma4j.rpcrdma.requester.Requester;
import io.github.rpcrdma4j.rpcrdma.v2.connection.Version2Receiver;
import io.github.rpcrdma4j.rpcrdma.v2.connection.VersionGate;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies.ReplyChunks;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2Counter;
import io.github.rpcrdma4j.rpcrdma.v2.requester.Version2Requester;
import io.github.rpcrdma4j.rpcrdma.wire.PlainMessage;
import java.util.Optional;

/** Speaks the version that a client begins with, on one connection of a server. */
final class Version2Server implements ServerProfile {
    /** The planner for a client that said that it serves no calls. */
    private static final CallPlanner NO_CALLS =
            new CallPlanner() {
                @Override
                public PlainMessage.Rule plain() {
                    return PlainMessage.Rule.NONE;
                }

                @Override
                public ChunkedCall plan(EncodedCall encoded) throws RpcException {
                    throw new RpcException.TransportRefused(
                            "the client says that it serves no calls");
                }
            };

    private final Version2 version2;
    private final ServerProfile.Setup setup;
    private final Version2Side side;

    /** Null unless the client speaks version 2. */
    private Version2Receiver receiver;

    /** Null unless this server calls the client back in version 2. */
    private Version2Requester requester;

    Version2Server(Version2 version2, ServerProfile.Setup setup) {
        this.version2 = version2;
        this.setup = setup;
        this.side = new Version2Side(version2, setup.settings(), true);
    }

    @Override
    public void begin() {
        var gate =
                new VersionGate(
                        setup.endpoint(),
                        setup.counters(),
                        setup.settings().credits(),
                        version2.speaks1(),
                        setup.responder(),
                        this::speak);
        setup.endpoint().interceptor(Optional.of(gate));
    }

    private Version2Receiver speak() {
        receiver = side.receiver(setup, setup::callsWith, _ -> {}, this::changed);
        side.speak(setup.responder(), setup.endpoint(), setup.counters(), receiver);
        setup.counters().count(Version2Counter.VERSION_2_CONNECTIONS);
        changed();
        return receiver;
    }

    /** Applies the connection parameters of both directions (V2-5.2-4). */
    private void changed() {
        setup.agree(side.ofServer(setup.initial(), receiver.exchange()));
    }

    @Override
    public void callBack(Requester by) {
        if (receiver != null) {
            requester =
                    side.speak(
                            by,
                            setup.endpoint(),
                            setup.reverseCounters(),
                            receiver,
                            setup::nanoTime);
        }
    }

    @Override
    public CallPlanner planner() {
        if (requester == null) {
            return CallPlanner.RFC_8166;
        }
        // XCH-3.3-1; if the client said nothing, the calling program knows better.
        return switch (receiver.exchange().peer().reverse()) {
            case NONE -> NO_CALLS;
            case UNKNOWN, SIZE_LIMITED, GENERAL -> requester.planner(ReplyChunks.ALWAYS);
        };
    }

    @Override
    public void expire(long now, long nanos) {
        if (receiver != null) {
            receiver.expire(now, nanos);
        }
    }

    /** Returns the receiver of version 2 messages; null unless the client speaks version 2. */
    Version2Receiver receiver() {
        return receiver;
    }
}
