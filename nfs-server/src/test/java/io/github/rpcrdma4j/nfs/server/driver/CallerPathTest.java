package io.github.rpcrdma4j.nfs.server.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.linux.SystemCalls;
import io.github.rpcrdma4j.nfs.server.served.Client;
import io.github.rpcrdma4j.nfs.store.Origin;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseArguments;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.PeerIdentity;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: a client of version 4.0 cannot have the server call programs of others. */
class CallerPathTest {
    private static final InetSocketAddress PEER =
            new InetSocketAddress(InetAddress.ofLiteral("192.0.2.1"), 1023);

    private static OpaqueName name(String text) {
        return OpaqueName.of(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static Client client(InetSocketAddress peer, PeerIdentity.Process process) {
        var nobody = new Credential.None();
        var identity = new PeerIdentity(ClientAddress.of(peer), process);
        var claimed = new Credential.Sys(0, "", 0, 0, List.of());
        return new Client(
                peer, identity, Nfs4Binding.VERSION, claimed, nobody, nobody, Origin.SERVER);
    }

    private static Optional<CallerPath> path(int program, String netId, String address) {
        var elsewhere = client(PEER, new PeerIdentity.Process.Elsewhere());
        return path(elsewhere, program, netId, address);
    }

    private static Optional<CallerPath> path(
            Client caller, int program, String netId, String address) {
        var place = new LeaseArguments.CallbackPlace(program, name(netId), name(address));
        var owner = new ClientOwner(1, name("client"));
        return CallerPath.of(new LeaseArguments.SetClientId(owner, place, 7), caller);
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

    /** Among the ports that others listen at are those of this server. */
    @Test
    void aUserOfThisMachineIsCalledAtItsOwnPortAlone() throws Exception {
        assumeTrue(SystemCalls.missing().isEmpty());
        var loopback = InetAddress.getLoopbackAddress();
        int own = ((Credential.Sys) ProcessCredential.read()).uid();
        var peer = new InetSocketAddress(loopback, 1023);
        String there;
        try (var listening = new ServerSocket(0, 1, loopback)) {
            int port = listening.getLocalPort();
            there = loopback.getHostAddress() + "." + (port >> 8) + "." + (port & 0xff);
            for (int uid : new int[] {own, own + 1}) {
                var caller = client(peer, new PeerIdentity.Process.Local(uid));
                assertEquals(uid == own, path(caller, 0x4000_0000, "tcp", there).isPresent());
            }
            var unknown = client(peer, new PeerIdentity.Process.Unknown());
            assertEquals(Optional.empty(), path(unknown, 0x4000_0000, "tcp", there));
        }
        var caller = client(peer, new PeerIdentity.Process.Local(own));
        assertEquals(Optional.empty(), path(caller, 0x4000_0000, "tcp", there));
    }
}
