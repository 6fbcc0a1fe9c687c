package io.github.rpcrdma4j.nfs.server.state;

/**
 * Where calls come from: what one of them takes of the state, the others cannot have. The driver
 * decides which calls have equal hosts. Several clients may share a host, behind a gateway for
 * example.
 */
public interface Host {
    /** Returns a text for the host, equal after restarts; empty if hosts are not told apart. */
    default String place() {
        return "";
    }

    /**
     * Returns the share of a host in something: a quarter of what the other hosts leave.
     *
     * @param limit how much there is for all
     * @param others how much the other hosts have
     * @param least so much a host may have in any case, as long as there is room
     */
    static long share(long limit, long others, long least) {
        return Math.max(least, (limit - others) / 4);
    }
}
