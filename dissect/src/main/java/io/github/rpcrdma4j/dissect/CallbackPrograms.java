package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The programs by which the server of a connection calls back its client, as far as the connection
 * shows them. NFS clients choose the numbers, in SETCLIENTID, CREATE_SESSION and BACKCHANNEL_CTL
 * (RFC 7530, Section 16.33; RFC 8881, Sections 18.33 and 18.36). Not thread-safe.
 */
final class CallbackPrograms {
    /** The most programs that are known; a peer can choose any number of them. */
    private static final int PROGRAMS_MAX = 1 << 10;

    /** The only version of the program (RFC 8881, Section 20). */
    private static final int VERSION = 1;

    /** CB_NULL and CB_COMPOUND. */
    private static final int PROCEDURES = 2;

    /** Whether a call is a callback of NFSv4. */
    enum Verdict {
        YES,
        NO,
        /**
         * No client has named a program on the connection, so only the direction and the arguments
         * can tell.
         */
        BY_ARGUMENTS
    }

    private final Set<Integer> programs = new HashSet<>();

    /** Adds the programs that a COMPOUND names. */
    void add(List<Integer> named) {
        for (var program : named) {
            if (programs.size() < PROGRAMS_MAX) {
                programs.add(program);
            }
        }
    }

    /** Judges a call in the reverse direction. */
    Verdict judge(CallHeader header) {
        if (header.version() != VERSION) {
            return Verdict.NO;
        }
        if (programs.contains(header.program())) {
            return Verdict.YES;
        }
        boolean canBe = programs.isEmpty() && header.procedure() >= 0;
        return canBe && header.procedure() < PROCEDURES ? Verdict.BY_ARGUMENTS : Verdict.NO;
    }
}
