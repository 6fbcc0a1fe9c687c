package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.v4.ServerSessions.Made;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Some connections of one session, over which its calls are spread (RFC 8881, Section 2.10.3.1). A
 * call that has a slot goes to the connection that takes most calls at once, and of those to the
 * one on which the fewest bytes are under way. One connection carries the callbacks; if it is lost,
 * its successor does.
 *
 * <p>A call whose connection is lost is sent again on another one, in its slot and with its number.
 * It cannot arrive on the lost one any more, because that is closed before (RFC 8881, Section
 * 2.10.6.2). A thread replaces lost connections, as long as one is left. When none is left, all is
 * lost, and its owner makes another object.
 *
 * <p>Thread-safe. Tests: {@code SeveralConnectionsTest}.
 */
final class SeveralConnections implements RpcClient {
    /** The first pause after a failure to connect; each further one is twice as long. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long PAUSE_NANOS_MAX = TimeUnit.SECONDS.toNanos(30);

    private final SessionConnections maker;
    private final int count;
    private final SessionThreads threads;
    private final ReentrantLock lock = new ReentrantLock();

    /** Signalled when the connections are closed. */
    private final Condition changed;

    /** Guarded by the lock, like the fields below. */
    private final List<Member> members = new ArrayList<>();

    /** The session of the calls; null while one is made. */
    private Made session;

    /** How many connections there are to be; 0 if the server binds no more to the session. */
    private int wanted;

    private boolean isFilling;
    private boolean isClosed;

    /** One connection, guarded by the lock. */
    private static final class Member {
        final RpcClient client;

        /** The session to which it is bound; null if to none. */
        Made bound;

        boolean carriesCallbacks;

        /** The bytes of calls in progress, and of their replies. */
        long bytes;

        Member(RpcClient client) {
            this.client = client;
        }
    }

    /**
     * @param first the first connection, which carries the callbacks
     * @param count how many connections there are to be
     */
    SeveralConnections(
            SessionConnections maker, RpcClient first, int count, SessionThreads threads) {
        this.maker = maker;
        this.count = count;
        this.threads = threads;
        this.changed = threads.condition(lock);
        members.add(new Member(first));
    }

    /** Leaves all calls to one connection, because a session is made. */
    void beforeSession() {
        lock.lock();
        try {
            session = null;
        } finally {
            lock.unlock();
        }
    }

