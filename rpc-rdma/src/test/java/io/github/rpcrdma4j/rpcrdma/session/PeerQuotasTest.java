package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.options.PeerLimits;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.PeerQuota.Admission;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Goal: clients keep to their shares of memory. Method: many clients, without connections. */
class PeerQuotasTest {
    private static final long MIB = 1 << 20;
    private static final RpcRdmaOptions OPTIONS = RpcRdmaOptions.DEFAULT;

    private final AtomicInteger asked = new AtomicInteger();

    private PeerQuotas peerQuotas(long budget) {
        return new PeerQuotas(
                OPTIONS,
                budget,
                new Counters(),
                () -> {},
                new PeerQuotas.RoomMaker() {
                    @Override
                    public boolean closeOwn(PeerQuota peerQuota) {
                        return false;
                    }

                    @Override
                    public boolean closeFor(
                            PeerQuota peerQuota, long bytes, BooleanSupplier enough) {
                        asked.incrementAndGet();
                        return false;
                    }
                });
    }

    private static ClientAddress six(int prefix, int host) throws Exception {
        byte[] bytes = InetAddress.ofLiteral("fd00::").getAddress();
        bytes[6] = (byte) (prefix >> 8);
        bytes[7] = (byte) prefix;
        bytes[13] = (byte) (host >> 16);
        bytes[14] = (byte) (host >> 8);
        bytes[15] = (byte) host;
        return ClientAddress.of(InetAddress.getByAddress(bytes));
    }

    @Test
    void tenThousandAddressesOfOneNetworkHaveTheShareOfOneClient() throws Exception {
        var peerQuotas = peerQuotas(64L << 30);
        int admitted = 0;
        for (int i = 0; i < 10_000; i++) {
            var entry = peerQuotas.admit(six(1, i));
            admitted += entry.admission() == Admission.ADMITTED ? 1 : 0;
        }
        assertEquals(PeerLimits.DEFAULT.connectionsMax(), admitted);
        assertEquals(1, peerQuotas.count());
        assertEquals(Admission.ADMITTED, peerQuotas.admit(six(2, 1)).admission());
    }

    /** Goal: all clients together fit the budget, and receives leave memory for calls. */
    @Test
    void allClientsTogetherStayWithinTheBudget() throws Exception {
        long budget = 448 * MIB;
        var peerQuotas = peerQuotas(budget);
        int silent = 0;
        while (peerQuotas.admit(six(silent % 4000, 1)).admission() == Admission.ADMITTED) {
            silent++;
        }
        assertTrue(silent > 1000, "admitted " + silent);
        var total = peerQuotas.total();
        assertTrue(total.held() <= total.max() * 3 / 4, "calls have their part");
        assertTrue(total.max() <= budget * 3 / 4, "others have theirs");
        for (int i = 0; i < 4000; i++) {
            var share = peerQuotas.admit(six(i, 1)).peerQuota().share(() -> {});
            while (share.take(OPTIONS.sizes().largestCall())) {}
        }
        assertTrue(total.held() <= total.max());
    }

    /** Goal: many clients that call, and take no replies, leave memory for new connections. */
    @Test
    void callsLeaveRoomForReceives() throws Exception {
        var peerQuotas = peerQuotas(448 * MIB);
        for (int i = 0; i < 100; i++) {
            var share = peerQuotas.admit(six(i, 1)).peerQuota().share(() -> {});
            while (share.take(MIB)) {}
        }
        var total = peerQuotas.total();
        assertTrue(total.held() > total.max() / 2, "held " + total.held());
        var modest = peerQuotas.admit(six(1000, 1));
        assertEquals(Admission.ADMITTED, modest.admission());
        assertTrue(modest.peerQuota().share(() -> {}).takeReceives());
    }

