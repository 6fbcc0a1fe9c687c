package io.github.rpcrdma4j.oncrpc.rpcbind;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class UniversalAddressTest {
    private static final Map<String, InetSocketAddress> CANONICAL =
            Map.of(
                    "192.0.2.7.78.81", address("192.0.2.7", 20049),
                    "0.0.0.0.0.111", address("0.0.0.0", 111),
                    "255.255.255.255.255.255", address("255.255.255.255", 65535),
                    "0:0:0:0:0:0:0:1.8.1", address("::1", 2049),
                    "2001:db8:0:0:0:0:0:7.78.81", address("2001:db8::7", 20049));

    @Test
    void formatsAddresses() {
        CANONICAL.forEach((text, address) -> assertEquals(text, UniversalAddress.format(address)));
    }

    @Test
    void parsesAddresses() {
        CANONICAL.forEach(
                (text, address) ->
                        assertEquals(Optional.of(address), UniversalAddress.parse(text)));
        assertEquals(Optional.of(address("::1", 2049)), UniversalAddress.parse("::1.8.1"));
        assertEquals(Optional.of(address("::", 111)), UniversalAddress.parse("::.0.111"));
        assertEquals(
                Optional.of(address("64:ff9b::192.0.2.7", 2049)),
                UniversalAddress.parse("64:ff9b::192.0.2.7.8.1"));
    }

    @Test
    void refusesWhatIsNoAddress() {
        for (var text :
                List.of(
                        "",
                        ".",
                        "1.2.3.4",
                        "1.2.3.4.5",
                        "1.2.3.4.5.6.7",
                        "1.2.3.4.5.256",
                        "1.2.3.4.5.-1",
                        "1.2.3.4.5.",
                        "1.2.3.4..6",
                        "256.2.3.4.5.6",
                        "1.2.3.4.5.0006",
                        "1.2.3.4.5.\u0661",
                        "localhost.8.1",
                        ":",
                        "::1",
                        "::1.8",
                        "::1.8.256",
                        "[::1].8.1",
                        "fe80::1%lo.8.1",
                        "1:2:3:4:5:6:7:8:9.8.1",
                        "g::1.8.1",
                        "host:name.8.1")) {
            assertEquals(Optional.empty(), UniversalAddress.parse(text), text);
        }
    }

    @Test
    void formatsOnlyResolvedAddresses() {
        var unresolved = InetSocketAddress.createUnresolved("no-such-host.invalid", 1);
        assertThrows(IllegalArgumentException.class, () -> UniversalAddress.format(unresolved));
    }

    @Test
    @Tag("5666-12-1")
    @Tag("8166-9-1")
    void namesTransports() {
        assertEquals(
                List.of("tcp", "tcp6", "udp", "udp6", "rdma", "rdma6"),
                Stream.of(Netid.values()).map(Netid::word).toList());
        assertEquals(Netid.RDMA, Netid.rdma(InetAddress.ofLiteral("192.0.2.7")));
        assertEquals(Netid.RDMA6, Netid.rdma(InetAddress.ofLiteral("2001:db8::7")));
        assertEquals(Netid.TCP, Netid.tcp(InetAddress.ofLiteral("192.0.2.7")));
        assertEquals(Netid.TCP6, Netid.tcp(InetAddress.ofLiteral("2001:db8::7")));
        assertEquals(Netid.UDP, Netid.udp(InetAddress.ofLiteral("192.0.2.7")));
        assertEquals(Netid.UDP6, Netid.udp(InetAddress.ofLiteral("2001:db8::7")));
    }

    private static InetSocketAddress address(String host, int port) {
        return new InetSocketAddress(InetAddress.ofLiteral(host), port);
    }
}
