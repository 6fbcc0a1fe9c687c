package io.github.rpcrdma4j.oncrpc;

import java.util.List;

/** The identity of a caller (RFC 5531, Section 8). */
public sealed interface Credential {
    /** Returns the flavor of the call. */
    SecurityFlavor flavor();

    /** AUTH_NONE: no identity. */
    record None() implements Credential {
        @Override
        public SecurityFlavor flavor() {
            return SecurityFlavor.NONE;
        }
    }

    /**
     * AUTH_SYS: an identity that the caller claims without proof.
     *
     * @param stamp arbitrary
     * @param machine the caller's name for its host, at most 255 bytes
     * @param uid unsigned
     * @param gid unsigned
     * @param gids further groups, at most 16
     */
    record Sys(int stamp, String machine, int uid, int gid, List<Integer> gids)
            implements Credential {
        /**
         * Copies the list of groups. The limits of AUTH_SYS are checked when the credential is
         * encoded.
         */
        public Sys {
            gids = List.copyOf(gids);
        }

        @Override
        public SecurityFlavor flavor() {
            return SecurityFlavor.SYS;
        }
    }

    /**
     * RPCSEC_GSS: a caller that proved its identity (RFC 2203).
     *
     * @param name the name in the form of the mechanism: {@code alice@EXAMPLE.ORG}
     */
    record Principal(String name, SecurityFlavor flavor) implements Credential {}
}
