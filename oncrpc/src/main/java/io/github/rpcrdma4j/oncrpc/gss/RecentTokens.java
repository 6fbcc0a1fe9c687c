package io.github.rpcrdma4j.oncrpc.gss;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * Counts the tokens that clients have sent lately. A mechanism remembers each token that it has
 * accepted for as long as it would accept it, so that nobody uses it again (for Kerberos RFC 4120,
 * Section 3.2.3). A client may send a quarter of what the other clients leave, and a few in any
 * case. What is not accepted counts for its client alone. Not thread-safe.
 */
final class RecentTokens {
    /**
     * The most tokens, besides the few of each client. A client alone may begin as many contexts as
     * a server keeps.
     */
    static final int MAX = 4 * ContextStore.ESTABLISHED_MAX;

    /** What a client may send in any case. */
    static final int LEAST = 16;

    /**
     * How long a token counts at least, in nanoseconds. Kerberos accepts it for five minutes, and
     * the clock of a client may be as far ahead. The JDK forgets it up to five seconds later.
     */
    static final long COUNTS_NANOS = 610_000_000_000L;

    /** What is counted together, so that a client takes little memory. */
    private static final long PERIOD_NANOS = COUNTS_NANOS / 10;

    private static final int PERIODS = 11;

    /** How many there were in each of the latest periods. */
    private static final class Periods {
        private final int[] counts = new int[PERIODS];
        private long latest;
        private int sum;

        int sum(long period) {
            for (; latest < period && sum > 0; latest++) {
                int oldest = Math.floorMod(latest + 1, PERIODS);
                sum -= counts[oldest];
                counts[oldest] = 0;
            }
            latest = period;
            return sum;
        }

        void add(long period) {
            sum(period);
            counts[Math.floorMod(period, PERIODS)]++;
            sum++;
        }
    }

    private static final class Tokens {
        final Periods sent = new Periods();
        final Periods accepted = new Periods();
    }

    /** The client that has sent nothing for the longest time comes first. */
    private final SequencedMap<ClientAddress, Tokens> clients = new LinkedHashMap<>();

    private final Periods accepted = new Periods();

    /**
     * Counts one more token of a client, if it may send one.
     *
     * @param now the time in nanoseconds, of any origin; later than that of the last call
     * @return whether it may
     */
    boolean maySend(ClientAddress client, long now) {
        long period = Math.floorDiv(now, PERIOD_NANOS);
        var own = clients.computeIfAbsent(client, _ -> new Tokens());
        clients.putLast(client, own);
        while (clients.firstEntry().getValue().sent.sum(period) == 0 && clients.size() > 1) {
            clients.pollFirstEntry();
        }
        int others = accepted.sum(period) - own.accepted.sum(period);
        if (own.sent.sum(period) >= ClientAddress.share(MAX, others, LEAST)) {
            return false;
        }
        own.sent.add(period);
        return true;
    }

    /** The mechanism has accepted a token that the client might send. */
    void accepted(ClientAddress client, long now) {
        long period = Math.floorDiv(now, PERIOD_NANOS);
        accepted.add(period);
        var own = clients.get(client);
        if (own != null) {
            own.accepted.add(period);
        }
    }

    /** Returns how many clients are remembered. */
    int clients() {
        return clients.size();
    }
}
