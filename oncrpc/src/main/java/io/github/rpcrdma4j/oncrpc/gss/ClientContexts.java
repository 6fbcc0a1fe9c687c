package io.github.rpcrdma4j.oncrpc.gss;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.gss.ClientContextState.Action;
import io.github.rpcrdma4j.oncrpc.gss.ClientContextState.Event;
import io.github.rpcrdma4j.oncrpc.spi.RpcTransport;
import io.github.rpcrdma4j.xdr.XdrException;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The successive contexts of a client with one version of one program. Thread-safe. When several
 * calls find no context, one of them negotiates it and the others wait.
 *
 * <p>Tests: {@code GssOverTcpTest}.
 */
final class ClientContexts {
    /**
     * The most rounds of a negotiation. Mechanisms need one or two, so a server that needs more
     * than this would never finish.
     */
    private static final int ROUNDS_MAX = 16;

    private static final Duration DESTROY_TIMEOUT = Duration.ofSeconds(2);

    /** An established context. */
    private static final class Current {
        final SharedContext shared;
        final byte[] handle;
        final SequenceNumbers numbers;

        Current(GssContext context, byte[] handle, int window) {
            this.shared = new SharedContext(context);
            this.handle = handle;
            this.numbers = new SequenceNumbers(window);
        }
    }

    /** The right to make one call under the context. */
    final class CallSlot implements AutoCloseable {
        private final Current current;
        private final int sequence;

        private CallSlot(Current current, int sequence) {
            this.current = current;
            this.sequence = sequence;
            current.shared.enter();
        }

        GssCallProtection protection() {
            return protection(GssProcedure.DATA);
        }

        private GssCallProtection protection(GssProcedure procedure) {
            return new GssCallProtection(
                    current.shared.context(),
                    new GssCredential(procedure, sequence, service, current.handle));
        }

        /** Reports that the server denied the call, so its context can no longer be used. */
        void rejected() {
            lock.lock();
            try {
                if (current == newest) {
                    act(Event.REJECTED);
                }
            } finally {
                lock.unlock();
            }
        }

        /** Ends the call. */
        @Override
        public void close() {
            lock.lock();
            try {
                current.numbers.ended(sequence);
                changed.signalAll();
            } finally {
                lock.unlock();
            }
            current.shared.leave();
        }
    }

    private final RpcTransport transport;
    private final GssContext.Initiator initiator;
    private final GssService service;
    private final int program;
    private final int version;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private ClientContextState state = ClientContextState.ABSENT;

    /** The established context; null if there is none. */
    private Current newest;

    ClientContexts(
            RpcTransport transport,
            GssContext.Initiator initiator,
            GssService service,
            int program,
            int version) {
        this.transport = transport;
        this.initiator = initiator;
        this.service = service;
        this.program = program;
        this.version = version;
    }

    /**
     * Waits until a call may be made, and negotiates a context if there is none.
     *
     * @param deadline the end of the wait, by {@link System#nanoTime}
     */
    CallSlot acquire(long deadline) throws RpcException, InterruptedException {
        while (true) {
            lock.lockInterruptibly();
            try {
                var actions = act(Event.WANTED);
                if (actions.contains(Action.FAIL)) {
                    throw closed();
                }
                if (actions.contains(Action.USE)) {
                    var number = number();
                    if (number.isPresent()) {
                        return new CallSlot(newest, number.getAsInt());
                    }
                }
                if (!actions.contains(Action.INITIATE)) {
                    await(deadline);
                    continue;
                }
            } finally {
                lock.unlock();
            }
            negotiate(deadline);
        }
    }

    private OptionalInt number() {
        var number = newest.numbers.take();
        if (number.isEmpty() && newest.numbers.isUsedUp()) {
            act(Event.USED_UP);
        }
        return number;
    }

    private void await(long deadline) throws RpcException, InterruptedException {
        if (state == ClientContextState.ABSENT) {
            return;
        }
        if (changed.awaitNanos(deadline - System.nanoTime()) <= 0) {
            throw new RpcException.TimedOut("no security context within the deadline");
        }
    }

    private static RpcException closed() {
        return new RpcException.ConnectionLost("closed on this side", null);
    }

    /**
     * Applies an event with the lock held. Retires the newest context if the step requires it. The
     * caller takes the other actions.
     */
    private Set<Action> act(Event event) {
        var step = state.on(event);
        state = step.next();
        if (step.actions().contains(Action.RETIRE) && newest != null) {
            newest.shared.retire();
            newest = null;
        }
        changed.signalAll();
        return step.actions();
    }

