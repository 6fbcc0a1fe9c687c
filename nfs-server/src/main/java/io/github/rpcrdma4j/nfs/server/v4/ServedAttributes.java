package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.driver.OperationFailure;
import io.github.rpcrdma4j.nfs.store.FileSystemFeatures;
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

    static final AttributeSet OF_BIRTHS = AttributeSet.of(Attribute.TIME_CREATE);

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
                                    Attribute.TIME_CREATE,
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
                    .or(OF_BIRTHS)
                    .or(OF_DELEGATIONS);

    /** What new files may have, unless their creation is exclusive. */
    static final AttributeSet OF_CREATION = AttributeSet.SETTABLE.without(OF_DELEGATIONS);

    private static final int ACLS = 1;
    private static final int BIRTHS = 2;
    private static final int DELEGATED_TIMES = 4;

    /** By minor version and by what there is: each GETATTR asks for one. */
    private static final AttributeSet[][] SUPPORTED = {
        supported(0), supported(1), supported(2),
    };

    private static AttributeSet[] supported(int minorVersion) {
        var sets = new AttributeSet[ACLS + BIRTHS + DELEGATED_TIMES + 1];
        for (int kind = 0; kind < sets.length; kind++) {
            var set = ALL.and(AttributeSet.ofMinorVersion(minorVersion));
            set = (kind & ACLS) != 0 ? set : set.without(OF_ACLS);
            set = (kind & BIRTHS) != 0 ? set : set.without(OF_BIRTHS);
            sets[kind] = (kind & DELEGATED_TIMES) != 0 ? set : set.without(OF_DELEGATIONS);
        }
        return sets;
    }

    private ServedAttributes() {}

    /**
     * Returns the attributes that files of a file system have, with those that can only be set.
     *
     * @param delegatedTimes whether clients may keep times with their delegations
     */
    static AttributeSet of(int minorVersion, FileSystemFeatures features, boolean delegatedTimes) {
        var kind =
                (features.acls() ? ACLS : 0)
                        | (features.births() ? BIRTHS : 0)
                        | (delegatedTimes ? DELEGATED_TIMES : 0);
        return SUPPORTED[minorVersion][kind];
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

    /**
     * Returns the attributes that an exclusive creation may set.
     *
     * @param supported those that the server supports
     */
    static AttributeSet ofExclusiveCreation(AttributeSet supported) {
        return supported.and(AttributeSet.SETTABLE).without(NOT_EXCLUSIVE);
    }
}
