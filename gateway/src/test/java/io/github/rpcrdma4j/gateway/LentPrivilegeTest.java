package io.github.rpcrdma4j.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.gss.GssFlavor;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.oncrpc.tcp.PrivilegedPorts;
import io.github.rpcrdma4j.oncrpc.tcp.TcpClientOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: no client of a gateway can do at the server what it could not do without the gateway. */
class LentPrivilegeTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final byte[] KEY = {1, 2, 3};
    private static final int NFS = 100003;
    private static final int MOUNT = 100005;
    private static final int NFSACL = 100227;
    private static final int NLM = 100021;

    /** rpcbind, statistics, quotas, locks, keys, the status monitor, and one of no standard. */
    private static final List<Integer> OTHERS =
            List.of(100000, 100001, 100011, NLM, 100024, 100029, 0x2000_0001);

    /** Answers each call of NFS once, with the number of calls so far. */
    private record Counting(int number, AtomicInteger calls) implements RpcProgram {
        @Override
        public ProgramId id() {
            return new ProgramId(number, 1, 4);
        }

        @Override
        public ProcedureDescriptor procedure(int version, int procedure) {
            return ProcedureDescriptor.ORDINARY.withRepeatable(false);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results) {
            results.uint32(calls.incrementAndGet());
            return AcceptStatus.SUCCESS;
        }
    }

    private final AtomicInteger calls = new AtomicInteger();
    private final IwarpProvider provider = new IwarpProvider();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private TcpRpcServer server;

    /** Whether the connections to the server might come from a port below 1024. */
    private final List<Boolean> privileged = Collections.synchronizedList(new ArrayList<>());

    @BeforeEach
    void serve() throws Exception {
        var programs =
                IntStream.concat(
                                IntStream.of(NFS, MOUNT, NFSACL),
                                OTHERS.stream().mapToInt(Integer::intValue))
                        .mapToObj(number -> new Counting(number, calls))
                        .toList();
        server = TcpRpcServer.listen(ANY, programs, TcpRpcOptions.DEFAULT);
    }

    @AfterEach
    void close() throws Exception {
        for (var each : opened.reversed()) {
            each.close();
        }
        server.close();
    }

    private <T extends AutoCloseable> T opened(T resource) {
        opened.add(resource);
        return resource;
    }

    private Gateway gateway(Set<Integer> others, byte[] key) {
        var tcp = new TcpUpstream(server.address(), DEADLINE, GatewayLimits.DEFAULT);
        Upstream noted =
                (client, isPrivileged, callBacks, whenEnded) -> {
                    privileged.add(isPrivileged);
                    return tcp.connect(client, isPrivileged, callBacks, whenEnded);
                };
        return new Gateway(noted, GatewayLimits.DEFAULT, others, key);
    }

    private TcpRpcServer onTcp(Gateway gateway) throws Exception {
        return opened(TcpRpcServer.listen(ANY, gateway, GatewayLimits.DEFAULT.tcpOptions()));
    }

    private RpcRdmaServer onRdma(Gateway gateway) throws Exception {
        return opened(
                GatewayLimits.DEFAULT
                        .rdmaSettings(RpcRdmaServer.builder())
                        .provider(provider)
                        .address(ANY)
                        .calls(gateway)
                        .start());
    }

    private TcpRpcClient overTcp(TcpRpcServer gateway, String from, OptionalInt portSeed)
            throws Exception {
        var options =
                new TcpClientOptions(
                        DEADLINE, 1 << 20, portSeed, Optional.of(InetAddress.getByName(from)));
        var user = new Credential.Sys(1, "box", 2, 3, List.of(4));
        return opened(TcpRpcClient.connect(gateway.address(), user, options));
    }

    private RpcRdmaClient overRdma(RpcRdmaServer gateway) throws Exception {
        return opened(RpcRdmaClient.builder().provider(provider).connect(gateway.address()));
    }

    private static RpcCall call(int program, int xid) {
        return new RpcCall(program, 3, 12, out -> out.opaque(new byte[9]), 100).withXid(xid);
    }

    private static int count(RpcClient client, RpcCall call) throws Exception {
        try (var reply = client.call(call, DEADLINE)) {
            return reply.results().uint32();
        }
    }

    private static AcceptStatus refusal(RpcClient client, int program) {
        return assertThrows(
                        RpcException.Refused.class,
                        () -> client.call(call(program, program), DEADLINE))
                .status();
    }

    /** Goal: nobody speaks to NLM, NSM or rpcbind with the address and the port of the gateway. */
    @Test
    void onlyTheProgramsOfNfsPass() throws Exception {
        var gateway = gateway(Set.of(), KEY);
        for (var client :
                List.of(
                        overTcp(onTcp(gateway), "127.0.0.1", OptionalInt.empty()),
                        overRdma(onRdma(gateway)))) {
            calls.set(0);
            for (int program : OTHERS) {
                assertEquals(
                        AcceptStatus.PROG_UNAVAIL, refusal(client, program), () -> "" + program);
            }
            assertEquals(0, calls.get());
            int passed = 0;
            for (int program : new int[] {NFS, MOUNT, NFSACL}) {
                assertEquals(++passed, count(client, call(program, program)));
            }
        }
    }

    @Test
    void aProgramThatTheOperatorNamesPassesFromAnOrdinaryPort() throws Exception {
        var gateway = gateway(Set.of(NLM), KEY);
        var client = overRdma(onRdma(gateway));
        assertEquals(1, count(client, call(NLM, 1)));
        assertEquals(2, count(client, call(NFS, 2)));
        assertEquals(AcceptStatus.PROG_UNAVAIL, refusal(client, 100024));
        assertEquals(List.of(false), privileged);
    }

    /** Goal: a user who is not root cannot speak to the server as root of a host does. */
    @Test
    void aClientFromAnOrdinaryPortGetsNoPrivilegedOne() throws Exception {
        var gateway = gateway(Set.of(), KEY);
        count(overTcp(onTcp(gateway), "127.0.0.1", OptionalInt.empty()), call(NFS, 1));
        assertEquals(List.of(false), privileged);
    }

    /** Goal: as a server on Linux does, which takes clients on RDMA for privileged. */
    @Test
    void aClientOnRdmaGetsAPrivilegedPort() throws Exception {
        count(overRdma(onRdma(gateway(Set.of(), KEY))), call(NFS, 1));
        assertEquals(List.of(true), privileged);
    }

    @Test
    void aClientFromAPrivilegedPortGetsOne() throws Exception {
        Assumptions.assumeTrue(PrivilegedPorts.areUsable());
        var gateway = gateway(Set.of(), KEY);
        count(overTcp(onTcp(gateway), "127.0.0.1", OptionalInt.of(1)), call(NFS, 1));
        assertEquals(List.of(true), privileged);
    }

    /** Goal: the server, which sees one address, does not answer one host with another's reply. */
    @Test
    void hostsWithEqualXidsShareNoReply() throws Exception {
        var gateway = onTcp(gateway(Set.of(), KEY));
        var first = overTcp(gateway, "127.0.0.1", OptionalInt.empty());
        var second = overTcp(gateway, "127.0.0.2", OptionalInt.empty());
        assertEquals(1, count(first, call(NFS, 77)));
        assertEquals(2, count(second, call(NFS, 77)), "another host");
        assertEquals(1, count(first, call(NFS, 77)));
        assertEquals(2, count(second, call(NFS, 77)));
    }

    /** Goal: the server knows a repeated call, which the gateway does not know any more. */
    @Test
    void aServerKnowsARepetitionAfterARestartOfTheGateway() throws Exception {
        var before = overTcp(onTcp(gateway(Set.of(), KEY)), "127.0.0.1", OptionalInt.empty());
        assertEquals(1, count(before, call(NFS, 77)));
        var after = overTcp(onTcp(gateway(Set.of(), KEY)), "127.0.0.1", OptionalInt.empty());
        assertEquals(1, count(after, call(NFS, 77)), "the same key");
        var other =
                overTcp(onTcp(gateway(Set.of(), new byte[] {4})), "127.0.0.1", OptionalInt.empty());
        assertEquals(2, count(other, call(NFS, 77)), "another key");
    }

    /** Goal: the server can check the signature of a header, of which the XID is a part. */
    @Test
    void aSignedHeaderKeepsItsXid() {
        var xids = UpstreamXids.keyed(KEY).of(new InetSocketAddress("192.0.2.7", 1));
        assertEquals(77, xids.of(header(GssFlavor.NUMBER)));
        for (int flavor : new int[] {0, 1}) {
            assertFalse(xids.of(header(flavor)) == 77);
        }
        assertEquals(
                xids,
                UpstreamXids.keyed(KEY).of(new InetSocketAddress("192.0.2.7", 2)),
                "the port");
        assertTrue(
                xids.mask()
                        != UpstreamXids.keyed(KEY)
                                .of(new InetSocketAddress("192.0.2.8", 1))
                                .mask());
    }

    private static CallHeader header(int flavor) {
        var credential = new RawAuth(flavor, MemorySegment.ofArray(new byte[0]));
        return new CallHeader(77, CallHeader.RPC_VERSION, NFS, 3, 1, credential, RawAuth.NONE);
    }
}
