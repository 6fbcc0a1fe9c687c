package io.github.rpcrdma4j.bench.stack;

import io.github.rpcrdma4j.iwarp.tcp.IwarpOptions;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Ours: RPC-over-RDMA over soft-iWARP, with a program that does as little as the others'. */
final class RpcRdmaExchange implements Exchange {
    private static final Duration DEADLINE = Duration.ofSeconds(60);

    static RdmaProvider provider(Setting setting) {
        var iwarp = new IwarpProvider(IwarpOptions.DEFAULT.withCrc(setting.crc()));
        return setting.regions() == 0 ? iwarp : new CrowdedProvider(iwarp, setting.regions());
    }

    @Override
    public Service serve(Setting setting, Path folder) throws Exception {
        var server =
                RpcRdmaServer.listen(
                        provider(setting),
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        List.of(new BenchProgram()),
                        List.of(BenchProgram.BINDING),
                        RpcRdmaOptions.DEFAULT);
        return new Service() {
            @Override
            public int port() {
                return server.address().getPort();
            }

            @Override
            public void close() {
                server.close();
            }
        };
    }

    @Override
    public Session connect(int port, Setting setting, Path folder) throws Exception {
        return new Calls(
                RpcRdmaClient.connect(
                        provider(setting),
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                        new Credential.None(),
                        List.of(BenchProgram.BINDING),
                        RpcRdmaOptions.DEFAULT));
    }

    private record Calls(RpcRdmaClient client) implements Session {
        @Override
        public Call call(Work work, MemorySegment memory) {
            var call =
                    switch (work.kind()) {
                        case NULL -> BenchProgram.nothing();
                        case READ -> BenchProgram.read(memory);
                        case WRITE -> BenchProgram.write(memory);
                        case COPY -> throw new IllegalArgumentException("there are no files");
                    };
            return () -> client.call(call, DEADLINE).close();
        }

        @Override
        public void close() {
            client.close();
        }
    }
}
