package io.github.rpcrdma4j.capture;

import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The reader of the newer capture format: blocks of 32-bit words in sections, each with its own
 * byte order. It also writes such files.
 *
 * <pre>
 *   type(4) | total length(4) | body, padded to words | total length(4)
 *
 *   0a0d0d0a  section header         magic 1a2b3c4d(4) version(4) section length(8) options
 *   1         interface description  link type(2) 0(2) limit(4) options
 *   3         simple packet          length(4) packet
 *   6         enhanced packet        interface(4) time(8) captured(4) length(4) packet options
 *
 *   option    code(2) length(2) value, padded     9: resolution of times   14: seconds to add
 * </pre>
 *
 * The reader skips blocks of other types. A written file has one section and one interface,
 * big-endian, with times in nanoseconds.
 *
 * <p>Tests: {@code PacketReaderTest}.
 */
public final class Pcapng implements PacketReader {
    static final int SECTION_HEADER = 0x0a0d0d0a;
    private static final int INTERFACE = 1;
    private static final int SIMPLE_PACKET = 3;
    private static final int ENHANCED_PACKET = 6;
    private static final int MAGIC = 0x1a2b3c4d;
    private static final int VERSION = 0x0001_0000;

    /** The length of the type and both total lengths, in bytes. */
    private static final int FRAME_BYTES = 12;

    private static final int BLOCK_MAX = PACKET_MAX + (1 << 16);
    private static final int INTERFACES_MAX = 4096;
    private static final int SECTION_BYTES = 16;
    private static final int INTERFACE_BYTES = 8;
    private static final int ENHANCED_BYTES = 20;
    private static final int OPTION_RESOLUTION = 9;
    private static final int OPTION_OFFSET = 14;
    private static final int NANO_DIGITS = 9;
    private static final int POWER_OF_TWO = 0x80;
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    /** An interface of a section. Its times are in units of 1/{@code perSecond} seconds. */
    private record Interface(int linkType, long limit, long perSecond, long offsetSeconds) {
        private long nanos(long time) {
            if (NANOS_PER_SECOND % perSecond == 0 && time >= 0) {
                return time * (NANOS_PER_SECOND / perSecond) + offsetSeconds * NANOS_PER_SECOND;
            }
            return new BigInteger(Long.toUnsignedString(time))
                            .multiply(BigInteger.valueOf(NANOS_PER_SECOND))
                            .divide(BigInteger.valueOf(perSecond))
                            .longValue()
                    + offsetSeconds * NANOS_PER_SECOND;
        }
    }

    private final InputStream in;
    private final List<Interface> interfaces = new ArrayList<>();
    private ByteOrder order = ByteOrder.BIG_ENDIAN;
    private boolean started;
    private long number;
    private String failure;

    /** Makes a reader for a stream positioned after the type of the first block. */
    Pcapng(InputStream in) {
        this.in = in;
    }

    @Override
    public Packet next() throws IOException {
        while (failure == null) {
            int type;
            if (started) {
                byte[] word = in.readNBytes(Integer.BYTES);
                if (word.length < Integer.BYTES) {
                    return word.length == 0 ? null : end("the file ends inside a block");
                }
                type = ByteBuffer.wrap(word).order(order).getInt();
            } else {
                type = SECTION_HEADER;
                started = true;
            }
            var body = type == SECTION_HEADER ? section() : body(word());
            if (body != null) {
                var packet = block(type, body);
                if (packet != null) {
                    return packet;
                }
            }
        }
        return null;
    }

    /** Returns the next word; 0, which is no valid length, at the end of the file. */
    private int word() throws IOException {
        byte[] word = in.readNBytes(Integer.BYTES);
        return word.length < Integer.BYTES ? 0 : ByteBuffer.wrap(word).order(order).getInt();
    }

    /** Reads a section header. The byte order of its length is known only after its magic. */
    private ByteBuffer section() throws IOException {
        order = ByteOrder.BIG_ENDIAN;
        int length = word();
        int magic = word();
        if (magic == Integer.reverseBytes(MAGIC)) {
            order = ByteOrder.LITTLE_ENDIAN;
            length = Integer.reverseBytes(length);
        } else if (magic != MAGIC) {
            end("a section has no magic number");
            return null;
        }
        interfaces.clear();
        return body(length - Integer.BYTES);
    }

    private ByteBuffer body(int length) throws IOException {
        if (length < FRAME_BYTES || (length & 3) != 0 || length > BLOCK_MAX) {
            end("a block has an invalid length");
            return null;
        }
        // The type and the first length were already read.
        byte[] body = in.readNBytes(length - 2 * Integer.BYTES);
        if (body.length < length - 2 * Integer.BYTES) {
            end("the file ends inside a block");
            return null;
        }
        return ByteBuffer.wrap(body, 0, body.length - Integer.BYTES).slice().order(order);
    }

