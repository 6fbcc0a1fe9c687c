package io.github.rpcrdma4j.rdmacore.library;

/**
 * A copy of an event of librdmacm.
 *
 * @param id the id of the connection
 * @param listener the id of the listener of a connect request; otherwise 0
 * @param type one of the event constants of {@link RdmaCm}
 * @param status 0, a negative error number, or the reason of a rejection
 * @param privateData the private data of the peer; adapters of InfiniBand and RoCE fill it up with
 *     zeros
 * @param responderResources the most RDMA Reads of the peer that this side may have to answer; in
 *     an answer on iWARP, the other number
 * @param initiatorDepth the most RDMA Reads of this side that the peer answers; in an answer on
 *     iWARP, the other number
 */
public record ConnectionEvent(
        long id,
        long listener,
        int type,
        int status,
        byte[] privateData,
        int responderResources,
        int initiatorDepth) {
    static ConnectionEvent copy(long event) {
        long data = Memory.int64(event + Layouts.Event.PARAM__CONN__PRIVATE_DATA);
        int length = Memory.uint8(event + Layouts.Event.PARAM__CONN__PRIVATE_DATA_LEN);
        int type = Memory.int32(event + Layouts.Event.EVENT);
        // Other events have no connection parameters.
        boolean hasData =
                data != 0
                        && (type == RdmaCm.EVENT_CONNECT_REQUEST
                                || type == RdmaCm.EVENT_ESTABLISHED
                                || type == RdmaCm.EVENT_REJECTED);
        return new ConnectionEvent(
                Memory.int64(event + Layouts.Event.ID),
                Memory.int64(event + Layouts.Event.LISTEN_ID),
                type,
                Memory.int32(event + Layouts.Event.STATUS),
                hasData ? Memory.bytes(data, length) : new byte[0],
                Memory.uint8(event + Layouts.Event.PARAM__CONN__RESPONDER_RESOURCES),
                Memory.uint8(event + Layouts.Event.PARAM__CONN__INITIATOR_DEPTH));
    }
}
