package io.github.rpcrdma4j.interop.matrix;

import java.util.List;

/**
 * A warning of the kernel that our side does not cause.
 *
 * @param mark the name of the warning function, or words of the warning
 * @param direction the direction of the cells with this warning
 * @param why the cause
 */
public record KnownWarning(String mark, Cell.Direction direction, String why) {
    /** The known warnings of Linux 6.12. */
    static final List<KnownWarning> ALL =
            List.of(
                    new KnownWarning(
                            "svc_process",
                            Cell.Direction.CHUNK_SHAPES,
                            "a call with several data Read chunks has another length than its parts,"
                                    + " as what came inline was counted twice"
                                    + " (`svc_rdma_read_complete_multiple`); it is answered rightly,"
                                    + " and our requester never sends such calls"),
                    cutFetch(Cell.Direction.OUR_CLIENT),
                    cutFetch(Cell.Direction.OUR_CLIENT_4),
                    cutFetch(Cell.Direction.OUR_KERBEROS),
                    pendingLock(Cell.Direction.LINUX_CLIENT_4_1),
                    pendingLock(Cell.Direction.LINUX_CLIENT_4_2),
                    crcError(Cell.Direction.OUR_CLIENT),
                    crcError(Cell.Direction.OUR_CLIENT_4),
                    crcError(Cell.Direction.OUR_KERBEROS),
                    crcError(Cell.Direction.LINUX_CLIENT),
                    crcError(Cell.Direction.LINUX_CLIENT_4_1),
                    crcError(Cell.Direction.LINUX_CLIENT_4_2),
                    crcError(Cell.Direction.GATEWAY_GANESHA),
                    crcError(Cell.Direction.GATEWAY_KNFSD));

    private static KnownWarning cutFetch(Cell.Direction direction) {
        return new KnownWarning(
                "ib_destroy_qp_user",
                direction,
                "a connection of knfsd ends while it fetches Read chunks, with memory still in use");
    }

    private static KnownWarning pendingLock(Cell.Direction direction) {
        return new KnownWarning(
                "NFS: 10.0.2.2: lost",
                direction,
                "the client counts a process that waits for its first lock while the server restarts"
                        + " (`__nfs4_reclaim_open_state`); the process gets its lock");
    }

    private static KnownWarning crcError(Cell.Direction direction) {
        return new KnownWarning(
                "siw: crc error",
                direction,
                "siw puts the pad and the CRC of a frame together wrongly if TCP cut them in two"
                        + " (`siw_get_trailer`), and ends the connection; the next one goes"
                        + " without CRCs");
    }

    /**
     * Returns whether a line of the kernel's log, or the name of a function, is a known warning.
     */
    public static boolean isKnown(String words, Cell.Direction direction) {
        return ALL.stream()
                .anyMatch(known -> words.contains(known.mark) && known.direction == direction);
    }
}
