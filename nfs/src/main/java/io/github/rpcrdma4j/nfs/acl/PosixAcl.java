package io.github.rpcrdma4j.nfs.acl;

import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;

/**
 * An access control list of a file as Linux keeps it (acl(5), after the withdrawn draft 17 of IEEE
 * 1003.1e). Immutable. Its entries have the order of {@link Tag}, and ascending ids within a tag.
 *
 * <p>USER_OBJ, GROUP_OBJ and OTHER occur once each. MASK occurs at most once, and must if USER or
 * GROUP does. No id occurs twice within a tag.
 */
public record PosixAcl(List<Entry> entries) {
    /** The most entries, as in NFSACL. */
    public static final int ENTRIES_MAX = 1024;

    /** The right to read: a bit of the permissions of an entry, as in one digit of a mode. */
    public static final int READ = 4;

    public static final int WRITE = 2;
    public static final int EXECUTE = 1;

    /** The id of an entry whose tag has none. It is the id of no user and no group. */
    public static final int NO_ID = -1;

    private static final int ALL = READ | WRITE | EXECUTE;
    private static final int DIGIT_BITS = 3;
    private static final int MODE_ENTRIES = 3;

    private static final Comparator<Entry> ORDER =
            Comparator.comparing(Entry::tag)
                    .thenComparing((one, other) -> Integer.compareUnsigned(one.id, other.id));

    /** Says to whom an entry applies. */
    public enum Tag {
        /** The owner of the file. */
        USER_OBJ(0x01, false),
        /** The user of the id. */
        USER(0x02, true),
        /** The group of the file. */
        GROUP_OBJ(0x04, false),
        /** The group of the id. */
        GROUP(0x08, true),
        /** Limits the permissions of USER, GROUP_OBJ and GROUP. */
        MASK(0x10, false),
        /** All others. */
        OTHER(0x20, false);

        private static final Tag[] ALL = values();

        private final int number;
        private final boolean hasId;

        Tag(int number, boolean hasId) {
            this.number = number;
            this.hasId = hasId;
        }

        /** Returns the number of the tag in extended attributes of Linux and in NFSACL. */
        public int number() {
            return number;
        }

        /** Returns the tag of a number, or nothing if there is none. */
        public static Optional<Tag> of(int number) {
            for (var tag : ALL) {
                if (tag.number == number) {
                    return Optional.of(tag);
                }
            }
            return Optional.empty();
        }

        public boolean hasId() {
            return hasId;
        }
    }

    /**
     * An entry. The constructor throws {@link IllegalArgumentException} if the id does not fit the
     * tag, and for other permissions.
     *
     * @param id of the user or the group, unsigned; {@link #NO_ID} for other tags
     * @param permissions bits of {@link #READ}, {@link #WRITE} and {@link #EXECUTE}
     */
    public record Entry(Tag tag, int id, int permissions) {
        public Entry {
            if ((id != NO_ID) != tag.hasId) {
                throw new IllegalArgumentException("the id does not fit the tag " + tag);
            }
            if ((permissions & ~ALL) != 0) {
                throw new IllegalArgumentException("permissions have three bits");
            }
        }

        /** An entry whose tag has no id. */
        public Entry(Tag tag, int permissions) {
            this(tag, NO_ID, permissions);
        }
    }

    /**
     * @param entries in any order; copied
     * @throws IllegalArgumentException unless {@link #isValid}
     */
    public PosixAcl {
        if (!isValid(entries)) {
            throw new IllegalArgumentException("not a complete list of distinct entries");
        }
        entries = entries.stream().sorted(ORDER).toList();
    }

    /** Returns whether entries, in any order, make up an access control list. */
    public static boolean isValid(List<Entry> entries) {
        if (entries.size() > ENTRIES_MAX) {
            return false;
        }
        var tags = EnumSet.noneOf(Tag.class);
        Entry last = null;
        for (var each : entries.stream().sorted(ORDER).toList()) {
            if (last != null && last.tag == each.tag && last.id == each.id) {
                return false;
            }
            tags.add(each.tag);
            last = each;
        }
        boolean isExtended = tags.contains(Tag.USER) || tags.contains(Tag.GROUP);
        return tags.contains(Tag.USER_OBJ)
                && tags.contains(Tag.GROUP_OBJ)
                && tags.contains(Tag.OTHER)
                && (tags.contains(Tag.MASK) || !isExtended);
    }

    /** Returns the list of a file that has only a mode, from the lowest nine bits of the mode. */
    public static PosixAcl ofMode(int mode) {
        return new PosixAcl(
                List.of(
                        new Entry(Tag.USER_OBJ, mode >> 2 * DIGIT_BITS & ALL),
                        new Entry(Tag.GROUP_OBJ, mode >> DIGIT_BITS & ALL),
                        new Entry(Tag.OTHER, mode & ALL)));
    }

    /**
     * Returns the lowest nine bits of the mode that a file with this list has. The digit of the
     * group is the mask, if there is one.
     */
    public int mode() {
        int owner = 0;
        int group = 0;
        int mask = -1;
        int other = 0;
        for (var each : entries) {
            switch (each.tag) {
                case USER_OBJ -> owner = each.permissions;
                case GROUP_OBJ -> group = each.permissions;
                case MASK -> mask = each.permissions;
                case OTHER -> other = each.permissions;
                case USER, GROUP -> {}
            }
        }
        return owner << 2 * DIGIT_BITS | (mask < 0 ? group : mask) << DIGIT_BITS | other;
    }

    /** Returns whether this says nothing more than its {@link #mode}. */
    public boolean isMode() {
        return entries.size() == MODE_ENTRIES;
    }
}
