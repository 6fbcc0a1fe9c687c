package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.state.event.Connection;
import io.github.rpcrdma4j.nfs.state.event.Principal;
import io.github.rpcrdma4j.nfs.state.event.Sender;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackCompound;
import io.github.rpcrdma4j.oncrpc.CallOutcome;
import io.github.rpcrdma4j.oncrpc.CallPipeline;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A connection to a {@link SimServer}: calls and replies travel for a time, or are lost. */
final class SimConnection implements RpcClient {
    private static final int CALL = 1;

    /** The longest time until the server hears that a connection has ended. */
    private static final long HALF_OPEN_NANOS = 20 * SimServer.SECOND;

    final Connection identity;
    private final SimConnector network;
    private final SimServer server;
    private final BackChannel callbacks;

    /** Calls without an outcome. */
    private final List<Sent> outstanding = new ArrayList<>();

    /** Why the connection is lost; null if it is not. */
    private String lost;

    private long lostAt;

    /** A call, its deadline, and its outcome: a reply or a failure. */
    private static final class Sent {
        final CallOutcome told;
        final long deadline;
        byte[] reply;
        RpcException failure;

        Sent(CallOutcome told, long deadline) {
            this.told = told;
            this.deadline = deadline;
        }

        boolean isOver() {
            return reply != null || failure != null;
        }
    }

    private record Reply(XdrReader results) implements RpcReply {
        @Override
        public void close() {}
    }

    SimConnection(SimConnector network, BackChannel callbacks) {
        this.network = network;
        this.server = network.server;
        this.callbacks = callbacks;
        this.identity = new Connection(++server.lastConnection, callbacks != null);
    }

    Sender sender() {
        return new Sender(
                new Principal("sys:0"), false, identity, network.host, network.host.toString());
    }

    boolean isLost() {
        return lost != null;
    }

    /** Returns whether the client has lost the connection for longer than that. */
    boolean isLostFor(long nanos) {
        return lost != null && server.now() - lostAt > nanos;
    }

    /** Loses the connection: for the client at once, for the server maybe later. */
    void cut(String why) {
        if (lost != null) {
            return;
        }
        lost = why;
        lostAt = server.now();
        for (var each : outstanding) {
            if (!each.isOver()) {
                each.failure = new RpcException.ConnectionLost(why, null);
            }
        }
        outstanding.clear();
        long after = server.faults.isLate() ? server.world.random().nextLong(HALF_OPEN_NANOS) : 0;
        server.after(after, () -> server.ended(this));
    }

    private Sent send(RpcCall call, CallOutcome told, long nanos) {
        var sent = new Sent(told, server.now() + nanos);
        if (lost != null) {
            sent.failure = new RpcException.ConnectionLost(lost, null);
            return sent;
        }
        outstanding.add(sent);
        if (call.procedure() != CALL) {
            sent.reply = new byte[0];
            return sent;
        }
        byte[] arguments = SimCompound.encoded(call.arguments());
        long transit = server.faults.transitNanos();
        if (network.isDark()) {
            return sent;
        }
        if (server.faults.losesCall()) {
            server.world.after(transit / 2, () -> cut("a call was lost"));
            if (!server.faults.isLate()) {
                return sent;
            }
        }
        server.after(
                transit,
                () -> new SimCompound(server, this, arguments, each -> reply(sent, each)).run());
        return sent;
    }

    private void reply(Sent sent, byte[] reply) {
        if (network.isDark()) {
            return;
        }
        if (server.faults.losesReply()) {
            cut("a reply was lost");
            return;
        }
        server.world.after(
                server.faults.transitNanos(),
                () -> {
                    if (!sent.isOver()) {
                        sent.reply = reply;
                        outstanding.remove(sent);
                    }
                });
    }

    @Override
    public RpcReply call(RpcCall call, Duration timeout) throws RpcException, InterruptedException {
        long nanos = Timeouts.nanosOfCall(timeout);
        var sent = send(call, null, nanos);
        try {
            network.threads.await(sent::isOver, nanos);
        } finally {
            outstanding.remove(sent);
        }
        if (sent.failure != null) {
            throw sent.failure;
        }
        if (sent.reply == null) {
            throw timedOut();
        }
        return new Reply(new XdrReader(MemorySegment.ofArray(sent.reply)));
    }

    private static RpcException timedOut() {
        return new RpcException.TimedOut("no reply in time");
    }

    /**
     * Calls the client back.
     *
     * @param whenDone gets the outcome; null if there is none
     */
    void callBack(CallbackCompound call, Consumer<CallbackCompound.Outcome> whenDone) {
        byte[] bytes = SimCompound.encoded(call::encode);
        if (network.isDark() || lost != null || server.faults.losesCallback()) {
            server.after(SimServer.SECOND, () -> whenDone.accept(null));
            return;
        }
        // A thread of its own, because the client may have to wait for a lock.
        var answering =
                network.threads.unstarted(
                        "callback",
                        () -> {
                            var outcome = answer(bytes);
                            server.after(
                                    server.faults.transitNanos(), () -> whenDone.accept(outcome));
                        });
        server.after(server.faults.transitNanos(), answering::start);
    }

    private CallbackCompound.Outcome answer(byte[] call) {
        try {
            var answer = callbacks.answer(new XdrReader(MemorySegment.ofArray(call)));
            byte[] reply = SimCompound.encoded(answer::encode);
            return CallbackCompound.Outcome.decode(new XdrReader(MemorySegment.ofArray(reply)));
        } catch (XdrException malformed) {
            throw new AssertionError(malformed);
        }
    }

    @Override
    public CallPipeline pipeline() {
        return new Pipeline();
    }

    @Override
    public void close() {
        cut("closed on this side");
    }

    /** Calls that one thread keeps outstanding. */
    private final class Pipeline implements CallPipeline {
        private final List<Sent> calls = new ArrayList<>();

        @Override
        public void submit(RpcCall call, Duration timeout, CallOutcome outcome) {
            calls.add(send(call, outcome, Timeouts.nanosOfCall(timeout)));
        }

        private boolean isDue(Sent sent) {
            return sent.isOver() || sent.deadline <= server.now();
        }

        @Override
        public boolean poll(Duration timeout) throws InterruptedException {
            long due = server.now() + Timeouts.nanos(timeout);
            for (var each : calls) {
                due = Math.min(due, each.deadline);
            }
            network.threads.await(
                    () -> calls.stream().anyMatch(this::isDue), Math.max(0, due - server.now()));
            var over = calls.stream().filter(this::isDue).toList();
            calls.removeAll(over);
            for (var each : over) {
                outstanding.remove(each);
                deliver(each);
            }
            return !over.isEmpty();
        }

        private void deliver(Sent sent) {
            if (sent.reply == null) {
                sent.told.failed(sent.failure == null ? timedOut() : sent.failure);
                return;
            }
            try {
                sent.told.succeeded(new XdrReader(MemorySegment.ofArray(sent.reply)));
            } catch (XdrException malformed) {
                sent.told.failed(RpcException.BadReply.of(malformed));
            }
        }

        @Override
        public int outstanding() {
            return calls.size();
        }

        @Override
        public void close() {
            outstanding.removeAll(calls);
            calls.clear();
        }
    }
}
