package io.github.rpcrdma4j.bench.stack;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** The kind and length of the calls in a measurement. */
public enum Work {
    NULL(Kind.NULL, 0),
    READ_4K(Kind.READ, 4 << 10),
    READ_64K(Kind.READ, 64 << 10),
    READ_1M(Kind.READ, 1 << 20),
    WRITE_4K(Kind.WRITE, 4 << 10),
    WRITE_64K(Kind.WRITE, 64 << 10),
    WRITE_1M(Kind.WRITE, 1 << 20),
    COPY_1G(Kind.COPY, 0),
    OPEN(Kind.OPEN, 0);

    /** The longest payload of one call, in bytes. */
    public static final int LONGEST = 1 << 20;

    /** The direction of the payload. */
    public enum Kind {
        NULL,
        READ,
        WRITE,
        /** Copies a whole file from the server to a local file. */
        COPY,
        /** Opens and closes a file in one call. */
        OPEN;

        /** Returns the works of this kind, in the order of their payload's length. */
        public List<Work> works() {
            return Arrays.stream(Work.values())
                    .filter(work -> work.kind == this)
                    .sorted(Comparator.comparingInt(Work::length))
                    .toList();
        }
    }

    private final Kind kind;
    private final int length;

    Work(Kind kind, int length) {
        this.kind = kind;
        this.length = length;
    }

    public Kind kind() {
        return kind;
    }

    /** Returns the bytes of payload in one call; 0 for a copy, whose length the service decides. */
    public int length() {
        return length;
    }

    /** Returns the name for the command line, such as {@code read-1m}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @Override
    public String toString() {
        return label();
    }
}
