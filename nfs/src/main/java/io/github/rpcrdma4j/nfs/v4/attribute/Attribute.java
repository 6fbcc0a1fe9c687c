package io.github.rpcrdma4j.nfs.v4.attribute;

import java.util.Optional;

/**
 * The attributes of files, in the order of their numbers and with the names of the RFCs without
 * {@code FATTR4_} (RFC 8881, Section 5; RFC 7862, Section 12.2; RFC 8275, Section 5; RFC 8276,
 * Section 8.2; RFC 9754, Sections 3 to 5).
 *
 * <p>Tests: {@code AttributeSetTest}, {@code AttributeVectorsTest}.
 */
public enum Attribute {
    SUPPORTED_ATTRS(Layout.ATTRIBUTES, Use.REQUIRED),
    TYPE(Layout.WORD, Use.REQUIRED),
    FH_EXPIRE_TYPE(Layout.WORD, Use.REQUIRED),
    CHANGE(Layout.HYPER, Use.REQUIRED),
    SIZE(Layout.HYPER, Use.REQUIRED, Access.READ_WRITE),
    LINK_SUPPORT(Layout.BOOL, Use.REQUIRED),
    SYMLINK_SUPPORT(Layout.BOOL, Use.REQUIRED),
    NAMED_ATTR(Layout.BOOL, Use.REQUIRED),
    FSID(Layout.FILE_SYSTEM, Use.REQUIRED),
    UNIQUE_HANDLES(Layout.BOOL, Use.REQUIRED),
    LEASE_TIME(Layout.WORD, Use.REQUIRED),
    RDATTR_ERROR(Layout.WORD, Use.REQUIRED),
    ACL(Layout.ACES, Access.READ_WRITE),
    ACLSUPPORT(Layout.WORD),
    ARCHIVE(Layout.BOOL, Access.READ_WRITE),
    CANSETTIME(Layout.BOOL),
    CASE_INSENSITIVE(Layout.BOOL),
    CASE_PRESERVING(Layout.BOOL),
    CHOWN_RESTRICTED(Layout.BOOL),
    FILEHANDLE(Layout.BYTES, Use.REQUIRED),
    FILEID(Layout.HYPER),
    FILES_AVAIL(Layout.HYPER),
    FILES_FREE(Layout.HYPER),
    FILES_TOTAL(Layout.HYPER),
    FS_LOCATIONS(Layout.LOCATIONS),
    HIDDEN(Layout.BOOL, Access.READ_WRITE),
    HOMOGENEOUS(Layout.BOOL),
    MAXFILESIZE(Layout.HYPER),
    MAXLINK(Layout.WORD),
    MAXNAME(Layout.WORD),
    MAXREAD(Layout.HYPER),
    MAXWRITE(Layout.HYPER),
    MIMETYPE(Layout.BYTES, Access.READ_WRITE),
    MODE(Layout.WORD, Access.READ_WRITE),
    NO_TRUNC(Layout.BOOL),
    NUMLINKS(Layout.WORD),
    OWNER(Layout.BYTES, Access.READ_WRITE),
    OWNER_GROUP(Layout.BYTES, Access.READ_WRITE),
    QUOTA_AVAIL_HARD(Layout.HYPER),
    QUOTA_AVAIL_SOFT(Layout.HYPER),
    QUOTA_USED(Layout.HYPER),
    RAWDEV(Layout.HYPER),
    SPACE_AVAIL(Layout.HYPER),
    SPACE_FREE(Layout.HYPER),
    SPACE_TOTAL(Layout.HYPER),
    SPACE_USED(Layout.HYPER),
    SYSTEM(Layout.BOOL, Access.READ_WRITE),
    TIME_ACCESS(Layout.TIME),
    TIME_ACCESS_SET(Layout.OTHER, Access.WRITE),
    TIME_BACKUP(Layout.TIME, Access.READ_WRITE),
    TIME_CREATE(Layout.TIME, Access.READ_WRITE),
    TIME_DELTA(Layout.TIME),
    TIME_METADATA(Layout.TIME),
    TIME_MODIFY(Layout.TIME),
    TIME_MODIFY_SET(Layout.OTHER, Access.WRITE),
    MOUNTED_ON_FILEID(Layout.HYPER),
    DIR_NOTIF_DELAY(Layout.TIME, Since.VERSION_1),
    DIRENT_NOTIF_DELAY(Layout.TIME, Since.VERSION_1),
    DACL(Layout.OTHER, Since.VERSION_1, Access.READ_WRITE),
    SACL(Layout.OTHER, Since.VERSION_1, Access.READ_WRITE),
    CHANGE_POLICY(Layout.OTHER, Since.VERSION_1),
    FS_STATUS(Layout.OTHER, Since.VERSION_1),
    FS_LAYOUT_TYPES(Layout.OTHER, Since.VERSION_1),
    LAYOUT_HINT(Layout.OTHER, Since.VERSION_1, Access.WRITE),
    LAYOUT_TYPES(Layout.OTHER, Since.VERSION_1),
    LAYOUT_BLKSIZE(Layout.WORD, Since.VERSION_1),
    LAYOUT_ALIGNMENT(Layout.WORD, Since.VERSION_1),
    FS_LOCATIONS_INFO(Layout.OTHER, Since.VERSION_1),
    MDSTHRESHOLD(Layout.OTHER, Since.VERSION_1),
    RETENTION_GET(Layout.OTHER, Since.VERSION_1),
    RETENTION_SET(Layout.OTHER, Since.VERSION_1, Access.WRITE),
    RETENTEVT_GET(Layout.OTHER, Since.VERSION_1),
    RETENTEVT_SET(Layout.OTHER, Since.VERSION_1, Access.WRITE),
    RETENTION_HOLD(Layout.HYPER, Since.VERSION_1, Access.READ_WRITE),
    MODE_SET_MASKED(Layout.OTHER, Since.VERSION_1, Access.WRITE),
    SUPPATTR_EXCLCREAT(Layout.ATTRIBUTES, Since.VERSION_1, Use.REQUIRED),
    FS_CHARSET_CAP(Layout.WORD, Since.VERSION_1),
    CLONE_BLKSIZE(Layout.WORD, Since.VERSION_2),
    SPACE_FREED(Layout.HYPER, Since.VERSION_2),
    CHANGE_ATTR_TYPE(Layout.WORD, Since.VERSION_2),
    SEC_LABEL(Layout.OTHER, Since.VERSION_2, Access.READ_WRITE),
    MODE_UMASK(Layout.OTHER, Since.VERSION_2, Access.WRITE),
    XATTR_SUPPORT(Layout.BOOL, Since.VERSION_2),
    OFFLINE(Layout.BOOL, Since.VERSION_2),
    TIME_DELEG_ACCESS(Layout.TIME, Since.VERSION_2, Access.READ_WRITE),
    TIME_DELEG_MODIFY(Layout.TIME, Since.VERSION_2, Access.READ_WRITE),
    OPEN_ARGUMENTS(Layout.OPEN_ARGUMENTS, Since.VERSION_2);

