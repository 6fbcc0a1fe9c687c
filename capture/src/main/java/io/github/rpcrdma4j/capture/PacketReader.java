package io.github.rpcrdma4j.capture;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Reads the packets of a capture one after the other, so that a file of any size, or a pipe, needs
 * the memory of one packet. Total: whatever the bytes are, there are packets until there are none.
 *
 * <p>Not thread-safe. The stream stays the caller's.
 */
public sealed interface PacketReader permits Pcap, Pcapng, PacketReader.Unknown {
    /** The longest packet that is read, in bytes. */
    int PACKET_MAX = 1 << 20;

    /**
     * The next packet; null after the last one.
     *
     * @throws IOException if the stream cannot be read
     */
    Packet next() throws IOException;

    /** Why reading ended before the end of the file; empty if it did not. */
    Optional<String> trouble();

    /** A file in neither of the two formats: it has no packets. */
    record Unknown() implements PacketReader {
        @Override
        public Packet next() {
            return null;
        }

        @Override
        public Optional<String> trouble() {
            return Optional.of("neither a pcap nor a pcapng file");
        }
    }

    /**
     * Starts to read a capture.
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
