package io.github.rpcrdma4j.nfs.server.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.v4.operation.LeaseArguments;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: a client of version 4.0 cannot have the server call programs of others. */
class CallerPathTest {
    private static final InetSocketAddress PEER =
            new InetSocketAddress(InetAddress.ofLiteral("192.0.2.1"), 1023);

    private static OpaqueName name(String text) {
        return OpaqueName.of(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static Optional<CallerPath> path(int program, String netId, String address) {
        var place = new LeaseArguments.CallbackPlace(program, name(netId), name(address));
        var owner = new ClientOwner(1, name("client"));
        return CallerPath.of(new LeaseArguments.SetClientId(owner, place, 7), PEER);
    }

    @ParameterizedTest
    @ValueSource(ints = {0x2000_0000, 0x4000_0000, 0x5fff_ffff})
    void aProgramOfTheClientIsCalled(int program) {
        var there = new InetSocketAddress(PEER.getAddress(), 8 << 8 | 1);
        assertEquals(
                Optional.of(new CallerPath(there, program, 7)),
                path(program, "tcp", "192.0.2.1.8.1"));
    }

    /** Those of rpcbind, NFS, MOUNT and the monitor among them. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 100_000, 100_003, 100_005, 100_024, 0x1fff_ffff})
    void noProgramWithAnAssignedNumberIsCalled(int program) {
        assertEquals(Optional.empty(), path(program, "tcp", "192.0.2.1.8.1"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tcp 192.0.2.2.8.1",
                "tcp 127.0.0.1.8.1",
                "tcp 192.0.2.1.0.0",
                "tcp 192.0.2.1.8",
                "udp 192.0.2.1.8.1",
                "tcp6 192.0.2.1.8.1",
                "tcp ::ffff:192.0.2.2.8.1",
                "tcp "
            })
    void noOtherPlaceIsCalled(String place) {
        var parts = place.split(" ", 2);
        assertEquals(Optional.empty(), path(0x4000_0000, parts[0], parts[1]));
    }
}
