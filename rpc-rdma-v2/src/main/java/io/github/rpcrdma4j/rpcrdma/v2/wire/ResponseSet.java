package io.github.rpcrdma4j.rpcrdma.v2.wire;

import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import java.util.List;

/**
 * Where bulk results of some operations of a request shall go.
 *
 * @param begin of the operations, in the virtual stream of the request
 * @param end the first byte behind them
 * @param items used up one by one, by the results of these operations
 */
public record ResponseSet(long begin, long end, List<Item> items) {
    public ResponseSet {
        items = List.copyOf(items);
    }

    /**
     * Where one result shall go.
     *
     * @param minimum shorter results stay inline, in bytes
     */
    public record Item(long minimum, Target target) {}

    /** How one result shall go there. */
    public sealed interface Target {
        /** XMDTYPE_EXRW: by RDMA Write. */
        record Explicit(List<Segment> segments) implements Target {
            public Explicit {
                segments = List.copyOf(segments);
            }
        }

        /** XMDTYPE_TBSN: in the receive buffers. */
        record Numbered() implements Target {}

        /** XMDTYPE_CHOOSE: as the responder likes. */
        record Choice(List<Segment> segments) implements Target {
            public Choice {
                segments = List.copyOf(segments);
            }
        }

        /**
         * XMDTYPE_BYSIZE: longer ones by RDMA Write, the others in the receive buffers.
         *
         * @param over bytes
         */
        record BySize(long over, List<Segment> segments) implements Target {
            public BySize {
                segments = List.copyOf(segments);
            }
        }
    }
}
