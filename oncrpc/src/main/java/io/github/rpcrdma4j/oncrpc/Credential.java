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

        @Override
        public int hashCode() {
            long[] numbers = new long[gids.size() + 4];
            for (int i = 0; i < gids.size(); i++) {
                numbers[i + 4] = gids.get(i);
            }
            numbers[0] = stamp;
            numbers[1] = KeyedHash.of(machine);
            numbers[2] = uid;
            numbers[3] = gid;
            return KeyedHash.of(numbers);
        }
    }

    /**
     * RPCSEC_GSS: a caller that proved its identity (RFC 2203).
     *
     * @param name the name in the form of the mechanism: {@code alice@EXAMPLE.ORG}
     */
    record Principal(String name, SecurityFlavor flavor) implements Credential {
        @Override
        public int hashCode() {
            return KeyedHash.of(KeyedHash.of(name), flavor.number());
        }
    }
}
