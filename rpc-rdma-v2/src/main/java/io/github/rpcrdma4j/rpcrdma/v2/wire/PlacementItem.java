package io.github.rpcrdma4j.rpcrdma.v2.wire;

import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import java.util.List;

/**
 * A bulk item that is not in the payload stream. In a response it may also say that an item is
 * missing or inline.
 *
 * @param displacement the position of its first byte in the virtual stream, which has all items in
 *     it
 * @param length its length in bytes, without padding
 */
public record PlacementItem(long displacement, long length, Location location) {
    /** The location of the item. */
    public sealed interface Location {
        /** XMDTYPE_EXRW: in memory of the requester, by explicit RDMA. */
        record Explicit(List<Segment> segments) implements Location {
            public Explicit {
                segments = List.copyOf(segments);
            }

            /** Returns the sum of the lengths, in bytes. */
            public long size() {
                return segments.stream().mapToLong(Segment::size).sum();
            }
        }

        /**
         * XMDTYPE_TBSN: in segments of the receive buffers of the group.
         *
         * @param offset where the item starts in the first segment, in bytes
         * @param numbers the segments, counted through all placement segments of all buffers
         *     (RTR-6.2-3)
         */
        record Numbered(long offset, List<Long> numbers) implements Location {
            public Numbered {
                numbers = List.copyOf(numbers);
            }
        }

        /**
         * XMDTYPE_TOOSHORT: in the payload stream, because it is too short to be moved; responses
         * only.
         */
        record TooShort() implements Location {}

        /** XMDTYPE_NOITEM: there is no item; responses only. */
        record NoItem() implements Location {}
    }
}
