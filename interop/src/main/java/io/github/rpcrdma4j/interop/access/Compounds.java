package io.github.rpcrdma4j.interop.access;

import java.util.List;
import java.util.stream.Collectors;

/**
 * COMPOUNDs of NFS version 4, one after another.
 *
 * @param hasDelegations whether the server may call their client back, and so delegate files to it
 * @param setsAttributes as in {@link Request}
 */
record Compounds(int minorVersion, boolean hasDelegations, List<Step> steps, boolean setsAttributes)
        implements Request {
    Compounds {
        steps = List.copyOf(steps);
    }

    /** Returns COMPOUNDs of version 4.2, in a session. */
    static Compounds of(Step... steps) {
        return new Compounds(2, false, List.of(steps), false);
    }

    /** Returns COMPOUNDs of version 4.2, of a client that takes delegations. */
    static Compounds withDelegations(Step... steps) {
        return new Compounds(2, true, List.of(steps), false);
    }

    /** Returns COMPOUNDs of version 4.0. */
    static Compounds ofLease(Step... steps) {
        return new Compounds(0, false, List.of(steps), false);
    }

    @Override
    public String words() {
        return "4.%d %s"
                .formatted(
                        minorVersion,
                        steps.stream().map(Step::words).collect(Collectors.joining(", ")));
    }
}
