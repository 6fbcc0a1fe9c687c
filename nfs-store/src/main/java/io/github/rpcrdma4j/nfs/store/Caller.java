package io.github.rpcrdma4j.nfs.store;

import io.github.rpcrdma4j.oncrpc.KeyedHash;
import java.util.Arrays;

/** The identity that performs an operation. Immutable. */
public sealed interface Caller {
    /** The reserved id of no user and no group; a caller never has it. */
    int NO_ID = -1;

    /**
     * The server itself, for operations that no caller requested, such as finding a directory to
     * mount.
     */
    record Server() implements Caller {}

    /** Returns whether this is the user root, who alone may choose the owner of a new file. */
    default boolean isRoot() {
        return this instanceof User user && user.uid == 0;
    }

    /** A user of the server's machine, which the rules of the export derive from a credential. */
    final class User implements Caller {
        private static final String RESERVED =
                "4294967295 is reserved and cannot be a user or group id";

        private final int uid;
        private final int gid;
        private final int[] groups;

        /**
         * Makes a user.
         *
         * @param uid unsigned; not {@link #NO_ID}
         * @param gid unsigned; not {@link #NO_ID}
         * @param groups supplementary groups, in any order; copied
         */
        public User(int uid, int gid, int... groups) {
            if (uid == NO_ID || gid == NO_ID) {
                throw new IllegalArgumentException(RESERVED);
            }
            this.uid = uid;
            this.gid = gid;
            this.groups = groups.clone();
            Arrays.sort(this.groups);
            if (Arrays.binarySearch(this.groups, NO_ID) >= 0) {
                throw new IllegalArgumentException(RESERVED);
            }
        }

        /** Returns the user id, unsigned. */
        public int uid() {
            return uid;
        }

        /** Returns the group id, unsigned. */
        public int gid() {
            return gid;
        }

        /** Returns the number of supplementary groups. */
        public int groupCount() {
            return groups.length;
        }

        /** Returns a supplementary group; they are in ascending order as signed numbers. */
        public int group(int index) {
            return groups[index];
        }

        /** Returns whether a group is that of the user, or a supplementary one. */
        public boolean isIn(int group) {
            return gid == group || Arrays.binarySearch(groups, group) >= 0;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof User user
                    && uid == user.uid
                    && gid == user.gid
                    && Arrays.equals(groups, user.groups);
        }

        @Override
        public int hashCode() {
            long[] ids = new long[groups.length + 2];
            for (int i = 0; i < groups.length; i++) {
                ids[i + 2] = groups[i];
            }
            ids[0] = uid;
            ids[1] = gid;
            return KeyedHash.of(ids);
        }

        @Override
        public String toString() {
            return Integer.toUnsignedString(uid)
                    + ":"
                    + Integer.toUnsignedString(gid)
                    + Arrays.toString(groups);
        }
    }
}
