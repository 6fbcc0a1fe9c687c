package io.github.rpcrdma4j.oncrpc.spi;

import static io.github.rpcrdma4j.oncrpc.spi.DuplicateRequestCache.AGE_NANOS;
import static io.github.rpcrdma4j.oncrpc.spi.DuplicateRequestCache.CLIENT_UNITS_MAX;
import static io.github.rpcrdma4j.oncrpc.spi.DuplicateRequestCache.UNITS_MAX;
import static io.github.rpcrdma4j.oncrpc.spi.DuplicateRequestCache.UNIT_BYTES;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.spi.CallIdentity.Arguments;
import io.github.rpcrdma4j.oncrpc.spi.DuplicateRequestCache.Request;
import io.github.rpcrdma4j.oncrpc.spi.DuplicateRequestCache.Verdict;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Goal: the cache prevents repeated execution of a call that it remembers. Method: tables, and a
 * model.
 */
class DuplicateRequestCacheTest {
    private static final Credential ALICE = new Credential.Sys(0, "box", 1, 1, List.of());
    private static final Credential BOB = new Credential.Sys(0, "box", 2, 1, List.of());
    private static final Request CALL = request(7, 100003, 3, 8, ALICE, "10.0.0.1", 99, 40);
    private static final Object FIRST = new Object();
    private static final Object SECOND = new Object();
    private static final Object THIRD = new Object();
    private static final CachedReply REPLY = reply(4);

    private final DuplicateRequestCache cache = new DuplicateRequestCache();

    private static CachedReply reply(int bytes) {
        return new CachedReply(
                AcceptStatus.SUCCESS, MemorySegment.ofArray(new byte[bytes]), List.of());
    }

    private static Request request(
            int xid,
            int program,
            int version,
            int procedure,
            Credential caller,
            String client,
            int checksum,
            long bytes) {
        var arguments = new Arguments(5, checksum, bytes, false);
        return request(
                new CallHeader(xid, 2, program, version, procedure, RawAuth.NONE, RawAuth.NONE),
                caller,
                client,
                arguments);
    }

    private static Request request(
            CallHeader header, Credential caller, String client, Arguments arguments) {
        return new Request(
                CallIdentity.of(header, caller, "", client, arguments), client(client), arguments);
    }

    private static ClientAddress client(String address) {
        return ClientAddress.of(InetAddress.ofLiteral(address));
    }

    private static Request numbered(int xid) {
        return from("10.0.0.1", xid);
    }

    private static Request from(String address, int xid) {
        return request(xid, 100003, 3, 8, ALICE, address, 99, 40);
    }

    private boolean isKept(Request request) {
        return cache.arrived(request, FIRST, 0) instanceof Verdict.Repeat;
    }

    private void execute(Request request, CachedReply reply, long now) {
        assertEquals(new Verdict.Execute(), cache.arrived(request, FIRST, now));
        cache.done(request, reply, now);
    }

    /** Goal: check the verdict in every state, for every connection. */
    @Test
    void knowsWhatIsToBeDoneInEveryState() {
        var execute = new Verdict.Execute();
        var drop = new Verdict.Drop(false);
        var repeat = new Verdict.Repeat(REPLY);

        assertEquals(new Verdict.Drop(true), cache.awaited(CALL, FIRST));
        assertThrows(AssertionError.class, () -> cache.done(CALL, REPLY, 0));
        assertThrows(AssertionError.class, () -> cache.forget(CALL));

        assertEquals(execute, cache.arrived(CALL, FIRST, 0));
        assertEquals(drop, cache.arrived(CALL, FIRST, 0));
        assertInstanceOf(Verdict.Await.class, cache.arrived(CALL, SECOND, 0));
        assertEquals(drop, cache.arrived(CALL, SECOND, 0));
        assertInstanceOf(Verdict.Await.class, cache.awaited(CALL, SECOND));
        assertInstanceOf(Verdict.Await.class, cache.arrived(CALL, THIRD, 0));
        assertEquals(drop, cache.awaited(CALL, SECOND));
        assertInstanceOf(Verdict.Await.class, cache.awaited(CALL, THIRD));

        cache.done(CALL, REPLY, 0);
        assertEquals(repeat, cache.awaited(CALL, THIRD));
        assertEquals(drop, cache.awaited(CALL, SECOND));
        for (var connection : List.of(FIRST, SECOND, THIRD, new Object())) {
            assertEquals(repeat, cache.arrived(CALL, connection, 0));
        }
        assertThrows(AssertionError.class, () -> cache.done(CALL, REPLY, 0));
        assertThrows(AssertionError.class, () -> cache.forget(CALL));
    }

