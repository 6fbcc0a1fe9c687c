package io.github.rpcrdma4j.nfs.state.range;

import io.github.rpcrdma4j.oncrpc.KeyedHash;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The bytes from {@code first} to {@code last}, both unsigned and inclusive. The last byte of all
 * stands for the end of the file, wherever it is.
 */
public record ByteRange(long first, long last) {
    /** The whole file. */
    public static final ByteRange ALL = new ByteRange(0, -1);

    public ByteRange {
        if (Long.compareUnsigned(first, last) > 0) {
            throw new IllegalArgumentException("a range has at least one byte");
        }
    }

    /**
     * Returns a range as NFS writes it (RFC 8881, Section 18.10.3).
     *
     * @param length unsigned; all ones for all bytes from the offset on
     * @return nothing if the length is 0, or if the sum of both is 2^64 or more: INVAL
     */
    public static Optional<ByteRange> of(long offset, long length) {
        if (length == -1) {
            return Optional.of(new ByteRange(offset, -1));
        }
        return length == 0 || Long.compareUnsigned(length, ~offset) > 0
                ? Optional.empty()
                : Optional.of(new ByteRange(offset, offset + length - 1));
    }

    /** Returns the length as NFS writes it: all ones for a range to the end. */
    public long length() {
        return last == -1 ? -1 : last - first + 1;
    }

    @Override
    public int hashCode() {
        return KeyedHash.of(first, last);
    }

    public boolean overlaps(ByteRange other) {
        return Long.compareUnsigned(first, other.last) <= 0
                && Long.compareUnsigned(other.first, last) <= 0;
    }

    /** Returns the part that is also in a range that overlaps this one. */
    public ByteRange common(ByteRange other) {
        return new ByteRange(
                Long.compareUnsigned(first, other.first) < 0 ? other.first : first,
                Long.compareUnsigned(last, other.last) < 0 ? last : other.last);
    }

    /** Returns the parts that are not in another range. */
    public List<ByteRange> without(ByteRange other) {
        if (!overlaps(other)) {
            return List.of(this);
        }
        var parts = new ArrayList<ByteRange>();
        if (Long.compareUnsigned(first, other.first) < 0) {
            parts.add(new ByteRange(first, other.first - 1));
        }
        if (Long.compareUnsigned(other.last, last) < 0) {
            parts.add(new ByteRange(other.last + 1, last));
        }
        return parts;
    }
}
