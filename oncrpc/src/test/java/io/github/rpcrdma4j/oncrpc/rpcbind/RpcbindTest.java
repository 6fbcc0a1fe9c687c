package io.github.rpcrdma4j.oncrpc.rpcbind;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.Golden;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class RpcbindTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final Rpcb NFS = new Rpcb(100003, 3, "rdma", "192.0.2.7.78.81", "0");
    private static final Mapping MOUNT = new Mapping(100005, 3, Mapping.TCP, 20048);

    private final Registry registry = new Registry(2, 4);
    private TcpRpcServer server;
    private TcpRpcClient client;

    @BeforeEach
    void connect() throws Exception {
        server =
                TcpRpcServer.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        List.of(registry),
                        TcpRpcOptions.DEFAULT);
        client = TcpRpcClient.connect(server.address(), new Credential.None(), DEADLINE);
    }

    @AfterEach
    void everythingIsGivenBack() {
        client.close();
        server.close();
        assertEquals(0, client.leasedMemory());
        assertEquals(0, server.leasedMemory());
    }

    @Test
    void decodesTheGoldenArguments() throws Exception {
        var in = new XdrReader(Golden.bytes("rpcb-rdma"));
        assertEquals(NFS, Rpcb.decode(in));
        in.finish();
        in = new XdrReader(Golden.bytes("mapping-tcp"));
        assertEquals(MOUNT, Mapping.decode(in));
        in.finish();
        assertEquals(
                Optional.of(new InetSocketAddress(InetAddress.ofLiteral("192.0.2.7"), 20049)),
                UniversalAddress.parse(NFS.address()));
    }

    @Test
    void encodesTheGoldenArguments() {
        try (var out = new XdrWriter(new SegmentPool(0))) {
            NFS.encode(out);
            assertEquals(Golden.digits("rpcb-rdma"), Golden.hex(out));
            out.clear();
            MOUNT.encode(out);
            assertEquals(Golden.digits("mapping-tcp"), Golden.hex(out));
        }
    }

    @Test
    void refusesEveryTruncation() {
        var rpcb = Golden.bytes("rpcb-rdma");
        for (long length = 0; length < rpcb.byteSize(); length++) {
            var in = new XdrReader(rpcb.asSlice(0, length));
            assertThrows(XdrException.class, () -> Rpcb.decode(in));
        }
        var mapping = Golden.bytes("mapping-tcp");
        for (long length = 0; length < mapping.byteSize(); length++) {
            var in = new XdrReader(mapping.asSlice(0, length));
            assertThrows(XdrException.class, () -> Mapping.decode(in));
        }
    }

    /** Goal: any bytes give a value or an XdrException. Method: every value of every byte. */
    @Test
    void survivesEveryCorruption() {
        var rpcb = Golden.bytes("rpcb-rdma");
        for (long at = 0; at < rpcb.byteSize(); at++) {
            byte good = rpcb.get(ValueLayout.JAVA_BYTE, at);
            for (int value = 0; value < 256; value++) {
                rpcb.set(ValueLayout.JAVA_BYTE, at, (byte) value);
                try {
                    UniversalAddress.parse(Rpcb.decode(new XdrReader(rpcb)).address());
                } catch (XdrException _) {
                    // The expected outcome of most corruptions.
                }
            }
            rpcb.set(ValueLayout.JAVA_BYTE, at, good);
        }
    }

    @Test
    @Tag("5666-10-3")
    void registersAndFinds() throws Exception {
        for (int version = 3; version <= 4; version++) {
            var rpcbind = new RpcbindClient(client, version, DEADLINE);
            var question = new Rpcb(100003, 3, Netid.RDMA.word(), "", "");
            assertEquals(Optional.empty(), rpcbind.address(question));
            assertFalse(rpcbind.unset(question));
            assertTrue(rpcbind.set(NFS));
            assertTrue(rpcbind.set(NFS));
            assertFalse(rpcbind.set(new Rpcb(100003, 3, NFS.netid(), "192.0.2.8.78.81", "")));
            assertEquals(UniversalAddress.parse(NFS.address()), rpcbind.address(question));
            assertTrue(rpcbind.unset(NFS));
            assertEquals(Optional.empty(), rpcbind.address(question));
        }
    }

    @Test
    void registersAndFindsPorts() throws Exception {
        var rpcbind = new RpcbindClient(client, 4, DEADLINE);
        var question = new Mapping(100005, 3, Mapping.TCP, 0);
        assertEquals(0, rpcbind.port(question));
        assertTrue(rpcbind.set(MOUNT));
        assertEquals(20048, rpcbind.port(question));
        assertEquals(0, rpcbind.port(new Mapping(100005, 3, Mapping.UDP, 0)));
        assertTrue(rpcbind.unset(question));
        assertFalse(rpcbind.unset(question));
    }

    @Test
    void refusesMalformedReplies() throws Exception {
        var rpcbind = new RpcbindClient(client, 3, DEADLINE);
        rpcbind.set(new Rpcb(1, 1, "tcp", "nowhere", ""));
        assertThrows(
                RpcException.BadReply.class, () -> rpcbind.address(new Rpcb(1, 1, "tcp", "", "")));
        rpcbind.set(new Mapping(1, 1, Mapping.TCP, 65536));
        assertThrows(
                RpcException.BadReply.class, () -> rpcbind.port(new Mapping(1, 1, Mapping.TCP, 0)));
        registry.add(new Rpcb(2, 1, "tcp", "x".repeat(300), ""));
        assertThrows(
                RpcException.BadReply.class, () -> rpcbind.address(new Rpcb(2, 1, "tcp", "", "")));
    }

    @Test
    void speaksUniversalAddressesInTwoVersionsOnly() {
        assertThrows(IllegalArgumentException.class, () -> new RpcbindClient(client, 2, DEADLINE));
        assertThrows(IllegalArgumentException.class, () -> new RpcbindClient(client, 5, DEADLINE));
    }

    @Test
    void listsWhatIsRegisteredForAllTransports() throws Exception {
        for (int version = 3; version <= 4; version++) {
            var rpcbind = new RpcbindClient(client, version, DEADLINE);
            assertEquals(List.of(), rpcbind.registrations());
            var six = new Rpcb(100003, 3, "rdma6", "2001:db8::7.78.82", "0");
            rpcbind.set(NFS);
            rpcbind.set(six);
            assertEquals(Set.of(NFS, six), Set.copyOf(rpcbind.registrations()));
            assertEquals(20049, rpcbind.listener(100003, 3, Netid.RDMA).orElseThrow().getPort());
            assertEquals(20050, rpcbind.listener(100003, 3, Netid.RDMA6).orElseThrow().getPort());
            assertEquals(Optional.empty(), rpcbind.listener(100003, 4, Netid.RDMA));
            assertEquals(Optional.empty(), rpcbind.listener(100003, 3, Netid.TCP));
            rpcbind.unset(NFS);
            rpcbind.unset(six);
        }
    }

    @Test
    void takesNoEndlessList() throws Exception {
        var rpcbind = new RpcbindClient(client, 4, DEADLINE);
        for (int i = 0; i <= RpcbindClient.REGISTRATIONS_MAX; i++) {
            registry.add(new Rpcb(i, 1, "tcp", "192.0.2.7.1.1", "0"));
        }
        assertThrows(RpcException.BadReply.class, rpcbind::registrations);
    }
}
