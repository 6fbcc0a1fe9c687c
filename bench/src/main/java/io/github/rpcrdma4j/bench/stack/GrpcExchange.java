package io.github.rpcrdma4j.bench.stack;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * gRPC over its shaded Netty. Its unary calls have no message format, only bytes. Callbacks run on
 * the reading thread, and the flow-control window holds several messages.
 */
final class GrpcExchange implements Exchange {
    private static final String SERVICE = "bench";
    private static final int WINDOW = 8 << 20;
    private static final int MESSAGE_MAX = 2 << 20;
    private static final RawBytes NOTHING = new RawBytes.Outgoing(new byte[0], 0);

    static MethodDescriptor<RawBytes, RawBytes> method(Work.Kind kind) {
        return MethodDescriptor.<RawBytes, RawBytes>newBuilder(
                        RawBytes.MARSHALLER, RawBytes.MARSHALLER)
                .setType(MethodType.UNARY)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, kind.name()))
                .build();
    }

    @Override
    public Service serve(Setting setting, Path directory) throws Exception {
        var data = new byte[Work.LONGEST];
        var server =
                NettyServerBuilder.forAddress(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .directExecutor()
                        .flowControlWindow(WINDOW)
                        .maxInboundMessageSize(MESSAGE_MAX)
                        .addService(
                                ServerServiceDefinition.builder(SERVICE)
                                        .addMethod(method(Work.Kind.NULL), answering(_ -> NOTHING))
                                        .addMethod(
                                                method(Work.Kind.READ),
                                                answering(
                                                        request ->
                                                                new RawBytes.Outgoing(
                                                                        data, request.number())))
                                        .addMethod(method(Work.Kind.WRITE), answering(_ -> NOTHING))
                                        .build())
                        .build()
                        .start();
        return new Served(server);
    }

    private record Served(Server server) implements Service {
        @Override
        public int port() {
            return server.getPort();
        }

        @Override
        public void close() {
            server.shutdownNow();
        }
    }

    private interface Answer {
        RawBytes to(RawBytes.Incoming request) throws IOException;
    }

    private static ServerCallHandler<RawBytes, RawBytes> answering(Answer answer) {
        return ServerCalls.asyncUnaryCall(
                (request, reply) -> {
                    try (var incoming = (RawBytes.Incoming) request) {
                        reply.onNext(answer.to(incoming));
                        reply.onCompleted();
                    } catch (IOException failure) {
                        reply.onError(failure);
                    }
                });
    }

    @Override
    public Session connect(int port, Setting setting, Path directory) {
        return new Calls(
                NettyChannelBuilder.forAddress(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                        .usePlaintext()
                        .directExecutor()
                        .flowControlWindow(WINDOW)
                        .maxInboundMessageSize(MESSAGE_MAX)
                        .build());
    }

    private record Calls(ManagedChannel channel) implements Session {
        @Override
        public Call call(Work work, MemorySegment memory) {
            var method = method(work.kind());
            var request = request(work, memory);
            return () -> {
                try (var reply =
                        (RawBytes.Incoming)
                                ClientCalls.blockingUnaryCall(
                                        channel, method, CallOptions.DEFAULT, request)) {
                    reply.copyInto(memory);
                }
            };
        }

        private static RawBytes request(Work work, MemorySegment memory) {
            return switch (work.kind()) {
                case READ -> RawBytes.Outgoing.number(work.length());
                case WRITE -> new RawBytes.Outgoing(new byte[work.length()], work.length());
                case NULL, COPY, OPEN -> NOTHING;
            };
        }

        /** Runs the calls of all slots. The thread that receives a reply makes the next call. */
        @Override
        public void run(Work work, Meter meter, SlotMemory memory) throws Exception {
            var loops = new CallLoop[meter.slots()];
            for (int i = 0; i < loops.length; i++) {
                var target = memory.of(i, work.length());
                loops[i] =
                        new CallLoop(
                                channel,
                                method(work.kind()),
                                request(work, target),
                                target,
                                meter.slot(i));
            }
            meter.start();
            for (var loop : loops) {
                loop.slot.begin();
                loop.startCall();
            }
            for (var loop : loops) {
                try {
                    loop.done.get();
                } catch (ExecutionException failed) {
                    throw new IOException("a call failed", failed.getCause());
                }
            }
            meter.stop();
        }

        @Override
        public void close() {
            channel.shutdownNow();
        }
    }

    /** Makes one call after another; the thread that receives a reply makes the next call. */
    static final class CallLoop implements StreamObserver<RawBytes> {
        private final Channel channel;
        private final MethodDescriptor<RawBytes, RawBytes> method;
        private final RawBytes request;
        private final MemorySegment target;
        private final Meter.Slot slot;

        /** Completes after the last call, or when a call fails. */
        final CompletableFuture<Void> done = new CompletableFuture<>();

        CallLoop(
                Channel channel,
                MethodDescriptor<RawBytes, RawBytes> method,
                RawBytes request,
                MemorySegment target,
                Meter.Slot slot) {
            this.channel = channel;
            this.method = method;
            this.request = request;
            this.target = target;
            this.slot = slot;
        }

        void startCall() {
            ClientCalls.asyncUnaryCall(channel.newCall(method, CallOptions.DEFAULT), request, this);
        }

        @Override
        public void onNext(RawBytes reply) {
            try (var incoming = (RawBytes.Incoming) reply) {
                incoming.copyInto(target);
            } catch (IOException failure) {
                done.completeExceptionally(failure);
            }
        }

        @Override
        public void onError(Throwable failure) {
            done.completeExceptionally(failure);
        }

        @Override
        public void onCompleted() {
            if (slot.next() && !done.isDone()) {
                startCall();
            } else {
                done.complete(null);
            }
        }
    }
}
