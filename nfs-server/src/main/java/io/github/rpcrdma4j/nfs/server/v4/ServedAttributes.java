package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.store.FileSystemFeatures;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;

/** The attributes that the server supports, by minor version and file system. */
final class ServedAttributes {
    /** The attributes that need the space of a file system. */
    static final AttributeSet OF_SPACE =
            AttributeSet.of(
                    Attribute.FILES_AVAIL,
                    Attribute.FILES_FREE,
                    Attribute.FILES_TOTAL,
                    Attribute.MAXLINK,
                    Attribute.MAXNAME,
                    Attribute.SPACE_AVAIL,
                    Attribute.SPACE_FREE,
                    Attribute.SPACE_TOTAL);

    private static final AttributeSet OF_ACLS =
            AttributeSet.of(Attribute.ACL, Attribute.ACLSUPPORT);

    /** A client that keeps them with its delegation sets them. */
    static final AttributeSet OF_DELEGATIONS =
            AttributeSet.of(Attribute.TIME_DELEG_ACCESS, Attribute.TIME_DELEG_MODIFY);

    private static final AttributeSet ALL =
            AttributeSet.requiredBy(2)
                    .or(OF_SPACE)
                    .or(OF_ACLS)
                    .or(OF_DELEGATIONS)
                    .or(
                            AttributeSet.of(
                                    Attribute.CANSETTIME,
                                    Attribute.CASE_INSENSITIVE,
                                    Attribute.CASE_PRESERVING,
                                    Attribute.CHOWN_RESTRICTED,
                                    Attribute.FILEID,
                                    Attribute.FS_LOCATIONS,
                                    Attribute.HOMOGENEOUS,
                                    Attribute.MAXFILESIZE,
                                    Attribute.MAXREAD,
                                    Attribute.MAXWRITE,
                                    Attribute.MODE,
                                    Attribute.NO_TRUNC,
                                    Attribute.NUMLINKS,
                                    Attribute.OWNER,
                                    Attribute.OWNER_GROUP,
                                    Attribute.RAWDEV,
                                    Attribute.SPACE_USED))
                    .or(
                            AttributeSet.of(
                                    Attribute.TIME_ACCESS,
                                    Attribute.TIME_ACCESS_SET,
                                    Attribute.TIME_DELTA,
                                    Attribute.TIME_METADATA,
                                    Attribute.TIME_MODIFY,
                                    Attribute.TIME_MODIFY_SET,
                                    Attribute.MOUNTED_ON_FILEID,
                                    Attribute.CLONE_BLKSIZE,
                                    Attribute.CHANGE_ATTR_TYPE,
                                    Attribute.MODE_UMASK,
                                    Attribute.XATTR_SUPPORT,
                                    Attribute.OPEN_ARGUMENTS));

    /** An exclusive creation keeps its verifier in the times of the file, and makes it empty. */
    private static final AttributeSet NOT_EXCLUSIVE =
            AttributeSet.of(Attribute.SIZE, Attribute.TIME_ACCESS_SET, Attribute.TIME_MODIFY_SET)
                    .or(OF_DELEGATIONS);

    /** What new files may have, unless their creation is exclusive. */
    static final AttributeSet OF_CREATION = AttributeSet.SETTABLE.without(OF_DELEGATIONS);

    private static final AttributeSet[] BY_VERSION = {
        ALL.and(AttributeSet.ofMinorVersion(0)),
        ALL.and(AttributeSet.ofMinorVersion(1)),
        ALL.and(AttributeSet.ofMinorVersion(2))
    };

    private static final AttributeSet[] WITHOUT_ACLS = {
        BY_VERSION[0].without(OF_ACLS),
        BY_VERSION[1].without(OF_ACLS),
        BY_VERSION[2].without(OF_ACLS)
    };

    private ServedAttributes() {}

    /** Returns the attributes that files of a file system have, with those that can only be set. */
    static AttributeSet of(int minorVersion, FileSystemFeatures features) {
        return (features.acls() ? BY_VERSION : WITHOUT_ACLS)[minorVersion];
    }

    /**
     * Checks the attributes that a client asks for.
     *
     * @throws OperationFailure INVAL if one of them can only be set
     */
    static void requireReadable(AttributeSet wanted) throws OperationFailure {
        if (!wanted.and(AttributeSet.SETTABLE).without(AttributeSet.READABLE).isEmpty()) {
            throw new OperationFailure(Nfs4Status.INVAL);
        }
    }

    /** Returns the attributes that an exclusive creation may set. */
    static AttributeSet ofExclusiveCreation(int minorVersion, FileSystemFeatures features) {
        return of(minorVersion, features).and(AttributeSet.SETTABLE).without(NOT_EXCLUSIVE);
    }
}
