package io.github.rpcrdma4j.bench.latency;

import io.github.rpcrdma4j.bench.stack.BenchProgram;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.xdr.XdrException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Locale;

/** What a call moves. */
enum Transfer {
    READ_8K("READ of 8 KiB", Kind.READ, 8 << 10),
    READ_64K("READ of 64 KiB", Kind.READ, 64 << 10),
    WRITE_8K("WRITE of 8 KiB", Kind.WRITE, 8 << 10),
    WRITE_64K("WRITE of 64 KiB", Kind.WRITE, 64 << 10),
    REPLY_40K("Reply of unknown size, 40 KiB", Kind.REPLY, 40 << 10),
    REPLY_100("Reply of unknown size, 100 bytes", Kind.REPLY, 100);

    /** Which end the data comes from, and what is known of it. */
    enum Kind {
        /** Bulk data into the caller's memory. */
        READ,
        /** Bulk data out of the caller's memory. */
        WRITE,
        /** A result that is no bulk data, of which the caller knows the greatest length alone. */
        REPLY
    }

    /** The longest data of all, in bytes. */
    static final int LONGEST = 64 << 10;

    /** What the caller takes a reply to be at the most, in bytes. */
    static final int REPLY_MAX = 1 << 20;

    private static final Duration DEADLINE = Duration.ofSeconds(60);

    private final String words;
    private final Kind kind;
    private final int length;

    Transfer(String words, Kind kind, int length) {
        this.words = words;
        this.kind = kind;
        this.length = length;
    }

    /** For people. */
    String words() {
        return words;
    }

    /** For programs: {@code read-8k}. */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    Kind kind() {
        return kind;
    }

    /**
     * Makes a call that moves it, and looks whether all has come.
     *
     * @param memory of {@link #LONGEST} bytes, where data of READ ends and data of WRITE comes from
     */
    void make(RpcClient client, MemorySegment memory) throws IOException, InterruptedException {
        var data = memory.asSlice(0, length);
        try (var reply = client.call(call(data), DEADLINE)) {
            var results = reply.results();
            switch (kind) {
                case READ -> {
                    var came = results.bulk(length);
                    requireLength(came.byteSize());
                    if (came.address() != data.address()) {
                        data.copyFrom(came);
                    }
                }
                case WRITE -> results.finish();
                case REPLY -> requireLength(results.opaque(REPLY_MAX).byteSize());
            }
        } catch (XdrException malformed) {
            throw new IOException(words + ": " + malformed.getMessage(), malformed);
        }
    }

    private RpcCall call(MemorySegment data) {
        return switch (kind) {
            case READ -> BenchProgram.read(data);
            case WRITE -> BenchProgram.write(data);
            case REPLY -> BenchProgram.list(length, REPLY_MAX);
        };
    }

    private void requireLength(long came) throws IOException {
        if (came != length) {
            throw new IOException(words + ": " + came + " bytes came");
        }
    }
}
