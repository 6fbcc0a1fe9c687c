package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.v4.v40.ClientGone;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The open files of a client of version 4.0, and their owners. Each has an owner of its own while
 * it is open. Owners that the server knows already open the next files, because one that is new
 * costs a call more. Thread-safe.
 *
 * <p>Tests: {@code LeaseTest}, {@code LostStateTest}.
 */
final class OwnedFiles implements LeasedState {
    /** So many owners without a file are kept. */
    private static final int IDLE_MAX = 64;

    private final AtomicLong owners = new AtomicLong();
    private final Set<OpenOfOwner> open = ConcurrentHashMap.newKeySet();

    /** The one that was used last is used first: a server forgets those that are not used. */
    private final ConcurrentLinkedDeque<OpenOwner> idle = new ConcurrentLinkedDeque<>();

    private final Queue<Left> left = new ConcurrentLinkedQueue<>();

    /** What the server may have open although nobody uses it. */
    interface Left {
        /** Returns whose it is. */
        OpenOwner owner();

        /**
         * Closes it in one attempt, if it is open as far as is known.
         *
         * @throws NfsException if the server refuses
         */
        void close() throws IOException, InterruptedException;
    }

    /** Returns an owner that has nothing. */
    OpenOwner take(Nfs4Lease lease) {
        var next = idle.pollFirst();
        if (next != null) {
            return next;
        }
        var name = ByteBuffer.allocate(Long.BYTES).putLong(owners.incrementAndGet()).array();
        return new OpenOwner(lease, OpaqueName.of(name));
    }

    /** Takes an owner back that has nothing any more. */
    void giveBack(OpenOwner owner) {
        if (!owner.isGone() && idle.size() < IDLE_MAX) {
            idle.addFirst(owner);
        }
    }

    void add(OpenOfOwner file) {
        open.add(file);
    }

    /** Takes a file out that is closed here. */
    void remove(OpenOfOwner file) {
        open.remove(file);
    }

    /** Leaves it to the keeper of the lease to close what nobody uses. */
    void leave(Nfs4Lease lease, Left unused) {
        left.add(unused);
        lease.tidyUp();
    }

    @Override
    public void forgotten(boolean canClaim) {
        left.clear();
        open.forEach(each -> each.forgotten(canClaim));
    }

    @Override
    public void claim() throws IOException, InterruptedException {
        for (var each : open) {
            each.claim();
        }
    }

    @Override
    public boolean isTidy() throws IOException, InterruptedException {
        for (var each : left) {
            if (isClosed(each)) {
                left.remove(each);
            }
        }
        return left.isEmpty();
    }

    private static boolean isClosed(Left unused) throws IOException, InterruptedException {
        if (!unused.owner().isFinished(OpenAtServer.CLOSING)) {
            // Nobody can tell the server about it any more.
            return true;
        }
        try {
            unused.close();
            return true;
        } catch (NfsException refused) {
            return refused.status() != Status.JUKEBOX && refused.status() != Status.GRACE;
        } catch (ClientGone _) {
            return true;
        }
    }

    /** Closes all files in one attempt each. Ends with the first failure. */
    void closeAll() {
        for (var each : open) {
            if (!each.isClosedAtOnce()) {
                return;
            }
        }
    }
}