    private static final Attribute[] BY_NUMBER = values();

    /** How the value is laid out when it is read, so which method of {@link FileFacts} has it. */
    public enum Layout {
        /** A boolean, in 4 bytes. */
        BOOL,
        /** 4 bytes. */
        WORD,
        /** 8 bytes; of {@link #RAWDEV} the major number is in the upper four. */
        HYPER,
        /** {@code nfstime4}. */
        TIME,
        /** {@code fsid4}. */
        FILE_SYSTEM,
        /** An opaque, or a string. */
        BYTES,
        /** A bitmap of attributes. */
        ATTRIBUTES,
        /** An array of {@code nfsace4}. */
        ACES,
        /** {@code open_arguments4}. */
        OPEN_ARGUMENTS,
        /** {@code fs_locations4}. */
        LOCATIONS,
        /** Any other layout, which nothing here writes or reads as a value of a file. */
        OTHER
    }

    private enum Use {
        REQUIRED,
        RECOMMENDED
    }

    private enum Access {
        READ,
        READ_WRITE,
        WRITE
    }

    private enum Since {
        VERSION_0,
        VERSION_1,
        VERSION_2
    }

    private final Layout layout;
    private final Since since;
    private final Use use;
    private final Access access;

    Attribute(Layout layout, Since since, Use use, Access access) {
        this.layout = layout;
        this.since = since;
        this.use = use;
        this.access = access;
    }

    Attribute(Layout layout) {
        this(layout, Since.VERSION_0, Use.RECOMMENDED, Access.READ);
    }

    Attribute(Layout layout, Access access) {
        this(layout, Since.VERSION_0, Use.RECOMMENDED, access);
    }

    Attribute(Layout layout, Use use) {
        this(layout, Since.VERSION_0, use, Access.READ);
    }

    Attribute(Layout layout, Use use, Access access) {
        this(layout, Since.VERSION_0, use, access);
    }

    Attribute(Layout layout, Since since) {
        this(layout, since, Use.RECOMMENDED, Access.READ);
    }

    Attribute(Layout layout, Since since, Access access) {
        this(layout, since, Use.RECOMMENDED, access);
    }

    Attribute(Layout layout, Since since, Use use) {
        this(layout, since, use, Access.READ);
    }

    /** Returns the number: its bit in a bitmap. */
    public int number() {
        return ordinal();
    }

    /** Returns the attribute of a number, or nothing if no RFC defines it. */
    public static Optional<Attribute> of(int number) {
        return number < 0 || number >= BY_NUMBER.length
                ? Optional.empty()
                : Optional.of(BY_NUMBER[number]);
    }

    /** Returns the attribute of a number that {@link #of} knows. */
    static Attribute known(int number) {
        return BY_NUMBER[number];
    }

    public Layout layout() {
        return layout;
    }

    /** Returns the minor version in which it begins. */
    public int minorVersion() {
        return since.ordinal();
    }

    /** Returns whether each server of its minor version has it. */
    public boolean isRequired() {
        return use == Use.REQUIRED;
    }

    /** Returns whether GETATTR may ask for it. */
    public boolean isReadable() {
        return access != Access.WRITE;
    }

    /** Returns whether SETATTR may set it, if a server supports it. */
    public boolean isSettable() {
        return access != Access.READ;
    }
}