    @Test
    void oneClientHasAQuarterOfTheBudget() throws Exception {
        var peerQuotas = peerQuotas(448 * MIB);
        var share = peerQuotas.admit(six(1, 1)).peerQuota().share(() -> {});
        long taken = 0;
        while (share.take(MIB)) {
            taken += MIB;
        }
        assertTrue(taken <= 112 * MIB, "taken " + taken);
        assertTrue(taken >= 108 * MIB, "taken " + taken);
        assertTrue(peerQuotas.admit(six(2, 1)).peerQuota().share(() -> {}).take(8 * MIB));
    }

    @Test
    void aSmallBudgetServesOneConnectionWithTheLargestCall() throws Exception {
        var peerQuotas = peerQuotas(MIB);
        var entry = peerQuotas.admit(six(1, 1));
        assertEquals(Admission.ADMITTED, entry.admission());
        var share = entry.peerQuota().share(() -> {});
        assertTrue(share.takeReceives());
        assertTrue(share.take(OPTIONS.sizes().largestCall()));
    }

    /** Goal: a call that waits for memory resumes when other clients return some. */
    @Test
    void callsThatWaitForOtherClientsGoOnWhenTheseGiveSomethingBack() throws Exception {
        var peerQuotas = peerQuotas(64 * MIB);
        var holders = new ArrayList<io.github.rpcrdma4j.rpcrdma.responder.ConnectionQuota>();
        var full = peerQuotas.total();
        for (int i = 1; holders.size() < 4; i++) {
            var share = peerQuotas.admit(six(i, 1)).peerQuota().share(() -> {});
            while (share.take(MIB)) {}
            holders.add(share);
        }
        var told = new AtomicInteger();
        var waiting = peerQuotas.admit(six(1000, 1)).peerQuota().share(told::incrementAndGet);
        assertFalse(waiting.take(4 * MIB));
        assertTrue(full.isPressed());
        for (int i = 0; i < 4; i++) {
            holders.getFirst().answered(MIB);
        }
        assertEquals(1, told.get());
        assertTrue(waiting.take(4 * MIB));
        assertFalse(full.isPressed());
    }

    /** Goal: if memory is short, a client that holds little precedes a client that holds much. */
    @Test
    void whereCallsWaitNoClientHasMoreThanAnother() throws Exception {
        var peerQuotas = peerQuotas(448 * MIB);
        var greedy = peerQuotas.admit(six(1, 1)).peerQuota().share(() -> {});
        for (int i = 0; i < 64; i++) {
            assertTrue(greedy.take(MIB));
        }
        for (int i = 2; i < 40; i++) {
            peerQuotas.admit(six(i, 1));
        }
        peerQuotas.total().register(() -> {});
        assertFalse(greedy.take(MIB), "it has more than its part");
        var modest = peerQuotas.admit(six(2, 1)).peerQuota().share(() -> {});
        assertTrue(modest.take(MIB));
    }

    @Test
    void receivesThatFindNoRoomHaveAnIdleConnectionClosed() throws Exception {
        var peerQuotas = peerQuotas(MIB);
        var first = peerQuotas.admit(six(1, 1)).peerQuota().share(() -> {});
        assertTrue(first.takeReceives());
        var entry = peerQuotas.admit(six(2, 1));
        assertEquals(Admission.SERVER_IS_FULL, entry.admission());
        assertEquals(0, asked.get());
        assertFalse(
                peerQuotas.makeRoom(
                        entry.peerQuota(),
                        entry.admission(),
                        OPTIONS.sizes().firstReceiveMemory()));
        assertEquals(1, asked.get());
    }

    @Test
    void whatAConnectionTookIsGivenBackOnce() throws Exception {
        var peerQuotas = peerQuotas(448 * MIB);
        var entry = peerQuotas.admit(six(1, 1));
        var share = entry.peerQuota().share(() -> {});
        assertTrue(share.takeReceives());
        assertTrue(share.take(MIB));
        share.answered(MIB);
        share.close();
        assertSame(1, peerQuotas.count());
        peerQuotas.leave(entry.peerQuota());
        assertEquals(0, peerQuotas.count());
        assertEquals(0, peerQuotas.total().held());
    }
}
