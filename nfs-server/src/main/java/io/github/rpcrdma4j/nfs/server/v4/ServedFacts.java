package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.FileSystemFeatures;
import io.github.rpcrdma4j.nfs.store.SpaceStatus;
import io.github.rpcrdma4j.nfs.store.Time;
import io.github.rpcrdma4j.nfs.v4.attribute.Ace;
import io.github.rpcrdma4j.nfs.v4.attribute.AclMapping;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.FileFacts;
import io.github.rpcrdma4j.nfs.v4.attribute.FileSystemId;
import io.github.rpcrdma4j.nfs.v4.attribute.FsLocations;
import io.github.rpcrdma4j.nfs.v4.attribute.OpenSupport;
import io.github.rpcrdma4j.nfs.v4.type.Bitmap;
import io.github.rpcrdma4j.nfs.v4.type.Timestamp;
import java.util.List;

/**
 * The attributes of one file, from which the server answers GETATTR, READDIR, VERIFY and NVERIFY
 * (RFC 8881, Section 5.8).
 *
 * <p>Tests: {@code AttributesTest}, {@code MovedExportsTest}.
 *
 * @param change the change attribute
 * @param mountedOn the inode number of the directory that the file covers, or its own
 * @param handle its handle; not to be changed
 * @param root the path of its file system
 * @param space null if no attribute of it is wanted
 * @param acl null if it is not wanted
 * @param names of users and groups for the caller
 * @param hasDelegations whether clients may get delegations of the files of the export
 * @param server what is equal for all files
 */
