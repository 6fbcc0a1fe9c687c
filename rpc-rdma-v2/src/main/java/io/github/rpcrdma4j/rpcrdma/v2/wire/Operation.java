package io.github.rpcrdma4j.rpcrdma.v2.wire;

import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import java.util.List;
import java.util.Optional;

/** An optional operation: what an RDMA2_OPTIONAL says. */
public sealed interface Operation {
    /** How characteristics become known and change. They have no payload. */
    sealed interface Exchange extends Operation {}

    /**
     * ROPT_INITXCH: what the sender is like (XCH-4.1-1).
     *
     * @param noChange which of these will stay as they are (XCH-4.1-3)
     */
    record InitialExchange(List<Characteristic> start, Subset noChange) implements Exchange {
        public InitialExchange {
            start = List.copyOf(start);
        }
    }

    /** ROPT_REQXCH: what the sender would like its peer to become. */
    record ChangeRequest(List<Characteristic> want) implements Exchange {
        public ChangeRequest {
            want = List.copyOf(want);
        }
    }

    /**
     * ROPT_RESPXCH: what becomes of the wishes of a ROPT_REQXCH, whose XID it has (XCH-4.3-1).
     *
     * @param done in force from now on
     * @param rejected never
     * @param pending will be told by a ROPT_UPDXCH
     */
    record ChangeResponse(Subset done, Subset rejected, Subset pending) implements Exchange {}

    /**
     * ROPT_UPDXCH: a characteristic of the sender as it now is.
     *
     * @param endsPending whether this is the answer to a wish that was pending (XCH-4.4-3)
     */
    record Update(Characteristic now, boolean endsPending) implements Exchange {}

    /** One Send of a group that together carries an RPC message. */
    sealed interface Transmission extends Operation {
        /** Bytes of the payload stream in this Send. */
        long payloadLength();
    }

    /** The first transmission of a group, which says all about the message (RTR-4.2-1). */
    sealed interface Initial extends Transmission {
        /** What was taken out of the payload stream, and where it is. */
        List<PlacementItem> moved();

        /** Transmissions of the group, this one included; at least 1. */
        long count();
    }

    /**
     * ROPT_XMTREQ.
     *
     * @param directions where bulk items of the response shall go (RTR-9.2-2)
     * @param responseCount how many transmissions the response may have, the first included; 0 is
     *     taken for 1
     * @param trailer only between peers that both know it (RTR-9.2-5)
     */
    record TransmitRequest(
            List<PlacementItem> moved,
            List<ResponseSet> directions,
            long count,
            long responseCount,
            long payloadLength,
            Optional<Trailer> trailer)
            implements Initial {
        public TransmitRequest {
            moved = List.copyOf(moved);
            directions = List.copyOf(directions);
        }

        /** How many transmissions the response may have (RTR-5.2-4). */
        public long responseMax() {
            return Math.max(1, responseCount);
        }
    }

    /**
     * What a ROPT_XMTREQ may say in addition.
     *
     * @param replyChunk where the whole response may go
     * @param completed XIDs whose responder-provided Read chunks were fetched
     */
    record Trailer(Optional<List<Segment>> replyChunk, List<Integer> completed) {
        public Trailer {
            replyChunk = replyChunk.map(List::copyOf);
            completed = List.copyOf(completed);
        }
    }

    /** ROPT_XMTRESP (RTR-9.3-1). */
    record TransmitResponse(List<PlacementItem> moved, long count, long payloadLength)
            implements Initial {
        public TransmitResponse {
            moved = List.copyOf(moved);
        }
    }

    /**
     * ROPT_XMTCONT.
     *
     * @param number within the group; the first transmission has 0 (RTR-9.4-3)
     * @param initialType the operation with which the group began
     * @param payloadLength may be 0 (RTR-9.4-4)
     */
    record Continuation(long number, int initialType, long payloadLength) implements Transmission {}

    /**
     * ROPT_XMTERR: a group, or its data placement, cannot be right.
     *
     * @param bad the transmission at which that was seen
     * @param lead an earlier one that may be the cause (RTR-9.5-10)
     */
    record TransmitError(TransmissionId bad, Optional<TransmissionId> lead, Fault fault)
            implements Operation {}

    /**
     * ROPT_RPDONE: Read chunks were fetched, or will not be.
     *
     * @param more XIDs in addition to the one of the header
     */
    record PullDone(List<Integer> more) implements Operation {
        public PullDone {
            more = List.copyOf(more);
        }
    }

    /**
     * ROPT_RPACK: the credit of a ROPT_RPDONE is free again.
     *
     * @param count XIDs that it named
     */
    record PullAck(long count) implements Operation {}

    /**
     * ROPT_RPCALL: an RPC call, which follows as after RDMA2_MSG.
     *
     * @param completed XIDs whose Read chunks were fetched
     */
    record PiggybackCall(List<Integer> completed, ChunkLists chunks) implements Operation {
        public PiggybackCall {
            completed = List.copyOf(completed);
        }
    }
}