    @Test
    void answersNobodyWithWhatWasForgotten() {
        cache.arrived(CALL, FIRST, 0);
        cache.arrived(CALL, SECOND, 0);
        cache.forget(CALL);
        assertEquals(new Verdict.Drop(true), cache.awaited(CALL, SECOND));
        assertEquals(0, cache.size());
        assertEquals(new Verdict.Execute(), cache.arrived(CALL, THIRD, 0));
    }

    @Test
    void takesCallsThatDifferInAnythingForDifferent() {
        execute(CALL, REPLY, 0);
        for (var other :
                List.of(
                        request(8, 100003, 3, 8, ALICE, "10.0.0.1", 99, 40),
                        request(7, 100005, 3, 8, ALICE, "10.0.0.1", 99, 40),
                        request(7, 100003, 4, 8, ALICE, "10.0.0.1", 99, 40),
                        request(7, 100003, 3, 9, ALICE, "10.0.0.1", 99, 40),
                        request(7, 100003, 3, 8, BOB, "10.0.0.1", 99, 40),
                        request(7, 100003, 3, 8, ALICE, "10.0.0.2", 99, 40),
                        request(7, 100003, 3, 8, ALICE, "10.0.0.1", 98, 40),
                        request(7, 100003, 3, 8, ALICE, "10.0.0.1", 99, 44))) {
            execute(other, REPLY, 0);
        }
    }

    private static Request with(Arguments arguments) {
        var header = new CallHeader(7, 2, 100003, 3, 8, RawAuth.NONE, RawAuth.NONE);
        return request(header, ALICE, "10.0.0.1", arguments);
    }

    /**
     * Goal: if one of two calls is padded, the cache compares only properties that padding does not
     * change.
     */
    @Test
    void comparesPaddedCallsByTheirNonZeroBytes() {
        var plain = with(new Arguments(5, 99, 40, false));
        var padded = with(new Arguments(5, 77, 296, true));
        var otherwise = with(new Arguments(5, 66, 552, true));
        for (var first : List.of(plain, padded)) {
            execute(first, REPLY, 0);
            for (var again : List.of(plain, padded, otherwise)) {
                assertEquals(new Verdict.Repeat(REPLY), cache.arrived(again, SECOND, 0));
            }
            execute(with(new Arguments(6, 99, 40, true)), REPLY, 0);
            cache.arrived(CALL, FIRST, AGE_NANOS);
            cache.forget(CALL);
        }
    }

    @Test
    void carriesOutWhatIsNotTheCallInProgress() {
        assertEquals(new Verdict.Execute(), cache.arrived(CALL, FIRST, 0));
        var other = request(7, 100003, 3, 8, ALICE, "10.0.0.1", 98, 40);
        assertEquals(new Verdict.ExecuteUnrecorded(), cache.arrived(other, SECOND, 0));
        cache.done(CALL, REPLY, 0);
        assertEquals(new Verdict.Repeat(REPLY), cache.arrived(CALL, SECOND, 0));
    }

    @Test
    void keepsRepliesForTheirTimeAndNoLonger() {
        long start = Long.MAX_VALUE - AGE_NANOS / 2;
        execute(CALL, REPLY, start);
        assertInstanceOf(Verdict.Repeat.class, cache.arrived(CALL, SECOND, start + AGE_NANOS - 1));
        assertEquals(new Verdict.Execute(), cache.arrived(CALL, SECOND, start + AGE_NANOS));
        assertEquals(0, cache.bytes());
    }

    @Test
    void aClientAtItsBoundLosesItsOldestReplies() {
        for (int xid = 0; xid <= CLIENT_UNITS_MAX; xid++) {
            execute(numbered(xid), REPLY, 0);
        }
        assertEquals(CLIENT_UNITS_MAX, cache.size());
        assertTrue(isKept(numbered(1)));
        assertFalse(isKept(numbered(0)));
    }

