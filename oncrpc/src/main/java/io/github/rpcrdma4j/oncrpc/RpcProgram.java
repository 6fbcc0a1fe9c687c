package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.EnumSet;
import java.util.Set;

/** A program that is served. Thread-safe: calls of one client and of many run at the same time. */
public interface RpcProgram {
    /** The program number. */
    int program();

    /** The lowest version served. */
    int lowestVersion();

    /** The highest version served; every version between is served too. */
    int highestVersion();

    /**
     * Whether a procedure is so cheap, and so sure not to block, that the thread which reads the
     * connection may run it.
     */
    default boolean runsOnReader(int version, int procedure) {
        return procedure == 0;
    }

    /**
     * Whether a procedure takes some microseconds at the most unless it has to wait, for a disk
     * say, and waits for no other call. The thread that reads the connection may run it, as long as
     * its calls are quick in fact; one that is not keeps others waiting for no longer than a
     * moment.
     */
    default boolean isUsuallyQuick(int version, int procedure) {
        return false;
    }

    /**
     * Whether calls wait in system calls, for a disk say. A virtual thread that does so holds up
     * others, so a server carries out such calls on platform threads, as long as it has some.
     */
    default boolean waitsInSystemCalls() {
        return false;
    }

    /** The flavors that are good enough for what the program guards. */
    default Set<SecurityFlavor> flavors() {
        return EnumSet.allOf(SecurityFlavor.class);
    }

    /**
     * Whether the flavor that a call came with is good enough; otherwise the caller gets
     * AUTH_TOOWEAK (RFC 5531, Section 9). NULL guards nothing, so it comes with any flavor.
     */
    default boolean admits(int version, int procedure, SecurityFlavor flavor) {
        return procedure == 0 || flavors().contains(flavor);
    }

    /**
     * Whether carrying out a call of a procedure twice is the same as once. Of one that is not the
     * server keeps the results for a while, and gives them again when the call is sent again.
     */
    default boolean isRepeatable(int version, int procedure) {
        return true;
    }

    /**
     * Carries out one call; it may block.
     *
     * <p>The arguments are views that live until this method returns. An implementation decodes all
     * of them, calls {@link io.github.rpcrdma4j.xdr.XdrReader#finish}, and only then acts. Bulk
     * results are not copied into {@code results}: pass where they lie, and what to run when the
     * transport is done with them, to {@link XdrWriter#bulk(java.lang.foreign.MemorySegment,
     * Runnable)}.
     *
     * @param results where the results go; what was written is discarded unless SUCCESS is returned
     * @return SUCCESS, PROC_UNAVAIL or SYSTEM_ERR; any other status is passed on as it is
     * @throws XdrException if the arguments cannot be decoded: the caller gets GARBAGE_ARGS
     * @throws InterruptedException if the server is shutting down: the caller gets no answer
     */
    AcceptStatus call(RpcRequest request, XdrWriter results)
            throws XdrException, InterruptedException;
}
