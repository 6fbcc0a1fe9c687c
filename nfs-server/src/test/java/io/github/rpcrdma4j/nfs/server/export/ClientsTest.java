package io.github.rpcrdma4j.nfs.server.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: a network includes exactly its hosts. */
class ClientsTest {
    private static boolean includes(String clients, String host) {
        return Clients.parse(clients).include(InetAddress.ofLiteral(host));
    }

    @Test
    void findsHostsInTheirNetworks() {
        assertTrue(includes("192.0.2.0/24", "192.0.2.255"));
        assertFalse(includes("192.0.2.0/24", "192.0.3.0"));
        assertTrue(includes("192.0.2.77", "192.0.2.77"));
        assertFalse(includes("192.0.2.77", "192.0.2.76"));
        assertTrue(includes("10.128.0.0/9", "10.255.0.1"));
        assertFalse(includes("10.128.0.0/9", "10.127.0.1"));
        assertTrue(includes("200.0.0.0/1", "128.0.0.1"));
        assertFalse(includes("200.0.0.0/1", "127.0.0.1"));
        assertTrue(includes("0.0.0.0/0", "1.2.3.4"));
        assertTrue(includes("2001:db8::/33", "2001:db8:7fff::1"));
        assertFalse(includes("2001:db8::/33", "2001:db8:8000::1"));
        assertTrue(includes("any", "::1") && includes("any", "127.0.0.1"));
    }

    @Test
    void keepsTheFamiliesApart() {
        assertFalse(includes("0.0.0.0/0", "::1"));
        assertFalse(includes("::/0", "127.0.0.1"));
        assertTrue(includes("127.0.0.0/8", "::ffff:127.0.0.1"));
    }

    @Test
    void writesWhatItReads() {
        for (var text : List.of("any", "192.0.2.7", "192.0.2.0/24", "0.0.0.0/0")) {
            assertEquals(text, Clients.parse(text).toString());
        }
        assertEquals(Clients.parse("fd00::/8"), Clients.parse("fd00:0::0/8"));
    }

    @Test
    void aNetworkIsTheSameInEachSpelling() {
        assertEquals(Clients.parse("192.0.2.0/24"), Clients.parse("192.0.2.77/24"));
        assertEquals("192.0.2.0/24", Clients.parse("192.0.2.255/24").toString());
        assertEquals(Clients.parse("10.128.0.0/9"), Clients.parse("10.255.1.1/9"));
        assertEquals(Clients.parse("0.0.0.0/0"), Clients.parse("192.0.2.1/0"));
        assertEquals(Clients.parse("2001:db8::/33"), Clients.parse("2001:db8:7fff::1/33"));
        assertNotEquals(Clients.parse("2001:db8::/33"), Clients.parse("2001:db8:8000::1/33"));
        assertNotEquals(Clients.parse("192.0.2.0/24"), Clients.parse("192.0.2.0/25"));
    }

    @Test
    void aMappedNetworkHasThePrefixOfIpVersion6() {
        assertEquals(Clients.parse("10.0.0.0/24"), Clients.parse("::ffff:10.0.0.0/120"));
        assertEquals(Clients.parse("10.0.0.1"), Clients.parse("::ffff:10.0.0.1"));
        assertEquals(Clients.parse("10.0.0.1"), Clients.parse("::ffff:a00:1/128"));
        assertEquals(Clients.parse("0.0.0.0/0"), Clients.parse("::ffff:0:0/96"));
        for (var text : List.of("::ffff:10.0.0.0/24", "::ffff:10.0.0.0/95", "::ffff:0:0/129")) {
            assertThrows(IllegalArgumentException.class, () -> Clients.parse(text), text);
        }
    }

    @Test
    void refusesWhatIsNeither() {
        for (var text :
                List.of(
                        "",
                        "/8",
                        "host",
                        "1.2.3",
                        "1.2.3.4/",
                        "1.2.3.4/33",
                        "1.2.3.4/-1",
                        "fe80::1%1",
                        "fe80::1%1/64",
                        "::/129")) {
            assertThrows(IllegalArgumentException.class, () -> Clients.parse(text), text);
        }
    }
}
