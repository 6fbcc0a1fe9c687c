package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.spi.DuplicateRequestCache.Arguments;
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

/**
 * Has each call carried out once that must not be carried out twice, however often it comes.
 * Thread-safe.
 */
final class DuplicateRequests {
    private final LongSupplier clock;

    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock. */
    private final DuplicateRequestCache cache = new DuplicateRequestCache();

    /** Where those wait who wait for one call in progress; guarded by the lock. */
    private final Map<Object, Condition> ends = new IdentityHashMap<>();

    /** Carries out a call. */
    interface Execution {
        AcceptStatus run() throws InterruptedException;
    }

    /**
     * @param clock in nanoseconds of any origin
     */
    DuplicateRequests(LongSupplier clock) {
        this.clock = clock;
    }

    /**
     * Carries out a call, or waits for what became of it, or takes what is kept of it.
     *
     * @param request its arguments are not read here
     * @param results where the results go; what is there already is not theirs
     * @param execution writes the results
     * @return empty if the call is not to be answered
     * @throws InterruptedException if the program was interrupted, or the wait for it
     */
    Optional<AcceptStatus> carryOut(
            CallHeader header, RpcRequest request, XdrWriter results, Execution execution)
            throws InterruptedException {
        var identity = identity(header, request);
        return switch (verdict(identity, request.peer())) {
            case Verdict.CarryOut() -> Optional.of(carryOut(identity, results, execution));
            case Verdict.CarryOutUnknown() -> Optional.of(execution.run());
            case Verdict.Repeat(var reply) -> {
                reply.writeTo(results);
                yield Optional.of(reply.status());
            }
            case Verdict.Drop() -> Optional.empty();
            case Verdict.Await _ -> throw new AssertionError("the wait is over");
        };
    }

    private Verdict verdict(Request request, Object connection) throws InterruptedException {
        lock.lock();
        try {
            var verdict = cache.arrived(request, connection, clock.getAsLong());
            if (verdict instanceof Verdict.Await(var execution)) {
                // One that waits by an older connection is not to wait any more.
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

    private AcceptStatus carryOut(Request request, XdrWriter results, Execution execution)
            throws InterruptedException {
        long from = results.reducedLength();
        Optional<CachedReply> reply = Optional.empty();
        try {
            var status = execution.run();
            reply =
                    status == AcceptStatus.SUCCESS
                            ? CachedReply.copy(results, from)
                            : Optional.of(CachedReply.refusal(status));
            return status;
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

    private static Request identity(CallHeader header, RpcRequest request) {
        var checksum = new CRC32C();
        var gist = new CRC32C();
        var bytes = new long[1];
        request.arguments()
                .peekAll(
                        piece -> {
                            checksum.update(piece.asByteBuffer());
                            gist.update(withoutZeros(piece));
                            bytes[0] += piece.byteSize();
                        });
        return new Request(
                header.xid(),
                header.program(),
                header.version(),
                header.procedure(),
                caller(request.credential()),
                request.peer().getHostString(),
                request.client(),
                new Arguments(
                        (int) gist.getValue(),
                        (int) checksum.getValue(),
                        bytes[0],
                        request.arguments().isPadded()));
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

    /** The stamp of AUTH_SYS is arbitrary: some clients take the time for it. */
    private static Credential caller(Credential credential) {
        return credential instanceof Credential.Sys(_, var machine, var uid, var gid, var gids)
                ? new Credential.Sys(0, machine, uid, gid, gids)
                : credential;
    }
}
