package io.github.rpcrdma4j.nfs.acl;

import io.github.rpcrdma4j.nfs.acl.PosixAcl.Tag;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Both lists of a file, as results of GETACL and arguments of SETACL: {@code secattr}. Immutable.
 *
 * <pre>
 *   mask(32) | count(32) | entries of the access list | count(32) | entries of the default list
 *
 *   entries: length(32), at most 1024 | { tag(32) id(32) permissions(32) }*
 *   tag: 01 USER_OBJ, 02 USER, 04 GROUP_OBJ, 08 GROUP, 10 MASK, 20 OTHER; 1000 is added in the
 *        default list
 * </pre>
 *
 * <p>No RFC defines the protocol. These are the bytes of Linux and Solaris.
 *
 * <p>Tests: {@code AclMessagesTest}.
 *
 * @param mask bits of {@link #ALL}: what is meant, or asked for
 * @param access decides about access to the file
 * @param defaults the list from which new files in a directory get theirs
 */
public record AclLists(int mask, Listed access, Listed defaults) {
    /** The bit of the mask for the access list. */
    public static final int ACCESS = 1;

    /** The bit of the mask for the number of entries of the access list. */
    public static final int ACCESS_COUNT = 2;

    /** The bit of the mask for the default list. */
    public static final int DEFAULTS = 4;

    /** The bit of the mask for the number of entries of the default list. */
    public static final int DEFAULTS_COUNT = 8;

    /** All bits of the mask. */
    public static final int ALL = ACCESS | ACCESS_COUNT | DEFAULTS | DEFAULTS_COUNT;

    private static final int OF_DEFAULTS = 0x1000;
    private static final int PERMISSIONS = PosixAcl.READ | PosixAcl.WRITE | PosixAcl.EXECUTE;
    private static final int ITEM_BYTES = 12;

    /** The fewest entries of a list that is sent. */
    private static final int SENT_MIN = 4;

    /**
     * An entry as it is sent.
     *
     * @param id of the user or the group. USER_OBJ and GROUP_OBJ carry those of the file, which
     *     receivers ignore, and other tags carry 0.
     * @param permissions bits as in {@link PosixAcl.Entry}
     */
    public record Item(Tag tag, int id, int permissions) {}

    /**
     * A list as it is sent.
     *
     * @param count the number of its entries; 0 if there is no such list
     * @param items that many, or none if only the count was asked for
     */
    public record Listed(int count, List<Item> items) {
        /** There is no list. */
        public static final Listed NONE = new Listed(0, List.of());

        /**
         * @throws IllegalArgumentException if the count does not fit the entries or their limit
         */
        public Listed {
            items = List.copyOf(items);
            if (!fits(count, items.size())) {
                throw new IllegalArgumentException("the count does not fit the entries");
            }
        }

        private static boolean fits(int count, int length) {
            return count >= 0 && count <= PosixAcl.ENTRIES_MAX && (length == 0 || length == count);
        }

        /**
         * Returns a list to send. Peers expect a mask: if the list has none, it is sent with one
         * that allows what its group has.
         *
         * @param uid of the owner of the file
         * @param gid of the group of the file
         */
        public static Listed of(PosixAcl acl, int uid, int gid) {
            boolean addsMask = acl.entries().size() < SENT_MIN;
            var items = new ArrayList<Item>();
            for (var entry : acl.entries()) {
                int id =
                        switch (entry.tag()) {
                            case USER, GROUP -> entry.id();
                            case USER_OBJ -> uid;
                            case GROUP_OBJ -> gid;
                            case MASK, OTHER -> 0;
                        };
                items.add(new Item(entry.tag(), id, entry.permissions()));
                if (addsMask && entry.tag() == Tag.GROUP_OBJ) {
                    items.add(new Item(Tag.MASK, 0, entry.permissions()));
                }
            }
            return new Listed(items.size(), items);
        }

        /** Returns the count alone. */
        public Listed counted() {
            return new Listed(count, List.of());
        }

        /**
         * Returns the list that the entries make up, without a mask that says nothing; empty if
         * they make up none.
         */
        public Optional<PosixAcl> acl() {
            var entries = new ArrayList<PosixAcl.Entry>();
            for (var item : items) {
                boolean hasId = item.tag.hasId();
                // Solaris sets further bits in a mask.
                int permissions =
                        item.tag == Tag.MASK ? item.permissions & PERMISSIONS : item.permissions;
                if (hasId && item.id == PosixAcl.NO_ID || (permissions & ~PERMISSIONS) != 0) {
                    return Optional.empty();
                }
                int id = hasId ? item.id : PosixAcl.NO_ID;
                entries.add(new PosixAcl.Entry(item.tag, id, permissions));
            }
            if (!PosixAcl.isValid(entries)) {
                return Optional.empty();
            }
            var acl = new PosixAcl(entries);
            var asMode = PosixAcl.ofMode(acl.mode());
            boolean addedMask = entries.size() == SENT_MIN && equals(acl, asMode);
            return Optional.of(addedMask ? asMode : acl);
        }

        /** Returns whether a list with a mask allows exactly what a mode does. */
        private static boolean equals(PosixAcl acl, PosixAcl asMode) {
            return acl.entries().stream()
                    .filter(entry -> entry.tag() != Tag.MASK)
                    .toList()
                    .equals(asMode.entries());
        }

        private void encode(XdrWriter out, int flag) {
            out.uint32(count).uint32(items.size());
            for (var item : items) {
                out.uint32(item.tag.number() | flag).uint32(item.id).uint32(item.permissions);
            }
        }

        private static Listed decode(XdrReader in) throws XdrException {
            int count = in.uint32();
            int length = in.count(ITEM_BYTES, PosixAcl.ENTRIES_MAX);
            if (!fits(count, length)) {
                throw new XdrException("the count of an access control list is not its length");
            }
            var items = new ArrayList<Item>(length);
            for (int i = 0; i < length; i++) {
                int tag = in.uint32() & ~OF_DEFAULTS;
                items.add(
                        new Item(
                                Tag.of(tag).orElseThrow(() -> unknown(tag)),
                                in.uint32(),
                                in.uint32()));
            }
            return new Listed(count, items);
        }

        private static XdrException unknown(int tag) {
            return new XdrException(
                    "unknown tag of an access control list " + Integer.toUnsignedString(tag));
        }
    }

    /** Decodes both lists. */
    public static AclLists decode(XdrReader in) throws XdrException {
        return new AclLists(in.uint32(), Listed.decode(in), Listed.decode(in));
    }

    /** Encodes both lists. */
    public void encode(XdrWriter out) {
        out.uint32(mask);
        access.encode(out, 0);
        defaults.encode(out, OF_DEFAULTS);
    }

    /**
     * Returns the most bytes of both lists.
     *
     * @param entries the most entries of each
     */
    public static int bytesMax(int entries) {
        return Integer.BYTES + 2 * (2 * Integer.BYTES + entries * ITEM_BYTES);
    }
}
