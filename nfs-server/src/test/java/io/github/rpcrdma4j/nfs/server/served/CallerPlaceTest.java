package io.github.rpcrdma4j.nfs.server.served;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.PeerIdentity;
import io.github.rpcrdma4j.oncrpc.PeerIdentity.Process;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: a caller is at its whole address, or is a user of this machine. */
class CallerPlaceTest {
    private static PeerIdentity remote(InetAddress address) {
        return new PeerIdentity(ClientAddress.of(address), new Process.Elsewhere());
    }

    @ParameterizedTest
    @CsvSource({
        "192.0.2.1, 0, 192.0.2.1, 192.0.2.1",
        "fd00:77::2, 0, fd00:77:0:0:0:0:0:2, fd00:77:0:0:0:0:0:2",
        "fd00:77::3, 0, fd00:77:0:0:0:0:0:3, fd00:77:0:0:0:0:0:3",
        "fe80::1, 2, fe80:0:0:0:0:0:0:1%2, fe80:0:0:0:0:0:0:1",
        "fe80::1, 3, fe80:0:0:0:0:0:0:1%3, fe80:0:0:0:0:0:0:1",
    })
    void hostsAreAtTheirWholeAddress(String literal, int scope, String ofClient, String ofHost)
            throws UnknownHostException {
        var plain = InetAddress.ofLiteral(literal);
        var address =
                scope == 0 ? plain : Inet6Address.getByAddress(null, plain.getAddress(), scope);
        assertEquals(ofClient, CallerPlace.ofClient(address, remote(address)));
        assertEquals(ofHost, CallerPlace.ofHost(address, remote(address)));
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1", "127.0.0.2", "::1"})
    void aUserOfThisMachineIsOnePlaceFromAllAddresses(String literal) {
        var address = InetAddress.ofLiteral(literal);
        var user = new PeerIdentity(ClientAddress.ofLocalUser(1000), new Process.Local(1000));
        assertEquals("local-user-1000", CallerPlace.ofClient(address, user));
    }
}