    private void negotiate(long deadline) throws RpcException, InterruptedException {
        Current established = null;
        try {
            established = establish(deadline);
        } catch (GssException refused) {
            throw new RpcException.NotAuthenticated(refused.getMessage(), refused);
        } finally {
            lock.lock();
            try {
                if (established == null) {
                    act(Event.FAILED);
                } else if (act(Event.COMPLETE).contains(Action.USE)) {
                    newest = established;
                } else {
                    established.shared.retire();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    private Current establish(long deadline)
            throws GssException, RpcException, InterruptedException {
        var mechanism = initiator.initiate();
        boolean complete = false;
        try {
            byte[] token = mechanism.step(new byte[0]);
            byte[] handle = new byte[0];
            var procedure = GssProcedure.INIT;
            for (int round = 0; round < ROUNDS_MAX; round++) {
                var credential = new GssCredential(procedure, 0, service, handle);
                var current = exchange(mechanism, credential, token, deadline);
                if (current.established != null) {
                    complete = true;
                    return current.established;
                }
                token = current.token;
                handle = current.handle;
                procedure = GssProcedure.CONTINUE_INIT;
            }
            throw new RpcException.NotAuthenticated(
                    "the server did not complete the security context within "
                            + ROUNDS_MAX
                            + " rounds",
                    null);
        } finally {
            if (!complete) {
                mechanism.close();
            }
        }
    }

    /**
     * The result of one round: an established context, or the next token and the server's handle.
     */
    private record Round(Current established, byte[] token, byte[] handle) {}

    private Round exchange(
            GssContext mechanism, GssCredential credential, byte[] token, long deadline)
            throws GssException, RpcException, InterruptedException {
        // A token is not a bulk item: it stays in the stream (RFC 8166-8.2.2-1).
        var call =
                new RpcCall(program, version, 0, out -> out.opaque(token), GssInitResult.BYTES_MAX);
        var protection = new GssInitProtection(credential);
        var left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
        try (var reply = transport.call(call, protection, left)) {
            var result = GssInitResult.decode(reply.results());
            boolean complete = result.major() == GssInitResult.COMPLETE;
            if (!complete && result.major() != GssInitResult.CONTINUE_NEEDED) {
                throw new RpcException.NotAuthenticated(
                        "the server refuses the security context (gss_major 0x%x, gss_minor %d)"
                                .formatted(result.major(), result.minor()),
                        null);
            }
            byte[] next = mechanism.isEstablished() ? new byte[0] : mechanism.step(result.token());
            if (!complete) {
                requireOpen();
                return new Round(null, next, result.handle());
            }
            if (!mechanism.isEstablished()) {
                throw new RpcException.NotAuthenticated(
                        "the server reports a complete security context, but the client's end is"
                                + " incomplete",
                        null);
            }
            GssCallProtection.check(mechanism, result.window(), protection.replyVerifier());
            return new Round(
                    new Current(mechanism, result.handle(), result.window()),
                    next,
                    result.handle());
        } catch (XdrException malformed) {
            throw new RpcException.BadReply(
                    "the server's part of a security context is malformed: "
                            + malformed.getMessage());
        }
    }

    /** Throws if the client was closed meanwhile, so that no further token is sent. */
    private void requireOpen() throws RpcException {
        lock.lock();
        try {
            if (!act(Event.MORE_NEEDED).contains(Action.CONTINUE)) {
                throw closed();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends the context at the server with a DESTROY call. Waiting calls fail. Closing twice is
     * harmless.
     */
    void close() {
        CallSlot last = null;
        boolean owesDestroy;
        lock.lock();
        try {
            // DESTROY is a call under the context, so it takes its slot before the keys are
            // destroyed.
            var number = newest == null ? OptionalInt.empty() : newest.numbers.take();
            if (number.isPresent()) {
                last = new CallSlot(newest, number.getAsInt());
            }
            owesDestroy = act(Event.CLOSE).contains(Action.DESTROY);
        } finally {
            lock.unlock();
        }
        if (owesDestroy && last != null) {
            destroy(last);
        }
    }

    private void destroy(CallSlot slot) {
        var call = new RpcCall(program, version, 0, _ -> {}, 0);
        try (slot;
                var reply =
                        transport.call(
                                call, slot.protection(GssProcedure.DESTROY), DESTROY_TIMEOUT)) {
            reply.results().finish();
        } catch (RpcException | XdrException _) {
            // The server removes an idle context by itself after some time.
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
