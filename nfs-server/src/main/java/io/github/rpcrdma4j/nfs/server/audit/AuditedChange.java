package io.github.rpcrdma4j.nfs.server.audit;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.acl.PosixAcl;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** A change of the names or the rights of a file. */
public sealed interface AuditedChange {
    /**
     * A file.
     *
     * @param number the inode number; empty if unknown
     * @param path where it was at the call, from the root of the export, which is a slash; empty if
     *     unknown. It ends with " (deleted)" if the name by which the server knew the file is gone
     *     while it has others
     */
    record File(OptionalLong number, Optional<PathName> path) {}

    /** A name in a directory. */
    record Name(File directory, FileName name) {
        /** Returns the path from the root of the export; empty if unknown. */
        public Optional<PathName> path() {
            return directory.path.map(above -> above.resolve(name));
        }
    }

    /**
     * A name was removed.
     *
     * @param number the inode number of what had the name just before; empty if unknown
     * @param isDirectory whether a directory was to be removed, not another file
     */
    record Removed(Name name, OptionalLong number, boolean isDirectory) implements AuditedChange {}

    /**
     * A file got another name, perhaps in another directory.
     *
     * @param number the inode number of what had the name just before; empty if unknown
     * @param replaced the inode number of what had the new name just before; empty if there was
     *     nothing, or if it is unknown. If it is {@code number}, nothing has changed
     */
    record Renamed(Name from, Name to, OptionalLong number, OptionalLong replaced)
            implements AuditedChange {}

    /** A file got a further name. */
    record Linked(File file, Name name) implements AuditedChange {}

    /**
     * The mode, the owner, the group or the access control lists were set.
     *
     * @param before what they were; empty if unknown
     * @param mode 12 bits; empty if it was not set
     * @param uid unsigned; empty if the owner was not set
     * @param gid unsigned; empty if the group was not set
     * @param acls empty if they were not set
     */
    record RightsSet(
            File file,
            Optional<Rights> before,
            OptionalInt mode,
            OptionalInt uid,
            OptionalInt gid,
            Optional<Lists> acls)
            implements AuditedChange {}

    /**
     * The rights of a file without its lists.
     *
     * @param mode 12 bits
     * @param uid unsigned
     * @param gid unsigned
     */
    record Rights(int mode, int uid, int gid) {}

    /**
     * Both access control lists of a file.
     *
     * @param defaults that of new files in a directory; empty if there is none
     */
    record Lists(PosixAcl access, Optional<PosixAcl> defaults) {}
}
