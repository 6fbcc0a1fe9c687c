package io.github.rpcrdma4j.rpcrdma.credit;

import java.util.ArrayDeque;

/**
 * The credits of a requester of version 2, where a call may be several Sends and some messages are
 * no calls.
 *
 * <pre>
 *   a call of N Sends may go if    in calls + one-way + N &lt;= granted
 *                           or if    N = 1 and no call is out
 * </pre>
 *
 * A call takes all of its credits or none (RTR-4.3-2), so two that wait for more never hold what
 * the other needs. Its answer gives back all of them, and a lower grant takes nothing back. A
 * message that nobody answers takes one, until a call that was sent after it is answered: Sends
 * arrive in order, and receivers post its receive again before they hand on the next message
 * (RPR-5.2.3-1). Or until its receipt is said (RPR-5.2.3-2). Not thread-safe.
 */
public final class TransmissionCredits {
    private final ArrayDeque<Long> oneWay = new ArrayDeque<>();
    private long granted = 1;
    private long inCalls;
    private long calls;

    /** Credits that calls hold. */
    public long inCalls() {
        return inCalls;
    }

    /** Messages that nobody has answered, and that are not known to have arrived. */
    public int oneWay() {
        return oneWay.size();
    }

    /** How many Sends a call could have now (RTR-4.3-1). */
    public long available() {
        long free = granted - inCalls - oneWay.size();
        return inCalls == 0 ? Math.max(1, free) : Math.max(0, free);
    }

    /**
     * Takes the credits of a call, all or none.
     *
     * @param sends at least 1
     * @return the number of the call, for {@link #answered}; -1 if there are not so many
     */
    public long tryTake(int sends) {
        if (sends > available()) {
            return -1;
        }
        inCalls += sends;
        return ++calls;
    }

    /** A message was sent that nobody answers. */
    public void sentOneWay() {
        oneWay.addLast(calls);
    }

    /** Its receipt was said, for the oldest of them. */
    public void confirmedOneWay() {
        oneWay.pollFirst();
    }

    /** A call was answered, by a reply or by an error. */
    public void answered(long number, int sends) {
        if (sends > inCalls) {
            throw new AssertionError("credits came back that nobody took");
        }
        inCalls -= sends;
        while (!oneWay.isEmpty() && oneWay.getFirst() < number) {
            oneWay.removeFirst();
        }
    }

    /**
     * A message in the direction of replies carried a grant. Zero is taken for one.
     *
     * @param credits unsigned 32 bits
     */
    public void grant(int credits) {
        granted = Math.max(1, Integer.toUnsignedLong(credits));
    }
}
