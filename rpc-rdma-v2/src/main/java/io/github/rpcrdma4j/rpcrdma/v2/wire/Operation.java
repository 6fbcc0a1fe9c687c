package io.github.rpcrdma4j.rpcrdma.v2.wire;

import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import java.util.List;
import java.util.Optional;

/**
 * An optional operation: the content of an RDMA2_OPTIONAL.
 *
 * <p>Tests: {@code GoldenHeadersTest}, {@code XdrFileTest}.
 */
public sealed interface Operation {
    /** An operation that announces or changes characteristics. It has no payload. */
    sealed interface Exchange extends Operation {}

    /**
     * ROPT_INITXCH: the characteristics of the sender (XCH-4.1-1).
     *
     * @param noChange those that will not change (XCH-4.1-3)
     */
    record InitialExchange(List<Characteristic> start, Subset noChange) implements Exchange {
        public InitialExchange {
            start = List.copyOf(start);
        }
    }

    /** ROPT_REQXCH: the characteristics that the sender wants its peer to adopt. */
    record ChangeRequest(List<Characteristic> want) implements Exchange {
        public ChangeRequest {
            want = List.copyOf(want);
        }
    }

    /**
     * ROPT_RESPXCH: the outcome of a ROPT_REQXCH, whose XID it has (XCH-4.3-1).
     *
     * @param done the changes that are in force from now on
     * @param rejected the changes that are refused
     * @param pending the changes whose outcome a ROPT_UPDXCH will report
     */
    record ChangeResponse(Subset done, Subset rejected, Subset pending) implements Exchange {}

    /**
     * ROPT_UPDXCH: the new value of a characteristic of the sender.
     *
     * @param endsPending whether this is the outcome of a pending change (XCH-4.4-3)
     */
    record Update(Characteristic now, boolean endsPending) implements Exchange {}

    /** One Send of a group that together carries an RPC message. */
    sealed interface Transmission extends Operation {
        /** Returns the bytes of the payload stream in this Send. */
        long payloadLength();
    }

    /** The first transmission of a group, which describes the whole message (RTR-4.2-1). */
    sealed interface Initial extends Transmission {
        /** Returns the items that were removed from the payload stream, and where they are. */
        List<PlacementItem> moved();

        /** Returns the number of transmissions of the group, this one included; at least 1. */
        long count();
    }

    /**
     * ROPT_XMTREQ: the first transmission of a request.
     *
     * @param directions where bulk items of the response are to go (RTR-9.2-2)
     * @param responseCount the most transmissions of the response, the first included; 0 counts as
     *     1
     * @param trailer only between peers that both support it (RTR-9.2-5)
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

        /** Returns the most transmissions of the response (RTR-5.2-4). */
        public long responseMax() {
            return Math.max(1, responseCount);
        }
    }

    /**
     * The optional end of a ROPT_XMTREQ.
     *
     * @param replyChunk memory for the whole response
     * @param doneXids the XIDs whose responder-provided Read chunks were fetched
     */
    record Trailer(Optional<List<Segment>> replyChunk, List<Integer> doneXids) {
        public Trailer {
            replyChunk = replyChunk.map(List::copyOf);
            doneXids = List.copyOf(doneXids);
        }
    }

    /** ROPT_XMTRESP: the first transmission of a response (RTR-9.3-1). */
    record TransmitResponse(List<PlacementItem> moved, long count, long payloadLength)
            implements Initial {
        public TransmitResponse {
            moved = List.copyOf(moved);
        }
    }

    /**
     * ROPT_XMTCONT: a later transmission of a group.
     *
     * @param number its number in the group; the first transmission has 0 (RTR-9.4-3)
     * @param initialType the type of the operation that began the group
     * @param payloadLength the bytes of payload; may be 0 (RTR-9.4-4)
     */
    record Continuation(long number, int initialType, long payloadLength) implements Transmission {}

    /**
     * ROPT_XMTERR: a complaint about a group, or about its data placement.
     *
     * @param bad the transmission at which the fault was seen
     * @param lead an earlier transmission that may be the cause (RTR-9.5-10)
     */
    record TransmitError(TransmissionId bad, Optional<TransmissionId> lead, Fault fault)
            implements Operation {}

    /**
     * ROPT_RPDONE: a notice that Read chunks were fetched, or will not be.
     *
     * @param more the XIDs in addition to that of the header
     */
    record DoneNotice(List<Integer> more) implements Operation {
        public DoneNotice {
            more = List.copyOf(more);
        }
    }

    /**
     * ROPT_RPACK: the answer to a ROPT_RPDONE, whose credit is free again.
     *
     * @param count the number of XIDs in that ROPT_RPDONE
     */
    record DoneAck(long count) implements Operation {}

    /**
     * ROPT_RPCALL: an RPC call, which follows as after RDMA2_MSG.
     *
     * @param doneXids the XIDs whose Read chunks were fetched
     */
    record CallWithDoneNotices(List<Integer> doneXids, ChunkLists chunks) implements Operation {
        public CallWithDoneNotices {
            doneXids = List.copyOf(doneXids);
        }
    }
}