record ServedFacts(
        int minorVersion,
        FileStatus status,
        long change,
        FileSystemId fileSystem,
        long mountedOn,
        byte[] handle,
        String root,
        SpaceStatus space,
        List<Ace> acl,
        AclMapping.Names names,
        FileSystemFeatures features,
        boolean hasDelegations,
        ServerFacts server)
        implements FileFacts {
    /** {@code change_attr_type4}: the client can conclude nothing from an order of values. */
    private static final int CHANGE_UNDEFINED = 4;

    private static final int SECOND = 1_000_000_000;

    /** {@code FH4_PERSISTENT}. */
    private static final int PERSISTENT = 0;

    /** {@code ACL4_SUPPORT_ALLOW_ACL} and {@code ACL4_SUPPORT_DENY_ACL}. */
    private static final int ALLOW_AND_DENY = 3;

    /** ANY_DELEG, NO_DELEG and CANCEL of {@code open_args_share_access_want4}. */
    private static final Bitmap WANTS = Bitmap.of(3, 4, 5);

    /** Those, with OPEN_XOR_DELEGATION. */
    private static final Bitmap DELEGATED_WANTS = Bitmap.of(3, 4, 5, 21);

    /** Those, with DELEG_TIMESTAMPS. */
    private static final Bitmap WANTS_WITH_TIMES = Bitmap.of(3, 4, 5, 20, 21);

    /** All of {@code open_claim_type4} but those of delegations from before a restart. */
    private static final Bitmap CLAIMS = Bitmap.of(0, 1, 2, 4, 5);

    private static final OpenSupport OPEN_SUPPORT = openSupport(WANTS);
    private static final OpenSupport DELEGATED_OPEN_SUPPORT = openSupport(DELEGATED_WANTS);
    private static final OpenSupport SUPPORT_WITH_TIMES = openSupport(WANTS_WITH_TIMES);

    private static OpenSupport openSupport(Bitmap wants) {
        return new OpenSupport(
                Bitmap.of(1, 2, 3), Bitmap.of(0, 1, 2, 3), wants, CLAIMS, Bitmap.of(0, 1, 2, 3));
    }

    /** Returns these facts for a file that has changed. */
    ServedFacts changed(long newChange, FileStatus newStatus) {
        return new ServedFacts(
                minorVersion,
                newStatus,
                newChange,
                fileSystem,
                mountedOn,
                handle,
                root,
                space,
                acl,
                names,
                features,
                hasDelegations,
                server);
    }

    @Override
    public AttributeSet present() {
        var readable = supported().and(AttributeSet.READABLE);
        return status.born().isPresent() ? readable : readable.without(ServedAttributes.OF_BIRTHS);
    }

    /** Returns the attributes that the server supports in the file system of the file. */
    AttributeSet supported() {
        return ServedAttributes.of(minorVersion, features, server.delegatedTimes());
    }

    @Override
    public boolean flag(Attribute attribute) {
        return switch (attribute) {
            case UNIQUE_HANDLES, CANSETTIME, CHOWN_RESTRICTED, HOMOGENEOUS, NO_TRUNC -> true;
            case NAMED_ATTR -> false;
            case LINK_SUPPORT -> features.limits().hasHardLinks();
            case SYMLINK_SUPPORT -> features.limits().hasSymbolicLinks();
            case CASE_INSENSITIVE -> features.limits().foldsCase();
            case CASE_PRESERVING -> features.limits().keepsCase();
            case XATTR_SUPPORT -> features.xattrs();
            default -> throw absent(attribute);
        };
    }

    @Override
    public int word(Attribute attribute) {
        return switch (attribute) {
            case TYPE -> status.type().number();
            case FH_EXPIRE_TYPE -> PERSISTENT;
            case LEASE_TIME -> server.leaseSeconds();
            case RDATTR_ERROR -> 0;
            case ACLSUPPORT -> features.acls() ? ALLOW_AND_DENY : 0;
            case MAXLINK -> space.linksMax();
            case MAXNAME -> space.nameMax();
            case MODE -> status.mode();
            case NUMLINKS -> status.links();
            case CLONE_BLKSIZE -> features.blockBytes();
            case CHANGE_ATTR_TYPE -> CHANGE_UNDEFINED;
            default -> throw absent(attribute);
        };
    }

    @Override
    public long hyper(Attribute attribute) {
        return switch (attribute) {
            case CHANGE -> change;
            case SIZE -> status.size();
            case FILEID -> status.number();
            case MOUNTED_ON_FILEID -> mountedOn;
            case FILES_AVAIL -> space.availableFiles();
            case FILES_FREE -> space.freeFiles();
            case FILES_TOTAL -> space.totalFiles();
            case MAXFILESIZE -> features.limits().bytesMax();
            case MAXREAD, MAXWRITE -> server.transferMax();
            case RAWDEV ->
                    Integer.toUnsignedLong(status.major()) << Integer.SIZE
                            | Integer.toUnsignedLong(status.minor());
            case SPACE_AVAIL -> space.availableBytes();
            case SPACE_FREE -> space.freeBytes();
            case SPACE_TOTAL -> space.totalBytes();
            case SPACE_USED -> status.used();
            default -> throw absent(attribute);
        };
    }

    @Override
    public Timestamp time(Attribute attribute) {
        return switch (attribute) {
            case TIME_ACCESS, TIME_DELEG_ACCESS -> time(status.accessed());
            case TIME_METADATA -> time(status.changed());
            case TIME_MODIFY, TIME_DELEG_MODIFY -> time(status.modified());
            case TIME_CREATE -> time(status.born().orElseThrow(() -> absent(attribute)));
            case TIME_DELTA -> timeStep(features.limits().timeStepNanos());
            default -> throw absent(attribute);
        };
    }

    private static Timestamp timeStep(long nanos) {
        return new Timestamp(nanos / SECOND, (int) (nanos % SECOND));
    }

    static Timestamp time(Time time) {
        return new Timestamp(time.seconds(), time.nanos());
    }

    @Override
    public byte[] bytes(Attribute attribute) {
        return switch (attribute) {
            case FILEHANDLE -> handle;
            case OWNER -> names.user(status.uid()).bytes();
            case OWNER_GROUP -> names.group(status.gid()).bytes();
            default -> throw absent(attribute);
        };
    }

    @Override
    public AttributeSet attributes(Attribute attribute) {
        return switch (attribute) {
            case SUPPORTED_ATTRS -> supported();
            case SUPPATTR_EXCLCREAT -> ServedAttributes.ofExclusiveCreation(supported());
            default -> throw absent(attribute);
        };
    }

    /** The file system is here, and the server knows of no other place of it. */
    @Override
    public FsLocations locations() {
        return new FsLocations(path(root), List.of());
    }

    static List<FileName> path(String name) {
        return PathName.of(name).names();
    }

    @Override
    public OpenSupport openSupport() {
        if (!hasDelegations) {
            return OPEN_SUPPORT;
        }
        return server.delegatedTimes() ? SUPPORT_WITH_TIMES : DELEGATED_OPEN_SUPPORT;
    }

    private static IllegalArgumentException absent(Attribute attribute) {
        return new IllegalArgumentException("no file has " + attribute);
    }
}
