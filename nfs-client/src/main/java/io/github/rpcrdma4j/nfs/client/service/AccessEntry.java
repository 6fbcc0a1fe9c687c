package io.github.rpcrdma4j.nfs.client.service;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * An entry of an access control list of a file at a server (RFC 8881, Section 6.2.1). The server
 * looks at the entries in order. Immutable.
 *
 * @param type what it does
 * @param flags how it is inherited, and what {@code who} is
 * @param rights what it is about
 * @param who {@link #OWNER}, {@link #GROUP}, {@link #EVERYONE}, the number of a user or a group, or
 *     its name, as {@code user@domain}
 */
public record AccessEntry(Type type, Set<Flag> flags, Set<Right> rights, String who) {
    /** The owner of the file. */
    public static final String OWNER = "OWNER@";

    /** The group of the file. */
    public static final String GROUP = "GROUP@";

    /** All, the owner and the group included. */
    public static final String EVERYONE = "EVERYONE@";

    /** What an entry does (RFC 8881, Section 6.2.1.1), in the order of the numbers there. */
    public enum Type {
        /** It allows. */
        ALLOW,
        /** It denies. */
        DENY,
        /** The server notes the access. */
        AUDIT,
        /** The server raises an alarm. */
        ALARM
    }

    /** A flag (RFC 8881, Section 6.2.1.4), in the order of the bits there, the lowest first. */
    public enum Flag {
        /** New files of the directory get the entry. */
        FILE_INHERIT,
        /** New directories of the directory get the entry. */
        DIRECTORY_INHERIT,
        /** What is inherited is not inherited further. */
        NO_PROPAGATE_INHERIT,
        /** The entry is for those that inherit it, and not for the directory. */
        INHERIT_ONLY,
        /** AUDIT and ALARM are for accesses that succeed. */
        SUCCESSFUL_ACCESS,
        /** AUDIT and ALARM are for accesses that fail. */
        FAILED_ACCESS,
        /** The entry is for a group. */
        IDENTIFIER_GROUP,
        /** The file has inherited the entry. */
        INHERITED
    }

    /** A right (RFC 8881, Section 6.2.1.3), in the order of the bits there, the lowest first. */
    public enum Right {
        /** To read the bytes of a file, or to list a directory. */
        READ_DATA(0),
        /** To write to a file, or to make files in a directory. */
        WRITE_DATA(1),
        /** To lengthen a file, or to make directories in a directory. */
        APPEND_DATA(2),
        /** To read the named attributes. */
        READ_NAMED_ATTRS(3),
        /** To change the named attributes. */
        WRITE_NAMED_ATTRS(4),
        /** To execute a file, or to search a directory. */
        EXECUTE(5),
        /** To remove what is in a directory. */
        DELETE_CHILD(6),
        /** To read the attributes that are no list. */
        READ_ATTRIBUTES(7),
        /** To set the times to any values. */
        WRITE_ATTRIBUTES(8),
        /** To change how long the file is retained. */
        WRITE_RETENTION(9),
        /** To hold the file back from removal. */
        WRITE_RETENTION_HOLD(10),
        /** To remove it. */
        DELETE(16),
        /** To read the list. */
        READ_ACL(17),
        /** To change the list and the mode. */
        WRITE_ACL(18),
        /** To change the owner and the group. */
        WRITE_OWNER(19),
        /** To use it locally at the server with synchronous calls. */
        SYNCHRONIZE(20);

        private final int bit;

        Right(int bit) {
            this.bit = bit;
        }

        /** Returns the mask of its bit. */
        public int mask() {
            return 1 << bit;
        }
    }

    /** Copies the sets. */
    public AccessEntry {
        flags = copy(flags, Flag.class);
        rights = copy(rights, Right.class);
    }

    private static <T extends Enum<T>> Set<T> copy(Set<T> from, Class<T> type) {
        var copy = EnumSet.noneOf(type);
        copy.addAll(from);
        return Collections.unmodifiableSet(copy);
    }
}
