package io.github.rpcrdma4j.rpcrdma.v2.wire;

import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import java.util.List;

/**
 * The targets for bulk results of some operations of a request.
 *
 * @param begin the start of the operations, in the virtual stream of the request
 * @param end the first byte after them
 * @param results the expected results of these operations, in order
 */
public record ResponseSet(long begin, long end, List<ExpectedResult> results) {
    public ResponseSet {
        results = List.copyOf(results);
    }

    /**
     * One result, and its target.
     *
     * @param minimum the shortest result that is moved, in bytes; shorter results stay inline
     */
    public record ExpectedResult(long minimum, Target target) {}

    /** The method by which one result is to travel. */
    public sealed interface Target {
        /** XMDTYPE_EXRW: by RDMA Write. */
        record Explicit(List<Segment> segments) implements Target {
            public Explicit {
                segments = List.copyOf(segments);
            }
        }

        /** XMDTYPE_TBSN: in the receive buffers. */
        record Numbered() implements Target {}

        /** XMDTYPE_CHOOSE: as the responder prefers. */
        record Choice(List<Segment> segments) implements Target {
            public Choice {
                segments = List.copyOf(segments);
            }
        }

        /**
         * XMDTYPE_BYSIZE: longer results by RDMA Write, the others in the receive buffers.
         *
         * @param over the longest result that goes to the receive buffers, in bytes
         */
        record BySize(long over, List<Segment> segments) implements Target {
            public BySize {
                segments = List.copyOf(segments);
            }
        }
    }
}
