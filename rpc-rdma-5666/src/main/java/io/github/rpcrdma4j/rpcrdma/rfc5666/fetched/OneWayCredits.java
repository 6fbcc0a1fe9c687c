package io.github.rpcrdma4j.rpcrdma.rfc5666.fetched;

import java.util.ArrayDeque;

/**
 * The credits held by messages without an answer.
 *
 * <pre>
 *   sent() --> held --> answered, for a call sent later, or confirmed()
 * </pre>
 *
 * Sends arrive in order, and a receiver posts a receive again before it passes on the next message.
 * So the answer to a later call shows that this receive is posted (RPR-5.2.3-1). Another message
 * may say so explicitly (RPR-5.2.3-2). Not thread-safe.
 */
public final class OneWayCredits {
    private final ArrayDeque<Long> unconfirmed = new ArrayDeque<>();
    private long calls;

    /** Starts with no credit held. */
    public OneWayCredits() {}

    /** Returns the number of messages that are not known to have arrived. */
    public int held() {
        return unconfirmed.size();
    }

    /**
     * Counts a call that is sent.
     *
     * @return its number, for {@link #answered}
     */
    public long call() {
        return ++calls;
    }

    /** Holds a credit for a message without an answer. */
    public void sent() {
        unconfirmed.addLast(calls);
    }

    /** Frees the credit of the oldest such message, whose receipt the peer has confirmed. */
    public void confirmed() {
        unconfirmed.pollFirst();
    }

    /**
     * Frees the credits of messages sent before that call, which a reply or an error has answered.
     */
    public void answered(long number) {
        while (!unconfirmed.isEmpty() && unconfirmed.getFirst() < number) {
            unconfirmed.removeFirst();
        }
    }
}
