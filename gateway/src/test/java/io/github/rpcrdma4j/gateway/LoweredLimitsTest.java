package io.github.rpcrdma4j.gateway;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.binding.NfsBindings;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Goal: no client is told that it may send or read more than passes the gateway. */
class LoweredLimitsTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final int FSINFO = 19;
    private static final int SERVER_MAX = 5 << 20;
    private static final int MIB = 1 << 20;

    /** Results of a server that takes 5 MiB. */
    private record Answering(Consumer<XdrWriter> version3, Consumer<XdrWriter> version4)
            implements RpcProgram {
        @Override
        public ProgramId id() {
            return new ProgramId(100003, 3, 4);
        }

        @Override
        public ProcedureDescriptor procedure(int version, int procedure) {
            return ProcedureDescriptor.ORDINARY.withRepeatable(true);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results) {
            (request.version() == 3 ? version3 : version4).accept(results);
            return AcceptStatus.SUCCESS;
        }
    }

    private interface Check {
        void check(RpcClient client) throws Exception;
    }

    /** Carries out a check over both transports, through gateways with these limits. */
    private static void through(GatewayLimits limits, Answering program, Check check)
            throws Exception {
        var provider = new IwarpProvider();
        try (var server = TcpRpcServer.listen(ANY, List.of(program), TcpRpcOptions.DEFAULT)) {
            var gateway = new Gateway(new TcpUpstream(server.address(), DEADLINE, limits), limits);
            try (var tcp = TcpRpcServer.listen(ANY, gateway, limits.tcpOptions());
                    var rdma =
                            limits.rdmaSettings(RpcRdmaServer.builder())
                                    .provider(provider)
                                    .address(ANY)
                                    .calls(gateway)
                                    .start();
                    var overTcp =
                            TcpRpcClient.connect(tcp.address(), new Credential.None(), DEADLINE);
                    var overRdma =
                            RpcRdmaClient.builder()
                                    .provider(provider)
                                    .bindings(NfsBindings.ALL)
                                    .connect(rdma.address())) {
                check.check(overTcp);
                check.check(overRdma);
            }
        }
    }

    private static Consumer<XdrWriter> fsInfo(boolean hasAttributes, int max, int preferred) {
        return out -> {
            out.uint32(0).bool(hasAttributes);
            for (int i = 0; hasAttributes && i < 21; i++) {
                out.uint32(0x7fff_ffff);
            }
            out.uint32(max).uint32(preferred).uint32(4096);
            out.uint32(max).uint32(preferred).uint32(512).uint32(preferred);
            out.uint64(Long.MAX_VALUE).uint32(0).uint32(1).uint32(0x1b);
        };
    }

    private static void requireFsInfo(
            RpcClient client, boolean hasAttributes, int max, int preferred) throws Exception {
        var call = new RpcCall(100003, 3, FSINFO, out -> out.opaque(new byte[8]), 200);
        try (var reply = client.call(call, DEADLINE)) {
            var in = reply.results();
            assertEquals(0, in.uint32());
            assertEquals(hasAttributes, in.bool());
            for (int i = 0; hasAttributes && i < 21; i++) {
                assertEquals(0x7fff_ffff, in.uint32());
            }
            var seen = new int[7];
            for (int i = 0; i < seen.length; i++) {
                seen[i] = in.uint32();
            }
            assertEquals(
                    List.of(max, preferred, 4096, max, preferred, 512, preferred),
                    Arrays.stream(seen).boxed().toList());
            assertEquals(Long.MAX_VALUE, in.uint64());
            in.fixedOpaque(12);
            in.finish();
        }
    }

    @Test
    void theLimitsOfVersion3AreLowered() throws Exception {
        for (boolean hasAttributes : new boolean[] {true, false}) {
            var server = new Answering(fsInfo(hasAttributes, SERVER_MAX, MIB + 1), null);
            through(
                    GatewayLimits.DEFAULT,
                    server,
                    client -> requireFsInfo(client, hasAttributes, MIB, MIB));
            through(
                    GatewayLimits.DEFAULT.withMessageMax(6 << 20),
                    server,
                    client -> requireFsInfo(client, hasAttributes, SERVER_MAX, MIB + 1));
            through(
                    GatewayLimits.DEFAULT.withMessageMax(8192),
                    server,
                    client -> requireFsInfo(client, hasAttributes, 4096, 4096));
        }
    }

    private static void compound(XdrWriter out, int operations) {
        out.uint32(0).uint32(0).uint32(operations);
    }

    /** Attributes of all layouts before the limits, and one behind them. */
    private static void attributes(XdrWriter out, long maxRead, long maxWrite) {
        // SUPPORTED_ATTRS, FSID, ACL, FILEHANDLE, FILEID, FS_LOCATIONS, MAXNAME, the limits, MODE.
        out.uint32(2);
        out.uint32(1 | 1 << 8 | 1 << 12 | 1 << 19 | 1 << 20 | 1 << 24 | 1 << 29 | 3 << 30);
        out.uint32(1 << 1);
        try (var values = new XdrWriter(new SegmentPool(1 << 16))) {
            values.uint32(1).uint32(-1);
            values.uint64(1).uint64(2);
            values.uint32(2);
            for (int i = 0; i < 2; i++) {
                values.uint32(0).uint32(0).uint32(0).string("someone");
            }
            values.opaque(new byte[13]);
            values.uint64(7);
            values.uint32(1).string("path").uint32(1).uint32(1).string("host");
            values.uint32(2).string("a").string("bc");
            values.uint32(255);
            values.uint64(maxRead).uint64(maxWrite);
            values.uint32(0777);
            out.opaque(values.reducedStream().toArray(ValueLayout.JAVA_BYTE));
        }
    }

    private static Consumer<XdrWriter> version4(long maxRead, long maxWrite, int message) {
        return out -> {
            int putRootFh = 24;
            int getAttr = 9;
            int createSession = 43;
            compound(out, 4);
            out.uint32(putRootFh).uint32(0);
            out.uint32(getAttr).uint32(0);
            attributes(out, maxRead, maxWrite);
            out.uint32(createSession).uint32(0).fixedOpaque(new byte[16]).uint32(1).uint32(3);
            for (int i = 0; i < 2; i++) {
                int most = i == 0 ? message : SERVER_MAX;
                out.uint32(0).uint32(most).uint32(most).uint32(most);
                out.uint32(16).uint32(64).uint32(0);
            }
            out.uint32(getAttr).uint32(0).uint32(1).uint32(1 << 20).uint32(8).uint64(-1);
        };
    }

    private static byte[] bytes(XdrReader in) throws Exception {
        return in.fixedOpaque(in.remaining()).toArray(ValueLayout.JAVA_BYTE);
    }

    private static void requireCompound(RpcClient client, Consumer<XdrWriter> expected)
            throws Exception {
        var call =
                new RpcCall(
                        100003,
                        4,
                        1,
                        out -> {
                            out.string("").uint32(1).uint32(1).uint32(24);
                        },
                        2000);
        try (var reply = client.call(call, DEADLINE);
                var out = new XdrWriter(new SegmentPool(1 << 16))) {
            expected.accept(out);
            var wanted = new XdrReader(out.reducedStream());
            assertArrayEquals(bytes(wanted), bytes(reply.results()));
        }
    }

    /** Goal: the limits of both operations are lowered, and nothing else changes. */
    @Test
    void theLimitsOfVersion4AreLowered() throws Exception {
        int message = Math.toIntExact(GatewayLimits.DEFAULT.messageMax());
        var server = new Answering(null, version4(SERVER_MAX, -1, SERVER_MAX));
        through(
                GatewayLimits.DEFAULT,
                server,
                client -> requireCompound(client, version4(MIB, MIB, message)));
        through(
                GatewayLimits.DEFAULT.withMessageMax(6 << 20),
                server,
                client ->
                        requireCompound(
                                client, version4(SERVER_MAX, (6 << 20) - (64 << 10), SERVER_MAX)));
        through(
                GatewayLimits.DEFAULT,
                new Answering(null, version4(4096, MIB, 4096)),
                client -> requireCompound(client, version4(4096, MIB, 4096)));
    }

    /** Goal: a server cannot make the gateway fail by a reply that ends early. */
    @Test
    void aReplyThatEndsEarlyPassesAsItIs() throws Exception {
        Consumer<XdrWriter> cut = out -> compound(out, 1);
        Consumer<XdrWriter> empty =
                out -> {
                    compound(out, 1);
                    out.uint32(9).uint32(0).uint32(1).uint32(1 << 30).uint32(0);
                };
        for (var each : List.of(cut, empty)) {
            through(
                    GatewayLimits.DEFAULT,
                    new Answering(null, each),
                    client -> requireCompound(client, each));
        }
    }
}
