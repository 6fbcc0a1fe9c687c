package io.github.rpcrdma4j.nfs.server.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.server.export.NamedHost.Change;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Goal: a host in a rule by name has access from its current addresses. */
class NamedHostTest {
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
    private static final String FOUR = "192.0.2.1";
    private static final String SIX = "2001:db8::1";

    /** The addresses of the name; if empty, lookups fail. */
    private volatile List<String> known = List.of();

    private InetAddress[] lookUp(String name) throws UnknownHostException {
        if (known.isEmpty()) {
            throw new UnknownHostException(name + ": try again");
        }
        return known.stream().map(InetAddress::ofLiteral).toArray(InetAddress[]::new);
    }

    private NamedHost host(String... addresses) throws UnknownHostException {
        known = List.of(addresses);
        return NamedHost.of("client.example.org", this::lookUp);
    }

    private static boolean includes(Clients clients, String address) {
        return clients.include(InetAddress.ofLiteral(address));
    }

    @Test
    void isEveryAddressOfItsName() throws Exception {
        var host = host(FOUR, SIX);
        assertTrue(includes(host, FOUR) && includes(host, SIX));
        assertFalse(includes(host, "192.0.2.2") || includes(host, "2001:db8::2"));
        assertEquals("client.example.org", host.toString());
        assertEquals(host, NamedHost.of("Client.Example.ORG", this::lookUp));
    }

    @Test
    void isFoundAtStartOrNotAtAll() {
        var unknown = assertThrows(UnknownHostException.class, this::host);
        assertEquals("unknown host: client.example.org", unknown.getMessage());
    }

    @Test
    void followsItsName() throws Exception {
        var host = host(FOUR);
        assertEquals(Change.NONE, host.refresh(System.nanoTime()));
        known = List.of(SIX);
        assertEquals(Change.OTHERS, host.refresh(System.nanoTime()));
        assertTrue(includes(host, SIX));
        assertFalse(includes(host, FOUR));
    }

    @Test
    void outlivesAResolverThatIsAwayButNotForEver() throws Exception {
        var host = host(FOUR);
        long start = System.nanoTime();
        assertEquals(Change.NONE, host.refresh(start));
        known = List.of();
        assertEquals(Change.NO_ANSWER, host.refresh(start + 59 * MINUTE));
        assertTrue(includes(host, FOUR));
        assertEquals(Change.FORGOTTEN, host.refresh(start + 60 * MINUTE));
        assertFalse(includes(host, FOUR));
        known = List.of(FOUR);
        assertEquals(Change.OTHERS, host.refresh(start + 61 * MINUTE));
        known = List.of();
        assertEquals(Change.NO_ANSWER, host.refresh(start + 120 * MINUTE));
        assertTrue(includes(host, FOUR));
    }

    @Test
    void takesNoMoreAddressesThanItsLimit() throws Exception {
        var many = new String[NamedHost.ADDRESSES_MAX + 1];
        Arrays.setAll(many, i -> "192.0.2." + i);
        var host = host(many);
        assertEquals(NamedHost.ADDRESSES_MAX, host.addresses().size());
        assertFalse(includes(host, many[NamedHost.ADDRESSES_MAX]));
    }

    @Test
    void isAsNarrowAsAnAddress() throws Exception {
        var host = ExportRule.of(host(FOUR, SIX)).withAnonymous(1, 1);
        var rules =
                List.of(
                        ExportRule.of(Clients.parse("192.0.2.0/31")),
                        ExportRule.of(Clients.parse("2001:db8::/127")),
                        host,
                        ExportRule.of(Clients.parse(FOUR)),
                        ExportRule.of(Clients.parse(SIX)));
        var export = new Export("/data", Path.of("data"), rules, List.of(SecurityFlavor.SYS));
        for (var address : List.of(FOUR, SIX)) {
            assertEquals(host, export.rule(InetAddress.ofLiteral(address)).orElseThrow());
        }
    }

    @Test
    void distinguishesNamesFromOtherTexts() throws Exception {
        for (var name :
                List.of("localhost", "a.b", "host-1.example.org", "3com.com", "x_y", "1.2.3.c4")) {
            assertTrue(NamedHost.isName(name), name);
        }
        for (var text :
                List.of(
                        "",
                        ".",
                        "a.",
                        ".a",
                        "a..b",
                        "-a",
                        "a-",
                        "a b",
                        "*.a",
                        "@a",
                        "a/8",
                        "10",
                        "1.2.3",
                        "1.2.3.4.5",
                        "a.1",
                        "::x",
                        "b\u00fccher",
                        "a".repeat(64),
                        "a.".repeat(127) + "a")) {
            assertFalse(NamedHost.isName(text), text);
            assertThrows(IllegalArgumentException.class, () -> Clients.of(text), text);
        }
        assertInstanceOf(Clients.Network.class, Clients.of(FOUR));
        assertInstanceOf(Clients.Everybody.class, Clients.of("any"));
        assertTrue(includes(Clients.of("localhost"), "127.0.0.1"));
    }

    /** Goal: no call waits for a resolver. Method: a resolver that does not answer during calls. */
    @Test
    void isLookedUpAgainBesideTheCalls() throws Exception {
        var asked = new CountDownLatch(2);
        var answers = new CountDownLatch(1);
        var again = new CountDownLatch(4);
        known = List.of(FOUR);
        var host =
                NamedHost.of(
                        "client.example.org",
                        name -> {
                            asked.countDown();
                            again.countDown();
                            if (asked.getCount() == 0) {
                                awaited(answers);
                            }
                            return lookUp(name);
                        });
        var rules = List.of(ExportRule.of(host));
        var export = new Export("/data", Path.of("data"), rules, List.of(SecurityFlavor.SYS));
        try (var _ = HostNames.of(List.of(export), Duration.ofMillis(1))) {
            known = List.of(SIX);
            asked.await();
            assertTrue(export.rule(InetAddress.ofLiteral(FOUR)).isPresent());
            answers.countDown();
            // The third lookup belongs to the round after the blocked one.
            again.await();
            assertTrue(export.rule(InetAddress.ofLiteral(SIX)).isPresent());
            assertTrue(export.rule(InetAddress.ofLiteral(FOUR)).isEmpty());
        }
    }

    private static void awaited(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }
}