    /** Returns the packet of a block; null if it has none or reading has ended. */
    private Packet block(int type, ByteBuffer body) {
        return switch (type) {
            case INTERFACE -> describe(body);
            case SIMPLE_PACKET -> simple(body);
            case ENHANCED_PACKET -> enhanced(body);
            default -> null;
        };
    }

    private Packet describe(ByteBuffer body) {
        if (body.remaining() < INTERFACE_BYTES || interfaces.size() == INTERFACES_MAX) {
            return end("a section has an invalid interface description");
        }
        int linkType = body.getShort() & 0xffff;
        body.getShort();
        long limit = Integer.toUnsignedLong(body.getInt());
        long perSecond = 1_000_000;
        long offset = 0;
        while (body.remaining() >= Integer.BYTES) {
            int code = body.getShort() & 0xffff;
            int length = body.getShort() & 0xffff;
            if (code == 0 || length > body.remaining()) {
                break;
            }
            if (code == OPTION_RESOLUTION && length == 1) {
                perSecond = perSecond(body.get(body.position()) & 0xff);
            } else if (code == OPTION_OFFSET && length == Long.BYTES) {
                offset = body.getLong(body.position());
            }
            body.position(Math.min(body.limit(), body.position() + (length + 3 & ~3)));
        }
        interfaces.add(new Interface(linkType, limit, perSecond, offset));
        return null;
    }

    /**
     * Returns the units per second. The resolution is a negative exponent of ten, or of two if its
     * highest bit is set. Exponents beyond 64 bits are reduced.
     */
    private static long perSecond(int resolution) {
        int exponent = resolution & ~POWER_OF_TWO;
        if ((resolution & POWER_OF_TWO) != 0) {
            return 1L << Math.min(exponent, Long.SIZE - 2);
        }
        long perSecond = 1;
        for (int i = Math.min(exponent, 18); i > 0; i--) {
            perSecond *= 10;
        }
        return perSecond;
    }

    private Packet simple(ByteBuffer body) {
        if (interfaces.isEmpty() || body.remaining() < Integer.BYTES) {
            return end("a packet comes before the interface that it was captured on");
        }
        var on = interfaces.getFirst();
        long length = Integer.toUnsignedLong(body.getInt());
        long captured = on.limit == 0 ? length : Math.min(length, on.limit);
        return packet(on, 0, (int) Math.min(captured, body.remaining()), body);
    }

    private Packet enhanced(ByteBuffer body) {
        if (body.remaining() < ENHANCED_BYTES) {
            return end("a block is too short for its packet");
        }
        int at = body.getInt();
        long time = Integer.toUnsignedLong(body.getInt()) << Integer.SIZE;
        time |= Integer.toUnsignedLong(body.getInt());
        int captured = body.getInt();
        body.getInt();
        if (at < 0 || at >= interfaces.size()) {
            return end("a packet names an interface that was not described");
        }
        if (captured < 0 || captured > body.remaining()) {
            return end("a packet has an invalid length");
        }
        var on = interfaces.get(at);
        return packet(on, on.nanos(time), captured, body);
    }

    private Packet packet(Interface on, long nanos, int captured, ByteBuffer body) {
        var bytes = body.slice(body.position(), captured).order(ByteOrder.BIG_ENDIAN);
        return new Packet(++number, nanos, on.linkType, bytes);
    }

    private Packet end(String why) {
        failure = why;
        return null;
    }

    @Override
    public Optional<String> failure() {
        return Optional.ofNullable(failure);
    }

    /** Returns the start of a file: the section and its only interface. */
    public static byte[] header(int linkType) {
        int section = FRAME_BYTES + SECTION_BYTES;
        // The option with the resolution, padded to a word, and the end of options.
        int description = FRAME_BYTES + INTERFACE_BYTES + 3 * Integer.BYTES;
        var out = ByteBuffer.allocate(section + description);
        out.putInt(SECTION_HEADER).putInt(section).putInt(MAGIC).putInt(VERSION);
        out.putLong(-1).putInt(section);
        out.putInt(INTERFACE).putInt(description).putShort((short) linkType).putShort((short) 0);
        out.putInt(0).putShort((short) OPTION_RESOLUTION).putShort((short) 1);
        out.put((byte) NANO_DIGITS).put((byte) 0).putShort((short) 0).putInt(0);
        return out.putInt(description).array();
    }

    /**
     * Returns the block of one packet.
     *
     * @param nanos the time of capture, in nanoseconds since 1970
     */
    public static byte[] packet(long nanos, byte[] bytes) {
        int padded = bytes.length + 3 & ~3;
        int length = FRAME_BYTES + ENHANCED_BYTES + padded;
        var out = ByteBuffer.allocate(length);
        out.putInt(ENHANCED_PACKET).putInt(length).putInt(0).putLong(nanos);
        out.putInt(bytes.length).putInt(bytes.length).put(bytes);
        return out.putInt(length - Integer.BYTES, length).array();
    }
}
