package io.github.rpcrdma4j.gateway;

import static io.github.rpcrdma4j.gateway.CompoundFiles.LARGE;
import static io.github.rpcrdma4j.gateway.CompoundFiles.SIZE;
import static io.github.rpcrdma4j.gateway.CompoundFiles.assertData;
import static io.github.rpcrdma4j.gateway.CompoundFiles.compound;
import static io.github.rpcrdma4j.gateway.CompoundFiles.data;
import static io.github.rpcrdma4j.gateway.CompoundFiles.getAttributes;
import static io.github.rpcrdma4j.gateway.CompoundFiles.read;
import static io.github.rpcrdma4j.gateway.CompoundFiles.write;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.profile.WireProfile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: a gateway joins clients and servers on RDMA, also of different versions of the protocol.
 */
class RdmaToRdmaTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private static WireProfile profile(int version) {
        return version == 1
                ? WireProfile.RFC_8166
                : WireProfile.find("version " + version).orElseThrow();
    }

    private static RpcCall into(RpcCall call, MemorySegment... targets) {
        return new RpcCall(
                call.program(),
                call.version(),
                call.procedure(),
                call.arguments(),
                4096,
                List.of(targets));
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1, 2", "2, 1", "2, 2"})
    void dataIsExactOnBothSides(int clientVersion, int serverVersion) throws Exception {
        var provider = new IwarpProvider();
        var files = new CompoundFiles();
        try (var server =
                        RpcRdmaServer.builder()
                                .provider(provider)
                                .profile(profile(serverVersion))
                                .address(ANY)
                                .program(files)
                                .start();
                var gateway =
                        RpcRdmaServer.builder()
                                .provider(provider)
                                .profile(profile(clientVersion))
                                .address(ANY)
                                .calls(
                                        ReadableGateway.of(
                                                new RdmaUpstream(
                                                        server.address(),
                                                        () ->
                                                                RpcRdmaClient.builder()
                                                                        .provider(provider)
                                                                        .profile(
                                                                                profile(
                                                                                        serverVersion))),
                                                GatewayLimits.DEFAULT))
                                .start();
                var client =
                        RpcRdmaClient.builder()
                                .provider(provider)
                                .profile(profile(clientVersion))
                                .binding(Nfs4Binding.BINDING)
                                .connect(gateway.address());
                var arena = Arena.ofShared()) {
            for (int length : new int[] {0, 1, 1000, 5001, LARGE}) {
                var data = data(length, length);
                var target = arena.allocate(LARGE);
                var call = compound(1, List.of(write(data), getAttributes(SIZE), read(4, LARGE)));
                var reads = CompoundFiles.reads(client.call(into(call, target), TIMEOUT));
                assertEquals(-1, data.mismatch(files.written()));
                assertData(4, LARGE, reads.getFirst());
                assertData(4, LARGE, target);
            }
        }
    }
}
