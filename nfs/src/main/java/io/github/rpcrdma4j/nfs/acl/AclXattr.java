package io.github.rpcrdma4j.nfs.acl;

import io.github.rpcrdma4j.nfs.acl.PosixAcl.Entry;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Tag;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Optional;

/**
 * Converts access control lists to and from the value of their extended attribute, {@code struct
 * posix_acl_xattr_header} of Linux, in little-endian byte order.
 *
 * <pre>
 *   version 2 (32) | entries: tag(16) permissions(16) id(32) each
 * </pre>
 */
public final class AclXattr {
    private static final int VERSION = 2;
    private static final int HEAD_BYTES = 4;
    private static final int ENTRY_BYTES = 8;

    /** The longest value of a list that is accepted, in bytes. */
    public static final int BYTES_MAX = HEAD_BYTES + PosixAcl.ENTRIES_MAX * ENTRY_BYTES;

    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private AclXattr() {}

    /** Returns the value of a list, in memory of the arena. */
    public static MemorySegment encode(PosixAcl acl, Arena arena) {
        var value = arena.allocate(HEAD_BYTES + (long) acl.entries().size() * ENTRY_BYTES);
        value.set(INT, 0, VERSION);
        long at = HEAD_BYTES;
        for (var entry : acl.entries()) {
            value.set(SHORT, at, (short) entry.tag().number());
            value.set(SHORT, at + 2, (short) entry.permissions());
            value.set(INT, at + 4, entry.id());
            at += ENTRY_BYTES;
        }
        return value;
    }

    /** Returns the list of a value; empty if the value is malformed. */
    public static Optional<PosixAcl> decode(MemorySegment value) {
        long bytes = value.byteSize();
        if (bytes < HEAD_BYTES
                || bytes > BYTES_MAX
                || (bytes - HEAD_BYTES) % ENTRY_BYTES != 0
                || value.get(INT, 0) != VERSION) {
            return Optional.empty();
        }
        var entries = new ArrayList<Entry>();
        for (long at = HEAD_BYTES; at < bytes; at += ENTRY_BYTES) {
            var tag = Tag.of(value.get(SHORT, at)).orElse(null);
            int permissions = value.get(SHORT, at + 2);
            int id = value.get(INT, at + 4);
            if (tag == null || (permissions & ~7) != 0 || tag.hasId() && id == PosixAcl.NO_ID) {
                return Optional.empty();
            }
            entries.add(new Entry(tag, tag.hasId() ? id : PosixAcl.NO_ID, permissions));
        }
        return PosixAcl.isValid(entries) ? Optional.of(new PosixAcl(entries)) : Optional.empty();
    }
}
