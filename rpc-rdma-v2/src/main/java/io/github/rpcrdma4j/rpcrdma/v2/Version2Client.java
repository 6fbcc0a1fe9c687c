package io.github.rpcrdma4j.rpcrdma.v2;

import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import io.github.rpcrdma4j.rpcrdma.profile.ClientProfile;
import io.github.rpcrdma4j.rpcrdma.profile.WireProfile;
import io.github.rpcrdma4j.rpcrdma.responder.Responder;
import io.github.rpcrdma4j.rpcrdma.v2.characteristics.VersionMemory;
import io.github.rpcrdma4j.rpcrdma.v2.characteristics.VersionProbe;
import io.github.rpcrdma4j.rpcrdma.v2.connection.Version2Receiver;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2Counter;
import io.github.rpcrdma4j.rpcrdma.v2.requester.Version2Requester;
import java.util.Optional;

/** Probes for the version that a server speaks, and speaks it on one connection of a client. */
final class Version2Client implements ClientProfile {
    private final VersionMemory memory;
    private final ClientProfile.Setup setup;
    private final Version2Side side;
    private VersionProbe probe;

    /** Null before the first message. */
    private Version2Receiver receiver;

    /** Null unless the server speaks version 2. */
    private Version2Requester requester;

    Version2Client(Version2 version2, VersionMemory memory, ClientProfile.Setup setup) {
        this.memory = memory;
        this.setup = setup;
        this.probe = version2.speaks1() ? VersionProbe.EITHER : VersionProbe.ONLY_2;
        this.side = new Version2Side(version2, setup.settings(), setup.isServing());
    }

    @Override
    public int version() {
        return requester == null ? 1 : 2;
    }

    @Override
    public Optional<WireProfile> open() throws RpcException, InterruptedException {
        setup.locked(this::sendFirstMessage);
        long patience = probe.patienceNanos(Timeouts.nanos(setup.settings().connectTimeout()));
        if (!setup.await(() -> probe.isOver(), patience)) {
            setup.locked(() -> onVersionEvent(VersionProbe.Event.NO_ANSWER));
        }
        switch (probe) {
            case VERSION_1 -> {
                setup.locked(() -> setup.endpoint().interceptor(Optional.empty()));
                memory.remember(setup.server(), setup.nanoTime());
            }
            case VERSION_2 -> {
                setup.counters().count(Version2Counter.VERSION_2_CONNECTIONS);
                setup.locked(this::speak);
            }
            case VERSION_1_NEW_CONNECTION -> {
                memory.remember(setup.server(), setup.nanoTime());
                return Optional.of(WireProfile.RFC_8166);
            }
            case SILENT -> throw unreachable("does not answer version 2 of RPC-over-RDMA");
            case EITHER, ONLY_2, NONE ->
                    throw unreachable("does not speak version 2 of RPC-over-RDMA");
        }
        return Optional.empty();
    }

    private RpcException unreachable(String why) {
        return new RpcException.Unreachable(HostPort.text(setup.server()) + " " + why, null);
    }

    private void sendFirstMessage() {
        receiver =
                side.receiver(setup, setup.requester()::holds, this::onVersionEvent, this::changed);
        setup.endpoint().interceptor(Optional.of(receiver));
        receiver.open();
    }

    private void onVersionEvent(VersionProbe.Event event) {
        probe = probe.on(event);
    }

    private void speak() {
        requester =
                side.speak(
                        setup.requester(),
                        setup.endpoint(),
                        setup.counters(),
                        receiver,
                        setup::nanoTime);
        changed();
    }

    /** Applies the characteristics that the server has sent first, or has changed. */
    private void changed() {
        if (requester != null) {
            var exchange = receiver.exchange();
            setup.agree(
                    side.ofClient(setup.initial(), exchange),
                    requester.planner(side.replyChunks(exchange)));
        }
    }

    @Override
    public void serve(Responder responder) {
        if (requester != null) {
            side.speak(responder, setup.endpoint(), setup.counters(), receiver);
        }
    }

    /**
     * Returns the receiver of this connection's messages; null before the first message is sent.
     */
    Version2Receiver receiver() {
        return receiver;
    }
}