    @Test
    void oneClientPushesOutNoReplyOfAnother() {
        execute(from("10.0.0.2", 7), REPLY, 0);
        execute(from("fd00::1", 7), REPLY, 0);
        for (int xid = 0; xid < 3 * UNITS_MAX; xid++) {
            execute(numbered(xid), REPLY, 0);
        }
        assertTrue(isKept(from("10.0.0.2", 7)));
        assertTrue(isKept(from("fd00::1", 7)));
        assertEquals(CLIENT_UNITS_MAX + 2, cache.size());
    }

    /** Goal: all addresses that one host can take count as one client. */
    @Test
    void tenThousandAddressesOfOneNetworkAreOneClient() {
        execute(from("10.0.0.2", 7), REPLY, 0);
        for (int host = 0; host < 10_000; host++) {
            execute(from("fd00::" + Integer.toHexString(host), 7), REPLY, 0);
        }
        assertTrue(isKept(from("10.0.0.2", 7)));
        assertEquals(CLIENT_UNITS_MAX + 1, cache.size());
        assertEquals(2, cache.clients());
        assertTrue(isKept(from("fd00::" + Integer.toHexString(9_999), 7)));
    }

    /** Goal: clients that together fill the cache lose their own replies. */
    @Test
    void aClientThatKeepsLittleLosesNothingToThoseThatKeepMuch() {
        for (int xid = 0; xid < 10; xid++) {
            execute(from("10.0.0.2", xid), REPLY, 0);
        }
        int clients = 2 * UNITS_MAX / CLIENT_UNITS_MAX;
        for (int client = 0; client < clients; client++) {
            for (int xid = 0; xid < CLIENT_UNITS_MAX; xid++) {
                execute(from("192.0.2." + client, xid), REPLY, 0);
            }
        }
        assertEquals(UNITS_MAX, cache.size());
        for (int xid = 0; xid < 10; xid++) {
            assertTrue(isKept(from("10.0.0.2", xid)), "XID " + xid);
        }
        int share = (UNITS_MAX - 10) / clients;
        for (int client = 0; client < clients; client++) {
            for (int xid = CLIENT_UNITS_MAX - share; xid < CLIENT_UNITS_MAX; xid++) {
                assertTrue(isKept(from("192.0.2." + client, xid)), client + ", XID " + xid);
            }
        }
    }

    /**
     * Goal: with more clients than units, a client keeps its newest reply until that is the oldest
     * of all.
     */
    @Test
    void theNewestReplyOfAClientGoesLastWhenThereAreVeryManyClients() {
        for (int xid = 0; xid < 10; xid++) {
            execute(from("10.0.0.2", xid), REPLY, 0);
        }
        int others = 0;
        while (others < UNITS_MAX - 1) {
            execute(from("fd00:%x:%x::1".formatted(others >> 16, others & 0xffff), 7), REPLY, 0);
            others++;
        }
        assertTrue(isKept(from("10.0.0.2", 9)));
        assertEquals(UNITS_MAX, cache.size());
        assertEquals(UNITS_MAX, cache.clients());
        execute(from("192.0.2.1", 7), REPLY, 0);
        assertFalse(isKept(from("10.0.0.2", 9)), "the oldest of all went");
        assertEquals(UNITS_MAX, cache.size());
    }

    @Test
    void keepsNoMoreBytesThanItMay() {
        int size = (int) CachedReply.BYTES_MAX;
        int units = size / UNIT_BYTES;
        long clientMax = (long) CLIENT_UNITS_MAX * UNIT_BYTES;
        for (int client = 0; client < 20; client++) {
            for (int xid = 0; xid < 2 * CLIENT_UNITS_MAX / units; xid++) {
                execute(from("192.0.2." + client, xid), reply(size), 0);
                assertTrue(cache.bytes() <= (client + 1) * clientMax);
                assertTrue(cache.bytes() <= (long) UNITS_MAX * UNIT_BYTES);
            }
        }
        assertEquals((long) UNITS_MAX * UNIT_BYTES, cache.bytes());
    }

