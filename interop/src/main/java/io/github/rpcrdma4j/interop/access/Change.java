package io.github.rpcrdma4j.interop.access;

import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.SetAttributes.TimeChange;
import io.github.rpcrdma4j.nfs.v3.Timestamp;
import java.util.OptionalInt;

/**
 * Attributes to set, and their text in the table.
 *
 * @param words the text for a line of the table
 */
record Change(String words, SetAttributes attributes) {
    /** The time that a change sets for {@link Time#TO_GIVEN}. */
    static final Timestamp GIVEN = new Timestamp(1_200_000_000, 123_456_789);

    static final Change NONE = new Change("", SetAttributes.NONE);

    private Change with(String added, SetAttributes changed) {
        return new Change((words + " " + added).strip(), changed);
    }

    static Change mode(int mode) {
        return NONE.withMode(mode);
    }

    static Change size(long size) {
        return NONE.withSize(size);
    }

    static Change uid(int uid) {
        return NONE.withUid(uid);
    }

    static Change gid(int gid) {
        return NONE.withGid(gid);
    }

    static Change times(Time accessed, Time modified) {
        return NONE.withTimes(accessed, modified);
    }

    /** The change of an access or modification time. */
    enum Time {
        KEPT(new TimeChange.Keep()),
        NOW(new TimeChange.ToServerTime()),
        TO_GIVEN(new TimeChange.To(GIVEN));

        private final TimeChange change;

        Time(TimeChange change) {
            this.change = change;
        }

        private String words(String time) {
            return switch (this) {
                case KEPT -> "";
                case NOW -> time + "=now ";
                case TO_GIVEN -> time + "=given ";
            };
        }
    }

    Change withMode(int mode) {
        return with("mode=%04o".formatted(mode), attributes.withMode(mode));
    }

    Change withUid(int uid) {
        return with(
                "uid=" + Integer.toUnsignedString(uid),
                attributes.withOwner(OptionalInt.of(uid), attributes.gid()));
    }

    Change withGid(int gid) {
        return with(
                "gid=" + Integer.toUnsignedString(gid),
                attributes.withOwner(attributes.uid(), OptionalInt.of(gid)));
    }

    Change withSize(long size) {
        return with("size=" + size, attributes.withSize(size));
    }

    Change withTimes(Time accessed, Time modified) {
        return with(
                (accessed.words("atime") + modified.words("mtime")).strip(),
                attributes.withTimes(accessed.change, modified.change));
    }
}
