package io.github.rpcrdma4j.bench.stack;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** What is asked for again and again. */
public enum Work {
    NULL(Kind.NULL, 0),
    READ_4K(Kind.READ, 4 << 10),
    READ_64K(Kind.READ, 64 << 10),
    READ_1M(Kind.READ, 1 << 20),
    WRITE_4K(Kind.WRITE, 4 << 10),
    WRITE_64K(Kind.WRITE, 64 << 10),
    WRITE_1M(Kind.WRITE, 1 << 20),
    COPY_1G(Kind.COPY, 0);

    /** The longest payload of one call, in bytes. */
    public static final int LONGEST = 1 << 20;

    /** Which way the payload goes. */
    public enum Kind {
        NULL,
        READ,
        WRITE,
        /** A whole file from the server into a local file. */
        COPY;

        /** The works of this kind, from the shortest payload on. */
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

    /** Bytes of payload in one call; 0 for a file, whose length is the service's. */
    public int length() {
        return length;
    }

    /** As users write it: {@code read-1m}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @Override
    public String toString() {
        return label();
    }
}
