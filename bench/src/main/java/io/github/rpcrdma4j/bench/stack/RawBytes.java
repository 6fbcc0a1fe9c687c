package io.github.rpcrdma4j.bench.stack;

import io.grpc.Detachable;
import io.grpc.Drainable;
import io.grpc.HasByteBuffer;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor.Marshaller;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** gRPC messages of plain bytes, moved with one copy on each side. */
sealed interface RawBytes {
    Marshaller<RawBytes> MARSHALLER =
            new Marshaller<>() {
                @Override
                public InputStream stream(RawBytes value) {
                    return switch (value) {
                        case Outgoing outgoing -> new Source(outgoing);
                        case Incoming _ ->
                                throw new IllegalArgumentException(
                                        "a received message cannot be sent");
                    };
                }

                @Override
                public RawBytes parse(InputStream stream) {
                    return new Incoming(
                            stream instanceof Detachable buffers ? buffers.detach() : stream);
                }
            };

    /** Bytes to send: the first {@code length} bytes of an array. */
    record Outgoing(byte[] array, int length) implements RawBytes {
        static Outgoing number(int value) {
            return new Outgoing(ByteBuffer.allocate(Integer.BYTES).putInt(value).array(), 4);
        }
    }

    /** Received bytes, in the buffers in which they arrived. */
    record Incoming(InputStream stream) implements RawBytes, AutoCloseable {
        int number() throws IOException {
            return ByteBuffer.wrap(stream.readNBytes(Integer.BYTES)).getInt();
        }

        /** Copies all remaining bytes. */
        void copyInto(MemorySegment memory) throws IOException {
            long at = 0;
            while (stream.available() > 0) {
                var piece = piece();
                MemorySegment.copy(MemorySegment.ofBuffer(piece), 0, memory, at, piece.remaining());
                at += piece.remaining();
                stream.skipNBytes(piece.remaining());
            }
        }

        private ByteBuffer piece() throws IOException {
            if (stream instanceof HasByteBuffer buffers && buffers.byteBufferSupported()) {
                return buffers.getByteBuffer();
            }
            throw new IOException("gRPC did not show its buffers");
        }

        @Override
        public void close() throws IOException {
            stream.close();
        }
    }

    /** The stream from which gRPC takes all bytes at once. */
    final class Source extends ByteArrayInputStream implements KnownLength, Drainable {
        Source(Outgoing outgoing) {
            super(outgoing.array, 0, outgoing.length);
        }

        @Override
        public int drainTo(OutputStream target) throws IOException {
            int length = available();
            target.write(buf, pos, length);
            pos += length;
            return length;
        }
    }
}
