package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.event.KernelAnswer;
import io.github.rpcrdma4j.nfs.state.event.LockOutcome;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import java.util.function.LongConsumer;

/**
 * The events of {@link ServerState} by which the kernel answers {@link Action.KernelLock}. Its
 * rules hold for them.
 */
public final class KernelLockEvents {
    private final LongConsumer begin;
    private final Locks locks;
    private final Hosts hosts;

    /**
     * @param begin lets time pass before an event
     */
    KernelLockEvents(LongConsumer begin, Locks locks, Hosts hosts) {
        this.begin = begin;
        this.locks = locks;
        this.hosts = hosts;
    }

    /**
     * The kernel has answered an {@link Action.AskLock}. The answers about one file come in the
     * order of the questions.
     *
     * @return what LOCK is owed: NFS4_OK with {@link LockOutcome.Granted}, DENIED,
     *     RECLAIM_CONFLICT, the status of the answer; or an error of the stateid if the open or its
     *     client has gone meanwhile
     * @throws IllegalStateException if there is no such question, or if it was answered before
     */
    public Outcome<LockOutcome> answer(long number, KernelAnswer answer, long now) {
        begin.accept(now);
        return hosts.answered(locks.answer(number, answer, now), now);
    }

    /**
     * The caller of LOCK has gone, or waits no longer. A lock that the kernel grants after all is
     * taken back.
     *
     * @return whether there was no answer yet
     */
    public Outcome<Boolean> abandon(long number, long now) {
        begin.accept(now);
        return locks.abandon(number, now);
    }

    /** The kernel has come to an {@link Action.ContinueReduction}. Always NFS4_OK. */
    public Outcome<Void> reduce(FileKey file, long now) {
        begin.accept(now);
        return locks.continueReduction(file);
    }
}
