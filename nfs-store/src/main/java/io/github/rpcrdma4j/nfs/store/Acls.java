package io.github.rpcrdma4j.nfs.store;

import io.github.rpcrdma4j.nfs.acl.PosixAcl;
import java.util.Optional;

/**
 * The access control lists of a file (acl(5)).
 *
 * @param access decides about access to the file
 * @param defaults the list from which new files in a directory get theirs; only directories have
 *     one
 */
public record Acls(PosixAcl access, Optional<PosixAcl> defaults) {
    /** Returns the lists of a file that has only a mode. */
    public static Acls ofMode(int mode) {
        return new Acls(PosixAcl.ofMode(mode), Optional.empty());
    }
}
