package io.github.rpcrdma4j.oncrpc.gss;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;

/** Goal: what a mechanism remembers is bounded, and no client takes the room of another one. */
class RecentTokensTest {
    private static final int SHARE = RecentTokens.MAX / 4;
    private static final long SECOND = 1_000_000_000L;

    private final RecentTokens tokens = new RecentTokens();
    private long now = Long.MIN_VALUE / 3;

    private static ClientAddress client(int number) {
        return ClientAddress.of(InetAddress.ofLiteral("10.0." + number / 256 + "." + number % 256));
    }

    private boolean send(ClientAddress client, boolean isAccepted) {
        boolean may = tokens.maySend(client, now);
        if (may && isAccepted) {
            tokens.accepted(client, now);
        }
        return may;
    }

    private int sendAll(ClientAddress client, boolean areAccepted) {
        int sent = 0;
        while (send(client, areAccepted)) {
            sent++;
        }
        return sent;
    }

    @Test
    void aClientMaySendAQuarterOfWhatOthersLeave() {
        assertEquals(SHARE, sendAll(client(1), true));
        assertEquals((RecentTokens.MAX - SHARE) / 4, sendAll(client(2), true));
        assertFalse(send(client(1), true));
    }

    @Test
    void eachClientMaySendAFew() {
        int all = 0;
        for (int i = 0; i < 1000; i++) {
            int sent = sendAll(client(i), true);
            assertTrue(sent >= RecentTokens.LEAST, "client " + i + ": " + sent);
            all += sent;
        }
        assertTrue(all <= RecentTokens.MAX + 1000 * RecentTokens.LEAST, all + " tokens");
    }

    @Test
    void whatIsNotAcceptedCountsForItsClientAlone() {
        assertEquals(SHARE, sendAll(client(1), false));
        assertEquals(SHARE, sendAll(client(2), true));
    }

    /** Also if all of them come at the end of a period, and a while lies between. */
    @Test
    void aTokenCountsForAsLongAsItIsRemembered() {
        for (long start = 0; start < 70; start += 7) {
            var client = client((int) start);
            assertEquals(SHARE, sendAll(client, false), "after " + start + " seconds");
            now += RecentTokens.COUNTS_NANOS - 1;
            assertFalse(send(client, false), "after " + start + " seconds");
            now += RecentTokens.COUNTS_NANOS / 5;
            assertEquals(SHARE, sendAll(client, false), "after " + start + " seconds");
            now += 3 * RecentTokens.COUNTS_NANOS + 7 * SECOND;
        }
    }

    @Test
    void clientsThatSendNothingAreForgotten() {
        for (int i = 0; i < 1000; i++) {
            send(client(i), true);
            now += 10 * SECOND;
        }
        assertTrue(tokens.clients() <= 70, tokens.clients() + " clients");
        now += 2 * RecentTokens.COUNTS_NANOS;
        send(client(1000), true);
        assertEquals(1, tokens.clients());
    }
}