    @Test
    void carriesOutWithoutMemoryWhenAllOfAClientIsInProgress() {
        for (int xid = 0; xid < CLIENT_UNITS_MAX; xid++) {
            cache.arrived(numbered(xid), FIRST, 0);
        }
        assertEquals(
                new Verdict.ExecuteUnrecorded(),
                cache.arrived(numbered(CLIENT_UNITS_MAX), FIRST, 0));
        assertEquals(new Verdict.Drop(false), cache.arrived(numbered(0), FIRST, 0));
        assertEquals(CLIENT_UNITS_MAX, cache.size());
        execute(from("10.0.0.2", 7), REPLY, 0);
    }

    @Test
    void carriesOutWithoutMemoryWhenAllIsInProgress() {
        for (int xid = 0; xid < CLIENT_UNITS_MAX; xid++) {
            for (int client = 0; client < UNITS_MAX / CLIENT_UNITS_MAX; client++) {
                cache.arrived(from("192.0.2." + client, xid), FIRST, 0);
            }
        }
        assertEquals(new Verdict.ExecuteUnrecorded(), cache.arrived(from("10.0.0.2", 7), FIRST, 0));
        assertEquals(UNITS_MAX, cache.size());
        cache.forget(from("192.0.2.0", 0));
        execute(from("10.0.0.2", 7), REPLY, 0);
    }

    @Test
    void forgetsClientsThatHaveNothing() {
        execute(CALL, REPLY, 0);
        cache.arrived(from("10.0.0.2", 7), FIRST, 0);
        assertEquals(2, cache.clients());
        cache.forget(from("10.0.0.2", 7));
        assertEquals(1, cache.clients());
        cache.arrived(from("10.0.0.2", 7), FIRST, AGE_NANOS);
        assertEquals(1, cache.clients());
    }

    /**
     * Goal: the verdicts equal those of a model that remembers everything. Method: random calls
     * with few XIDs.
     */
    @Test
    void carriesOutOnceWhateverComes() {
        var text = System.getProperty("seed", "");
        long seed = text.isEmpty() ? new Random().nextLong() : Long.parseLong(text);
        System.out.println("seed=" + seed);
        var random = new Random(seed);
        var connections = List.of(FIRST, SECOND, THIRD);
        Set<Request> running = new HashSet<>();
        Map<Request, Long> done = new HashMap<>();
        long now = random.nextLong();
        for (int i = 0; i < 200_000; i++) {
            now += random.nextInt(1_000_000_000);
            var request = numbered(random.nextInt(200));
            long age = done.containsKey(request) ? now - done.get(request) : AGE_NANOS;
            if (running.contains(request) && random.nextBoolean()) {
                running.remove(request);
                if (random.nextInt(10) == 0) {
                    cache.forget(request);
                } else {
                    cache.done(request, REPLY, now);
                    done.put(request, now);
                }
                continue;
            }
            var verdict = cache.arrived(request, connections.get(random.nextInt(3)), now);
            if (running.contains(request)) {
                assertTrue(verdict instanceof Verdict.Await || verdict instanceof Verdict.Drop);
            } else if (age < AGE_NANOS) {
                assertEquals(new Verdict.Repeat(REPLY), verdict);
            } else {
                assertEquals(new Verdict.Execute(), verdict);
                running.add(request);
            }
            assertTrue(cache.size() <= 200);
        }
    }

    /** Goal: the replies go of those calls alone that arrived last on a connection. */
    @Test
    void aConnectionThatIsLeftTakesItsRepliesWithIt() {
        execute(numbered(1), REPLY, 0);
        execute(numbered(2), REPLY, 0);
        assertEquals(new Verdict.Execute(), cache.arrived(numbered(3), FIRST, 0));
        assertInstanceOf(Verdict.Await.class, cache.arrived(numbered(3), SECOND, 0));
        cache.done(numbered(3), REPLY, 0);
        cache.left(THIRD);
        assertEquals(3, cache.size());
        cache.left(FIRST);
        assertEquals(1, cache.size());
        assertEquals(REPLY.bytes(), cache.bytes());
        assertTrue(isKept(numbered(3)));
        cache.left(FIRST);
        cache.left(SECOND);
        assertEquals(0, cache.size());
        assertEquals(0, cache.clients());
        assertEquals(new Verdict.Execute(), cache.arrived(numbered(1), FIRST, 0));
    }
}
