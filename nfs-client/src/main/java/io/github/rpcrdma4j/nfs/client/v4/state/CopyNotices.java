package io.github.rpcrdma4j.nfs.client.v4.state;

import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments.Offload;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * The ends of copies that a server has told by CB_OFFLOAD, until they are asked for: a callback may
 * come before the reply to its COPY. Those of copies that nobody knows are forgotten soon. Times
 * are in nanoseconds. Used by one thread at a time.
 *
 * <p>Tests: {@code OffloadedCopyTest}.
 */
public final class CopyNotices {
    /** The most ends that are kept. */
    static final int MAX = 256;

    private static final long KEPT_NANOS = 10_000_000_000L;

    private record Notice(StateId copy, Offload.End end, long heard) {}

    /** The newest one last. A server could choose names of one hash code. */
    private final Deque<Notice> notices = new ArrayDeque<>();

    /** Hears an end. */
    public void hear(Offload told, long now) {
        notices.addLast(new Notice(key(told.copy()), told.end(), now));
        while (notices.size() > MAX || isOld(notices.getFirst(), now)) {
            notices.removeFirst();
        }
    }

    private static boolean isOld(Notice notice, long now) {
        return now - notice.heard > KEPT_NANOS;
    }

    /** Returns and forgets the end of a copy, if it was told. */
    public Optional<Offload.End> take(StateId copy) {
        var wanted = key(copy);
        var found = notices.stream().filter(each -> each.copy.equals(wanted)).findFirst();
        notices.removeIf(each -> each.copy.equals(wanted));
        return found.map(Notice::end);
    }

    /** Forgets all: a server that has restarted may use the same names once more. */
    public void forget() {
        notices.clear();
    }

    private static StateId key(StateId copy) {
        return copy.withSequence(0);
    }
}
