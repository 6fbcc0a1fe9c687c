package io.github.rpcrdma4j.capture;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Reads the packets of a capture one after another, so that a file of any size, or a pipe, needs
 * the memory of one packet. Malformed bytes end the packets and never cause an exception.
 *
 * <p>Not thread-safe. The caller keeps and closes the stream.
 */
public sealed interface PacketReader permits Pcap, Pcapng, PacketReader.Unknown {
    /** The longest packet that can be read, in bytes. */
    int PACKET_MAX = 1 << 20;

    /**
     * Returns the next packet; null after the last one.
     *
     * @throws IOException if the stream cannot be read
     */
    Packet next() throws IOException;

    /** Returns why reading ended before the end of the file; empty if it did not. */
    Optional<String> failure();

    /** The reader of a file in neither format; it returns no packets. */
    record Unknown() implements PacketReader {
        @Override
        public Packet next() {
            return null;
        }

        @Override
        public Optional<String> failure() {
            return Optional.of("neither a pcap nor a pcapng file");
        }
    }

    /**
     * Returns a reader for a stream, after reading its first bytes.
     *
     * @throws IOException if the stream cannot be read
     */
    static PacketReader of(InputStream stream) throws IOException {
        var in = new BufferedInputStream(stream, 1 << 16);
        byte[] magic = in.readNBytes(Integer.BYTES);
        if (magic.length < Integer.BYTES) {
            return new Unknown();
        }
        int word = ByteBuffer.wrap(magic).getInt();
        if (word == Pcapng.SECTION_HEADER) {
            return new Pcapng(in);
        }
        return Pcap.read(word, in).<PacketReader>map(each -> each).orElseGet(Unknown::new);
    }
}