    /** Begins with a session, to which the first connection is bound. */
    void begin(Made made) {
        lock.lock();
        try {
            var first = firstMember();
            for (var each : members) {
                each.carriesCallbacks = false;
            }
            session = made;
            wanted = count;
            if (first != null) {
                first.bound = made;
                first.carriesCallbacks = made.callbackMax().isPresent();
            }
            fillLater();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the connection that carries the callbacks, or is to carry them. */
    RpcClient first() throws RpcException {
        lock.lock();
        try {
            var first = firstMember();
            if (first == null) {
                throw noneLeft();
            }
            return first.client;
        } finally {
            lock.unlock();
        }
    }

    /** Null if none is left. */
    private Member firstMember() {
        return members.stream()
                .filter(each -> each.carriesCallbacks)
                .findFirst()
                .orElse(members.isEmpty() ? null : members.getFirst());
    }

    private static RpcException noneLeft() {
        return new RpcException.ConnectionLost("closed on this side", null);
    }

    @Override
    public RpcReply call(RpcCall call, Duration timeout) throws RpcException, InterruptedException {
        for (int left = count; ; left--) {
            var used = take(call);
            try {
                return used.client.call(call, timeout);
            } catch (RpcException.ConnectionLost lost) {
                if (!isOtherLeft(used, lost) || left == 0) {
                    throw lost;
                }
            } finally {
                count(used, -bytes(call));
            }
        }
    }

    private Member take(RpcCall call) throws RpcException {
        lock.lock();
        try {
            if (members.isEmpty()) {
                throw noneLeft();
            }
            var best = session == null ? firstMember() : best();
            count(best, bytes(call));
            return best;
        } finally {
            lock.unlock();
        }
    }

    private Member best() {
        Member best = null;
        int bestLeft = 0;
        for (var each : members) {
            if (each.bound == session) {
                int left = each.client.callsLeft();
                if (best == null
                        || left > bestLeft
                        || left == bestLeft && each.bytes < best.bytes) {
                    best = each;
                    bestLeft = left;
                }
            }
        }
        // The thread binds them; until then the server refuses the call, or binds them by it.
        return best == null ? firstMember() : best;
    }

    private void count(Member used, long bytes) {
        lock.lock();
        try {
            used.bytes += bytes;
        } finally {
            lock.unlock();
        }
    }

    private static long bytes(RpcCall call) {
        long arguments = call.arguments() instanceof Compounds.Encoding sent ? sent.dataBytes() : 0;
        return arguments
                + call.resultsMax()
                + call.resultTargets().stream().mapToLong(MemorySegment::byteSize).sum();
    }

    /** Takes out a lost connection, and closes it. Returns whether another one is left. */
    private boolean isOtherLeft(Member lost, RpcException why) {
        boolean isNews;
        boolean isOtherLeft;
        lock.lock();
        try {
            isNews = members.remove(lost);
            isOtherLeft = !members.isEmpty() && !isClosed;
            if (isOtherLeft) {
                fillLater();
            }
        } finally {
            lock.unlock();
        }
        lost.client.close();
        if (isOtherLeft) {
            maker.lostOne(why, isNews);
        }
        return isOtherLeft;
    }

    /** Lets the thread make and bind what is missing. The lock is held. */
    private void fillLater() {
        if (!isFilling && hasMissing()) {
            isFilling = true;
            threads.unstarted("nfs4-connections", this::fill).start();
        }
    }

    private boolean hasMissing() {
        return !isClosed
                && session != null
                && wanted > 0
                && (members.size() < wanted || unbound() != null);
    }

    /** Returns a connection that is not bound to the session; null if all are. */
    private Member unbound() {
        return members.stream().filter(each -> each.bound != session).findFirst().orElse(null);
    }

    /** A connection to bind to a session; a new one if it is null. */
    private record Missing(Made session, Member unbound, boolean withCallbacks) {}

    /** Returns what is missing; null if nothing is: then the thread ends. */
    private Missing missing() {
        lock.lock();
        try {
            if (!hasMissing()) {
                isFilling = false;
                return null;
            }
            boolean areCarried = members.stream().anyMatch(each -> each.carriesCallbacks);
            return new Missing(session, unbound(), !areCarried);
        } finally {
            lock.unlock();
        }
    }

    private void fill() {
        try {
            long pause = PAUSE_NANOS;
            for (var next = missing(); next != null; next = missing()) {
                if (isMade(next)) {
                    pause = PAUSE_NANOS;
                } else {
                    pause(pause);
                    pause = Math.min(2 * pause, PAUSE_NANOS_MAX);
                }
            }
        } catch (InterruptedException _) {
            // Nothing interrupts the thread but the end of the process.
        }
    }

    private void pause(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (!isClosed) {
                changed.awaitNanos(nanos);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns false if it is to be tried again after a pause. */
    private boolean isMade(Missing missing) throws InterruptedException {
        var member = missing.unbound;
        boolean isBound = false;
        try {
            member = member == null ? new Member(maker.connectOne()) : member;
            boolean carries = maker.bindOne(member.client, missing.session, missing.withCallbacks);
            isBound = isAdded(member, missing.session, carries);
            return true;
        } catch (RpcException _) {
            return false;
        } catch (IOException _) {
            refused(missing.session);
            return true;
        } finally {
            if (!isBound && member != null) {
                remove(member);
            }
        }
    }

    /** Returns false if it is of no use any more. */
    private boolean isAdded(Member member, Made made, boolean carriesCallbacks) {
        lock.lock();
        try {
            if (isClosed) {
                return false;
            }
            member.bound = made;
            member.carriesCallbacks = carriesCallbacks && session == made;
            if (!members.contains(member)) {
                members.add(member);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** The server does not bind one more connection to the session. */
    private void refused(Made made) {
        lock.lock();
        try {
            if (session == made) {
                wanted = 0;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Removes a connection, unless it is the last one. Its calls are sent again on another one. */
    private void remove(Member member) {
        lock.lock();
        try {
            if (members.equals(List.of(member))) {
                return;
            }
            members.remove(member);
        } finally {
            lock.unlock();
        }
        member.client.close();
    }

    @Override
    public boolean takesOneCallAtFirst() {
        return members().stream().anyMatch(RpcClient::takesOneCallAtFirst);
    }

    @Override
    public long callBackBytesMax() {
        lock.lock();
        try {
            var first = firstMember();
            return first == null ? 0 : first.client.callBackBytesMax();
        } finally {
            lock.unlock();
        }
    }

    private List<RpcClient> members() {
        lock.lock();
        try {
            return members.stream().map(each -> each.client).toList();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            isClosed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        members().forEach(RpcClient::close);
    }
}
