package io.github.rpcrdma4j.oncrpc;

import java.util.List;

/** Who makes a call (RFC 5531, Section 8). */
public sealed interface Credential {
    /** How the call came. */
    SecurityFlavor flavor();

    /** AUTH_NONE: no identity. */
    record None() implements Credential {
        @Override
        public SecurityFlavor flavor() {
            return SecurityFlavor.NONE;
        }
    }

    /**
     * AUTH_SYS: what the caller says of itself; nothing proves it.
     *
     * @param stamp arbitrary
     * @param machine the caller's name for its host, at most 255 bytes
     * @param uid unsigned
     * @param gid unsigned
     * @param gids further groups, at most 16
     */
    record Sys(int stamp, String machine, int uid, int gid, List<Integer> gids)
            implements Credential {
        /** Checks the limits of AUTH_SYS. */
        public Sys {
            gids = List.copyOf(gids);
        }

        @Override
        public SecurityFlavor flavor() {
            return SecurityFlavor.SYS;
        }
    }

    /**
     * RPCSEC_GSS: a caller who proved its identity (RFC 2203).
     *
     * @param name as the mechanism writes it: {@code alice@EXAMPLE.ORG}
     */
    record Principal(String name, SecurityFlavor flavor) implements Credential {}
}
