package io.github.rpcrdma4j.bench.latency;

import io.github.rpcrdma4j.bench.stack.BenchProgram;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.xdr.XdrException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Locale;

/** The data that a call moves. */
enum Transfer {
    READ_8K("READ of 8 KiB", Kind.READ, 8 << 10),
    READ_64K("READ of 64 KiB", Kind.READ, 64 << 10),
    WRITE_8K("WRITE of 8 KiB", Kind.WRITE, 8 << 10),
    WRITE_64K("WRITE of 64 KiB", Kind.WRITE, 64 << 10),
    REPLY_40K("Reply of unknown size, 40 KiB", Kind.REPLY, 40 << 10),
    REPLY_100("Reply of unknown size, 100 bytes", Kind.REPLY, 100);

    /** The direction of the data, and how much the caller knows of it. */
    enum Kind {
        /** Bulk data into the caller's memory. */
        READ,
        /** Bulk data out of the caller's memory. */
        WRITE,
        /** A result that is not a bulk item; the caller knows only its greatest length. */
        REPLY
    }

    /** The length of the longest data, in bytes. */
    static final int LONGEST = 64 << 10;

    /** The greatest length of a reply that the caller expects, in bytes. */
    static final int REPLY_MAX = 1 << 20;

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final String words;
    private final Kind kind;
    private final int length;

    Transfer(String words, Kind kind, int length) {
        this.words = words;
        this.kind = kind;
        this.length = length;
    }

    /** Returns the name for people. */
    String words() {
        return words;
    }

    /** Returns the name for programs, such as {@code read-8k}. */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    Kind kind() {
        return kind;
    }

    /**
     * Makes a call that moves the data, and checks the length of the data.
     *
     * @param memory {@link #LONGEST} bytes, the target of READ and the source of WRITE
     * @param placed whether the binding of the client lets READ place its result
     */
    void make(RpcClient client, MemorySegment memory, boolean placed)
            throws IOException, InterruptedException {
        var data = memory.asSlice(0, length);
        try (var reply = client.call(call(data, placed), TIMEOUT)) {
            var results = reply.results();
            switch (kind) {
                case READ -> {
                    var arrived = results.bulk(length);
                    requireLength(arrived.byteSize());
                    if (arrived.address() != data.address()) {
                        data.copyFrom(arrived);
                    }
                }
                case WRITE -> results.finish();
                case REPLY -> requireLength(results.opaque(REPLY_MAX).byteSize());
            }
        } catch (XdrException malformed) {
            throw new IOException(words + ": " + malformed.getMessage(), malformed);
        }
    }

    private RpcCall call(MemorySegment data, boolean placed) {
        return switch (kind) {
            case READ -> placed ? BenchProgram.read(data) : BenchProgram.readUnplaced(length);
            case WRITE -> BenchProgram.write(data);
            case REPLY -> BenchProgram.list(length, REPLY_MAX);
        };
    }

    private void requireLength(long arrived) throws IOException {
        if (arrived != length) {
            throw new IOException(words + ": " + arrived + " bytes arrived");
        }
    }
}
