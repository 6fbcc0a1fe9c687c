package io.github.rpcrdma4j.bench.stack;

import io.github.rpcrdma4j.iwarp.tcp.IwarpOptions;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Our RPC-over-RDMA over soft-iWARP, with a program that does as little as those of the other
 * stacks.
 */
final class RpcRdmaExchange implements Exchange {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    /**
     * The process has one provider of each kind, because a provider limits the number of busily
     * polling threads.
     */
    private static final RdmaProvider WITH_CRC =
            new IwarpProvider(IwarpOptions.DEFAULT.withCrc(true));

    private static final RdmaProvider WITHOUT_CRC =
            new IwarpProvider(IwarpOptions.DEFAULT.withCrc(false));

    static RdmaProvider provider(Setting setting) {
        var iwarp = setting.crc() ? WITH_CRC : WITHOUT_CRC;
        return setting.regions() == 0 ? iwarp : new CrowdedProvider(iwarp, setting.regions());
    }

    @Override
    public Service serve(Setting setting, Path directory) throws Exception {
        var server =
                RpcRdmaServer.builder()
                        .provider(provider(setting))
                        .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .program(new BenchProgram(BenchProgram.BINDING))
                        .start();
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
    public Session connect(int port, Setting setting, Path directory) throws Exception {
        return new Calls(
                RpcRdmaClient.builder()
                        .provider(provider(setting))
                        .binding(BenchProgram.BINDING)
                        .connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
    }

    private record Calls(RpcRdmaClient client) implements Session {
        @Override
        public Call call(Work work, MemorySegment memory) {
            var call = rpcCall(work, memory);
            return () -> {
                try (var reply = client.call(call, TIMEOUT)) {
                    takeResults(call, reply.results());
                }
            };
        }

        /**
         * Runs the calls of all slots. One thread waits for a single call, or uses a pipeline for
         * many calls.
         */
        @Override
        public void run(Work work, Meter meter, SlotMemory memory) throws Exception {
            if (meter.slots() == 1) {
                Session.super.run(work, meter, memory);
                return;
            }
            PipelineLoop.run(
                    client,
                    TIMEOUT,
                    meter,
                    slot -> new OneCall(rpcCall(work, memory.of(slot, work.length()))));
        }

        @Override
        public void close() {
            client.close();
        }
    }

    private static RpcCall rpcCall(Work work, MemorySegment memory) {
        return switch (work.kind()) {
            case NULL -> BenchProgram.nullCall();
            case READ -> BenchProgram.read(memory);
            case WRITE -> BenchProgram.write(memory);
            case COPY, OPEN -> throw new IllegalArgumentException("there are no files");
        };
    }

    /** Copies read data to its target, unless the transport has placed it there. */
    private static void takeResults(RpcCall call, XdrReader results) throws XdrException {
        if (!call.resultTargets().isEmpty()) {
            var target = call.resultTargets().getFirst();
            var data = results.bulk(target.byteSize());
            if (data.address() != target.address()) {
                MemorySegment.copy(data, 0, target, 0, data.byteSize());
            }
        }
    }

    /** A call that is made again and again. */
    private record OneCall(RpcCall next) implements PipelineLoop.Calls {
        @Override
        public void take(XdrReader results) throws XdrException {
            takeResults(next, results);
        }
    }
}
