package io.github.rpcrdma4j.interop.linux;

import java.util.List;

/**
 * A warning of the kernel that says nothing against us.
 *
 * @param function where it warns
 * @param direction in which cells
 * @param why what happens there
 */
record KnownWarning(String function, Cell.Direction direction, String why) {
    /** Those of Linux 6.12. */
    static final List<KnownWarning> ALL =
            List.of(
                    new KnownWarning(
                            "svc_process",
                            Cell.Direction.CHUNK_SHAPES,
                            "a call with several data Read chunks has another length than its parts,"
                                    + " as what came inline was counted twice"
                                    + " (`svc_rdma_read_complete_multiple`); it is answered rightly,"
                                    + " and our requester never sends such calls"),
                    new KnownWarning(
                            "ib_destroy_qp_user",
                            Cell.Direction.OUR_CLIENT,
                            "knfsd is stopped while it fetches Read chunks and ends its connections"
                                    + " with memory still in use"));

    static boolean holds(String function, Cell.Direction direction) {
        return ALL.stream()
                .anyMatch(
                        known ->
                                known.function().equals(function)
                                        && known.direction() == direction);
    }
}
