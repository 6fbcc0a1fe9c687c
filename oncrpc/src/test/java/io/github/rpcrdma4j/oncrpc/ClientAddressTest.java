package io.github.rpcrdma4j.oncrpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashSet;
import org.junit.jupiter.api.Test;

class ClientAddressTest {
    private static ClientAddress of(String address) throws UnknownHostException {
        return ClientAddress.of(InetAddress.ofLiteral(address));
    }

    @Test
    void anIpv4AddressIsAClient() throws Exception {
        assertEquals(of("192.0.2.1"), of("192.0.2.1"));
        assertEquals(of("192.0.2.1").hashCode(), of("192.0.2.1").hashCode());
        assertNotEquals(of("192.0.2.1"), of("192.0.2.2"));
        assertNotEquals(of("192.0.2.1"), of("0:0:c000:201::1"));
        assertNotEquals(of("0.0.0.0"), of("::"), "no address of one family is one of the other");
    }

    /** Goal: all addresses of one host count as one client. Method: 10,000 addresses of one /64. */
    @Test
    void allAddressesOfAnIpv6PrefixAreOneClient() throws Exception {
        var clients = new HashSet<ClientAddress>();
        byte[] bytes = InetAddress.ofLiteral("fd00:1:2:3::").getAddress();
        for (int i = 0; i < 10_000; i++) {
            bytes[8] = (byte) (i >> 8);
            bytes[15] = (byte) i;
            clients.add(ClientAddress.of(InetAddress.getByAddress(bytes)));
        }
        assertEquals(1, clients.size());
        assertNotEquals(of("fd00:1:2:3::1"), of("fd00:1:2:4::1"));
        assertNotEquals(of("fd00:1:2:3::1"), of("fd01:1:2:3::1"));
    }

    @Test
    void aMappedAddressIsTheIpv4Address() throws Exception {
        byte[] mapped = new byte[16];
        mapped[10] = (byte) 0xff;
        mapped[11] = (byte) 0xff;
        mapped[12] = (byte) 192;
        mapped[14] = 2;
        mapped[15] = 1;
        assertEquals(of("192.0.2.1"), ClientAddress.of(InetAddress.getByAddress(mapped)));
        // Java keeps a mapped address with a scope as an Inet6Address.
        var scoped = Inet6Address.getByAddress(null, mapped, 1);
        assertEquals(of("192.0.2.1"), ClientAddress.of(scoped));
    }

    @Test
    void theScopeOfAnAddressIsIgnored() throws Exception {
        byte[] local = InetAddress.ofLiteral("fe80::1").getAddress();
        var first = ClientAddress.of(Inet6Address.getByAddress(null, local, 1));
        var second = ClientAddress.of(Inet6Address.getByAddress(null, local, 2));
        assertEquals(first, second);
        assertEquals("fe80::/64", first.toString());
    }

    @Test
    void isWrittenAsAddressOrPrefix() throws Exception {
        assertEquals("192.0.2.1", of("192.0.2.1").toString());
        assertEquals("255.255.255.255", of("255.255.255.255").toString());
        assertEquals("fd00:1:2:3::/64", of("fd00:1:2:3:4:5:6:7").toString());
        assertEquals("2001:db8::/64", of("2001:db8::1").toString());
        assertEquals("2001:0:0:1::/64", of("2001:0:0:1::1").toString());
        assertEquals("0:0:0:1::/64", of("0:0:0:1::1").toString());
        assertEquals("::/64", of("::1").toString());
    }
}
