package io.github.rpcrdma4j.bench.stack;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The limit for comparisons: blocking NIO with one thread on each side. Each request and each reply
 * is one message with minimal framing. Each outstanding call has its own memory, as in any program
 * with that many outstanding calls.
 *
 * <p>Tests: {@code ExchangeTest}.
 */
final class TcpExchange implements Exchange {
    private static final int BACKLOG = 1024;

    @Override
    public Service serve(Setting setting, Path directory) throws Exception {
        var file =
                setting.fileBytes() == 0
                        ? null
                        : TestFile.create(directory.resolve("file"), setting.fileBytes());
        var listener =
                ServerSocketChannel.open()
                        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
        Thread.ofPlatform().daemon().start(() -> acceptAll(listener, setting.crc(), file));
        int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
        return new Service() {
            @Override
            public int port() {
                return port;
            }

            @Override
            public void close() throws IOException {
                listener.close();
            }
        };
    }

    private static void acceptAll(ServerSocketChannel listener, boolean crc, Path file) {
        try {
            while (true) {
                var stream = new TcpStream(withoutDelay(listener.accept()), crc);
                Thread.ofPlatform().daemon().start(() -> answerAll(stream, file));
            }
        } catch (IOException _) {
            // The service was closed.
        }
    }

    private static void answerAll(TcpStream stream, Path file) {
        var memory = new SlotMemory();
        try (stream) {
            while (true) {
                var request = stream.receiveHeader();
                int length = request.length();
                switch (request.kind()) {
                    case NULL -> {
                        stream.endReceive();
                        stream.send(Work.Kind.NULL, 0, null);
                    }
                    case READ -> {
                        stream.endReceive();
                        stream.send(Work.Kind.READ, length, memory.of(0, length).asByteBuffer());
                    }
                    case WRITE -> {
                        stream.receivePayload(memory.of(0, length).asByteBuffer());
                        stream.endReceive();
                        stream.send(Work.Kind.WRITE, 0, null);
                    }
                    case COPY -> {
                        stream.endReceive();
                        sendFile(stream, file);
                    }
                    case OPEN -> throw new IOException("a plain exchange opens no files");
                }
            }
        } catch (IOException _) {
            // The client closed the connection.
        }
    }

    private static void sendFile(TcpStream stream, Path file) throws IOException {
        try (var channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long bytes = channel.size();
            stream.send(Work.Kind.COPY, (int) bytes, null);
            for (long at = 0; at < bytes; ) {
                at += channel.transferTo(at, bytes - at, stream.channel());
            }
        }
    }

    private static SocketChannel withoutDelay(SocketChannel channel) throws IOException {
        return channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    @Override
    public Session connect(int port, Setting setting, Path directory) throws Exception {
        var channel =
                SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return new Calls(
                new TcpStream(withoutDelay(channel), setting.crc()), directory.resolve("copy"));
    }

    /** The client's side, in one thread. */
    private record Calls(TcpStream stream, Path copy) implements Session {
        @Override
        public Call call(Work work, MemorySegment memory) {
            var payload = memory.asByteBuffer();
            return () -> {
                sendRequest(work, payload);
                receiveReply(work, payload);
            };
        }

        /**
         * Keeps all calls outstanding in one thread: it takes the oldest reply and sends the next
         * request.
         */
        @Override
        public void run(Work work, Meter meter, SlotMemory memory) throws Exception {
            var payloads = new ByteBuffer[meter.slots()];
            meter.start();
            for (int i = 0; i < payloads.length; i++) {
                payloads[i] = memory.of(i, work.length()).asByteBuffer();
                meter.slot(i).begin();
                sendRequest(work, payloads[i]);
            }
            int outstanding = payloads.length;
            for (int i = 0; outstanding > 0; i = (i + 1) % payloads.length) {
                receiveReply(work, payloads[i]);
                if (outstanding == payloads.length && meter.slot(i).next()) {
                    sendRequest(work, payloads[i]);
                } else {
                    outstanding = last(meter.slot(i), outstanding, payloads.length);
                }
            }
            meter.stop();
        }

        /**
         * Returns the number of outstanding calls without this slot's. The first slot that ends has
         * counted its call already.
         */
        private static int last(Meter.Slot slot, int outstanding, int all) {
            if (outstanding < all) {
                slot.next();
            }
            return outstanding - 1;
        }

        private void sendRequest(Work work, ByteBuffer payload) throws IOException {
            boolean hasPayload = work.kind() == Work.Kind.WRITE;
            stream.send(work.kind(), work.length(), hasPayload ? payload.clear() : null);
        }

        private void receiveReply(Work work, ByteBuffer payload) throws IOException {
            var reply = stream.receiveHeader();
            switch (work.kind()) {
                case READ -> stream.receivePayload(payload.clear());
                case COPY -> receiveFile(reply.length());
                case NULL, WRITE, OPEN -> {}
            }
            if (work.kind() != Work.Kind.COPY) {
                stream.endReceive();
            }
        }

        private void receiveFile(int bytes) throws IOException {
            var piece = ByteBuffer.allocateDirect(Work.LONGEST);
            try (var channel =
                    FileChannel.open(
                            copy,
                            StandardOpenOption.CREATE,
                            StandardOpenOption.TRUNCATE_EXISTING,
                            StandardOpenOption.WRITE)) {
                for (int at = 0; at < bytes; at += piece.capacity()) {
                    piece.clear().limit(Math.min(piece.capacity(), bytes - at));
                    stream.receiveRaw(piece);
                    for (piece.flip(); piece.hasRemaining(); ) {
                        channel.write(piece);
                    }
                }
            }
        }

        @Override
        public void close() throws IOException {
            stream.close();
        }
    }
}
