package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.spi.CallIdentity.Arguments;
import io.github.rpcrdma4j.oncrpc.spi.DuplicateRequestCache.Request;
import io.github.rpcrdma4j.oncrpc.spi.DuplicateRequestCache.Verdict;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;

/** Carries out a call that is not repeatable once, however often a client sends it. Thread-safe. */
final class DuplicateRequests {
    private final LongSupplier clock;

    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock. */
    private final DuplicateRequestCache cache = new DuplicateRequestCache();

    /**
     * For each call in progress, the condition on which its repetitions wait. Guarded by the lock.
     */
    private final Map<Object, Condition> ends = new IdentityHashMap<>();

    /** The execution of a call by its program. */
    interface Execution {
        AcceptStatus run() throws InterruptedException;
    }

    /** The execution of a call that may have no known outcome. */
    interface Attempt {
        /** Returns empty if the outcome is unknown; then a repetition is carried out. */
        Optional<AcceptStatus> run() throws InterruptedException;
    }

    /**
     * @param clock the clock by which kept replies age, in nanoseconds of any origin
     */
    DuplicateRequests(LongSupplier clock) {
        this.clock = clock;
    }

    /**
     * Carries out a call, waits for its outcome, or writes its kept reply.
     *
     * @param request the call; this method does not consume its arguments
     * @param user for whom the call is carried out, as in {@link CallIdentity}
     * @param results receives the results; bytes that it already holds are not part of them
     * @param execution writes the results
     * @return empty if the call gets no reply
     * @throws InterruptedException if the program, or the wait for it, was interrupted
     */
    Optional<AcceptStatus> execute(
            CallHeader header,
            RpcRequest request,
            String user,
            XdrWriter results,
            Execution execution)
            throws InterruptedException {
        var recorded = recorded(header, request, user);
        return switch (verdict(recorded, request.peer())) {
            case Verdict.Execute() ->
                    executeRecorded(recorded, results, () -> Optional.of(execution.run()));
            case Verdict.ExecuteUnrecorded() -> Optional.of(execution.run());
            case Verdict.Repeat(var reply) -> {
                reply.writeTo(results);
                yield Optional.of(reply.status());
            }
            case Verdict.Drop _ -> Optional.empty();
            case Verdict.Await _ -> throw new AssertionError("the wait is over");
        };
    }

    /**
     * Carries out a call as {@link #execute} does. But a call that waited for an execution without
     * a known outcome is carried out itself.
     *
     * @param results receives the whole reply; it is empty
     * @return whether there is a reply
     */
    boolean executeOrAgain(
            CallHeader header, RpcRequest request, XdrWriter results, Attempt attempt)
            throws InterruptedException {
        var recorded = recorded(header, request, "");
        while (true) {
            switch (verdict(recorded, request.peer())) {
                case Verdict.Execute() -> {
                    return executeRecorded(recorded, results, attempt).isPresent();
                }
                case Verdict.ExecuteUnrecorded() -> {
                    return attempt.run().isPresent();
                }
                case Verdict.Repeat(var reply) -> {
                    reply.writeTo(results);
                    return true;
                }
                case Verdict.Drop(var isForgotten) -> {
                    if (!isForgotten) {
                        return false;
                    }
                }
                case Verdict.Await _ -> throw new AssertionError("the wait is over");
            }
        }
    }

    /** Forgets the replies that a connection got last. */
    void left(Object connection) {
        lock.lock();
        try {
            cache.left(connection);
        } finally {
            lock.unlock();
        }
    }

    private Verdict verdict(Request request, Object connection) throws InterruptedException {
        lock.lock();
        try {
            var verdict = cache.arrived(request, connection, clock.getAsLong());
            if (verdict instanceof Verdict.Await(var execution)) {
                // A repetition on an older connection stops waiting.
                end(execution).signalAll();
            }
            while (verdict instanceof Verdict.Await(var execution)) {
                end(execution).await();
                verdict = cache.awaited(request, connection);
            }
            return verdict;
        } finally {
            lock.unlock();
        }
    }

    private Condition end(Object execution) {
        return ends.computeIfAbsent(execution, _ -> lock.newCondition());
    }

    private Optional<AcceptStatus> executeRecorded(
            Request request, XdrWriter results, Attempt attempt) throws InterruptedException {
        long from = results.reducedLength();
        Optional<CachedReply> reply = Optional.empty();
        try {
            var outcome = attempt.run();
            if (outcome.isPresent()) {
                var status = outcome.get();
                reply =
                        status == AcceptStatus.SUCCESS
                                ? CachedReply.copy(results, from)
                                : Optional.of(CachedReply.refusal(status));
            }
            return outcome;
        } finally {
            end(request, reply);
        }
    }

    private void end(Request request, Optional<CachedReply> reply) {
        lock.lock();
        try {
            var ended =
                    reply.isPresent()
                            ? cache.done(request, reply.get(), clock.getAsLong())
                            : cache.forget(request);
            var waiting = ends.remove(ended);
            if (waiting != null) {
                waiting.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    private static Request recorded(CallHeader header, RpcRequest request, String user) {
        var checksum = new CRC32C();
        var nonZeroChecksum = new CRC32C();
        var bytes = new long[1];
        request.arguments()
                .peekAll(
                        piece -> {
                            checksum.update(piece.asByteBuffer());
                            nonZeroChecksum.update(withoutZeros(piece));
                            bytes[0] += piece.byteSize();
                        });
        var arguments =
                new Arguments(
                        (int) nonZeroChecksum.getValue(),
                        (int) checksum.getValue(),
                        bytes[0],
                        request.arguments().isPadded());
        var caller = caller(request.credential());
        var address = request.peer().getHostString();
        return new Request(
                CallIdentity.of(header, caller, user, address, arguments),
                request.client(),
                arguments);
    }

    private static byte[] withoutZeros(MemorySegment piece) {
        byte[] bytes = piece.toArray(ValueLayout.JAVA_BYTE);
        int count = 0;
        for (byte oneByte : bytes) {
            bytes[count] = oneByte;
            count += oneByte == 0 ? 0 : 1;
        }
        return Arrays.copyOf(bytes, count);
    }

    /** Clears the stamp of AUTH_SYS. It is arbitrary: some clients put the time there. */
    private static Credential caller(Credential credential) {
        return credential instanceof Credential.Sys(_, var machine, var uid, var gid, var gids)
                ? new Credential.Sys(0, machine, uid, gid, gids)
                : credential;
    }
}
