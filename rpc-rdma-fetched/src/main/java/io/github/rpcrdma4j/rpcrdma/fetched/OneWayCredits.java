package io.github.rpcrdma4j.rpcrdma.fetched;

import java.util.ArrayDeque;

/**
 * The credits that are held by messages without an answer.
 *
 * <pre>
 *   sent() --> held --> answered, for a call sent later, or confirmed()
 * </pre>
 *
 * Sends arrive in order, and receivers post a receive again before they hand on the next message;
 * so the answer to a later call says that the receive stands posted (RPR-5.2.3-1). Or a message
 * says so (RPR-5.2.3-2). Not thread-safe.
 */
public final class OneWayCredits {
    private final ArrayDeque<Long> unconfirmed = new ArrayDeque<>();
    private long calls;

    /** Nothing was sent. */
    public OneWayCredits() {}

    /** Messages that are not known to have arrived. */
    public int held() {
        return unconfirmed.size();
    }

    /**
     * A call is sent.
     *
     * @return its number, for {@link #answered}
     */
    public long call() {
        return ++calls;
    }

    /** A message was sent that has no answer. */
    public void sent() {
        unconfirmed.addLast(calls);
    }

    /** Its receipt was said, for the oldest of them. */
    public void confirmed() {
        unconfirmed.pollFirst();
    }

    /** The call of that number was answered, by a reply or by an error. */
    public void answered(long number) {
        while (!unconfirmed.isEmpty() && unconfirmed.getFirst() < number) {
            unconfirmed.removeFirst();
        }
    }
}
