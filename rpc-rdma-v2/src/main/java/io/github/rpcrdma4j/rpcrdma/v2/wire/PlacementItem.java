package io.github.rpcrdma4j.rpcrdma.v2.wire;

import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import java.util.List;

/**
 * A bulk item that is not in the payload stream, or, in a response, what became of one.
 *
 * @param displacement of its first byte in the virtual stream, the one with all items in it
 * @param length in bytes, without padding
 */
public record PlacementItem(long displacement, long length, Place place) {
    /** Where the item is. */
    public sealed interface Place {
        /** XMDTYPE_EXRW: in memory of the requester, by explicit RDMA. */
        record Explicit(List<Segment> segments) implements Place {
            public Explicit {
                segments = List.copyOf(segments);
            }

            /** The sum of the lengths, in bytes. */
            public long size() {
                return segments.stream().mapToLong(Segment::size).sum();
            }
        }

        /**
         * XMDTYPE_TBSN: in segments of the receive buffers of the group.
         *
         * @param offset where the item starts in the first of them, in bytes
         * @param numbers counted through all placement segments of all buffers (RTR-6.2-3)
         */
        record Numbered(long offset, List<Long> numbers) implements Place {
            public Numbered {
                numbers = List.copyOf(numbers);
            }
        }

        /** XMDTYPE_TOOSHORT: in the payload stream, too short to be moved; responses only. */
        record TooShort() implements Place {}

        /** XMDTYPE_NOITEM: there is none; responses only. */
        record NoItem() implements Place {}
    }
}
