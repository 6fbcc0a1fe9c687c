package io.github.rpcrdma4j.bench.stack;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.channels.CompletionHandler;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.dcache.oncrpc4j.rpc.IoStrategy;
import org.dcache.oncrpc4j.rpc.OncRpcClient;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.OncRpcSvcBuilder;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeNone;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcReply;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.dcache.oncrpc4j.xdr.XdrAble;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.dcache.oncrpc4j.xdr.XdrVoid;

/**
 * oncrpc4j over TCP, with its fastest settings. Calls run on the reading thread. Opaque data is
 * encoded without a copy and decoded into an existing array.
 *
 * <p>Tests: {@code ExchangeTest}.
 *
 * @param callbacks whether the thread that receives a reply makes the next call; otherwise it wakes
 *     a waiting thread
 */
record OncRpc4jExchange(boolean callbacks) implements Exchange {
    private static final int PROGRAM = 0x2000_0044;

    @Override
    public Service serve(Setting setting, Path directory) throws Exception {
        int port = freePort();
        var service =
                new OncRpcSvcBuilder()
                        .withTCP()
                        .withoutAutoPublish()
                        .withBindAddress(InetAddress.getLoopbackAddress().getHostAddress())
                        .withPort(port)
                        .withSameThreadIoStrategy()
                        .withRpcService(new OncRpcProgram(PROGRAM, 1), OncRpc4jExchange::dispatch)
                        .build();
        service.start();
        return new Service() {
            @Override
            public int port() {
                return port;
            }

            @Override
            public void close() throws IOException {
                service.stop();
            }
        };
    }

    /** Returns a free port; oncrpc4j cannot choose one itself. */
    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static final ByteBuffer DATA = ByteBuffer.allocateDirect(Work.LONGEST);
    private static final ThreadLocal<ByteBuffer> ARRIVED =
            ThreadLocal.withInitial(() -> ByteBuffer.allocate(Work.LONGEST));

    private static void dispatch(RpcCall call) throws IOException {
        switch (Work.Kind.values()[call.getProcedure()]) {
            case NULL -> call.reply(XdrVoid.XDR_VOID);
            case READ -> {
                var count = new Count();
                call.retrieveCall(count);
                call.reply(new Opaque(DATA.duplicate().limit(count.bytes)));
            }
            case WRITE -> {
                call.retrieveCall(new Opaque(ARRIVED.get()));
                call.reply(XdrVoid.XDR_VOID);
            }
            case COPY, OPEN -> call.failProcedureUnavailable();
        }
    }

    @Override
    public Session connect(int port, Setting setting, Path directory) throws Exception {
        var client =
                OncRpcClient.newBuilder()
                        .withTCP()
                        .withIoStrategy(IoStrategy.SAME_THREAD)
                        .build(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        var call = new RpcCall(PROGRAM, 1, new RpcAuthTypeNone(), client.connect());
        return new Calls(client, call, callbacks);
    }

    private record Calls(OncRpcClient client, RpcCall rpc, boolean callbacks) implements Session {
        @Override
        public Call call(Work work, MemorySegment memory) {
            var prepared = new Prepared(work, memory);
            return () -> rpc.call(work.kind().ordinal(), prepared.arguments(), prepared.results());
        }

        @Override
        public void run(Work work, Meter meter, SlotMemory memory) throws Exception {
            if (!callbacks) {
                Session.super.run(work, meter, memory);
                return;
            }
            var loops = new CallLoop[meter.slots()];
            for (int i = 0; i < loops.length; i++) {
                var prepared = new Prepared(work, memory.of(i, work.length()));
                loops[i] = new CallLoop(rpc, work, prepared, meter.slot(i));
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
        public void close() throws IOException {
            client.close();
        }
    }

    /** The arguments and results of calls of one kind. */
    private record Prepared(XdrAble arguments, XdrAble results) {
        Prepared(Work work, MemorySegment memory) {
            this(
                    switch (work.kind()) {
                        case READ -> new Count(work.length());
                        case WRITE -> new Opaque(memory.asByteBuffer());
                        case NULL, COPY, OPEN -> XdrVoid.XDR_VOID;
                    },
                    work.kind() == Work.Kind.READ
                            ? new Opaque(ByteBuffer.allocate(work.length()))
                            : XdrVoid.XDR_VOID);
        }
    }

    /** Makes one call after another; the thread that receives a reply makes the next call. */
    private static final class CallLoop implements CompletionHandler<RpcReply, RpcTransport> {
        private final RpcCall rpc;
        private final Work work;
        private final Prepared prepared;
        private final Meter.Slot slot;
        private final CompletableFuture<Void> done = new CompletableFuture<>();

        CallLoop(RpcCall rpc, Work work, Prepared prepared, Meter.Slot slot) {
            this.rpc = rpc;
            this.work = work;
            this.prepared = prepared;
            this.slot = slot;
        }

        void startCall() throws IOException {
            rpc.call(work.kind().ordinal(), prepared.arguments, this);
        }

        @Override
        public void completed(RpcReply reply, RpcTransport transport) {
            try {
                reply.getReplyResult(prepared.results);
                if (slot.next()) {
                    startCall();
                } else {
                    done.complete(null);
                }
            } catch (IOException failure) {
                done.completeExceptionally(failure);
            }
        }

        @Override
        public void failed(Throwable failure, RpcTransport transport) {
            done.completeExceptionally(failure);
        }
    }

    /** The number of bytes to read. */
    private static final class Count implements XdrAble {
        private int bytes;

        Count() {}

        Count(int bytes) {
            this.bytes = bytes;
        }

        @Override
        public void xdrDecode(XdrDecodingStream in) throws IOException {
            bytes = in.xdrDecodeInt();
        }

        @Override
        public void xdrEncode(XdrEncodingStream out) throws IOException {
            out.xdrEncodeInt(bytes);
        }
    }

    /**
     * Opaque data. It is sent from the buffer itself. Received data goes to the array of the
     * buffer, which must have one.
     */
    private record Opaque(ByteBuffer data) implements XdrAble {
        @Override
        public void xdrDecode(XdrDecodingStream in) throws IOException {
            int length = in.xdrDecodeInt();
            in.xdrDecodeOpaque(data.array(), 0, length);
        }

        @Override
        public void xdrEncode(XdrEncodingStream out) throws IOException {
            ((Xdr) out).xdrEncodeShallowByteBuffer(data.duplicate());
        }
    }
}
