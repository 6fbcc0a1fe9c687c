package io.github.rpcrdma4j.nfs.client.v4;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Keeps a lease: renews it at half its time, brings it back when the server has forgotten the
 * client, and closes what nobody uses. It is the work of one thread, which ends when the client is
 * closed.
 *
 * <p>Tests: {@code LeaseTest}.
 */
final class LeaseKeeper {
    /** The first pause after a failure; each further one is twice as long. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long PAUSE_NANOS_MAX = TimeUnit.SECONDS.toNanos(3);

    private final Nfs4Lease lease;
    private final LeaseStanding standing;
    private final LeasedState held;

    LeaseKeeper(Nfs4Lease lease, LeaseStanding standing, LeasedState held) {
        this.lease = lease;
        this.standing = standing;
        this.held = held;
    }

    void run() {
        try {
            long pause = PAUSE_NANOS;
            var next = standing.awaitWork();
            while (next.isPresent()) {
                if (isDone(next.get())) {
                    pause = PAUSE_NANOS;
                } else {
                    lease.threads().sleep(pause);
                    pause = Math.min(2 * pause, PAUSE_NANOS_MAX);
                }
                next = standing.awaitWork();
            }
        } catch (InterruptedException _) {
            // The client was closed.
        }
    }

    private boolean isDone(LeaseStanding.Work work) throws InterruptedException {
        try {
            return switch (work) {
                case RENEWAL -> LeaseRecovery.isRenewed(lease, standing);
                case RECOVERY -> {
                    lease.requireHeld();
                    yield true;
                }
                case TIDYING -> isTidy();
            };
        } catch (IOException _) {
            // The next caller reports what is wrong, if there is one.
            return false;
        }
    }

    private boolean isTidy() throws IOException, InterruptedException {
        boolean isTidy = false;
        try {
            isTidy = held.isTidy();
        } finally {
            if (!isTidy) {
                standing.tidyUp();
            }
        }
        return isTidy;
    }
}
