package io.github.rpcrdma4j.nfs.client.local;

import io.github.rpcrdma4j.nfs.acl.PosixAcl;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Tag;
import java.util.Optional;

/**
 * The access control lists of a file that say more than its mode (acl(5)).
 *
 * @param access decides about access to the file; empty if the mode does
 * @param defaults the list from which new files in a directory get theirs
 */
public record ExtendedAcls(Optional<PosixAcl> access, Optional<PosixAcl> defaults) {
    /** The mode decides, and new files get theirs. */
    public static final ExtendedAcls NONE = new ExtendedAcls(Optional.empty(), Optional.empty());

    private static final int OF_GROUP = 0070;
    private static final int GROUP_SHIFT = 3;

    /** Returns whether there is no list. */
    public boolean isNone() {
        return access.isEmpty() && defaults.isEmpty();
    }

    /**
     * Returns the mode of a copy that does not have the lists. Its group may do what the list lets
     * it do: the mode of the source has the mask in the place of that.
     *
     * @param mode of the source
     */
    public int modeWithout(int mode) {
        if (access.isEmpty()) {
            return mode;
        }
        int group = mode >> GROUP_SHIFT;
        for (var entry : access.get().entries()) {
            if (entry.tag() == Tag.GROUP_OBJ || entry.tag() == Tag.MASK) {
                group &= entry.permissions();
            }
        }
        return mode & ~OF_GROUP | group << GROUP_SHIFT & OF_GROUP;
    }
}
