package io.github.rpcrdma4j.nfs.v4.attribute;

import io.github.rpcrdma4j.nfs.acl.PosixAcl;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Entry;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Tag;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Maps access control lists of version 4 to those of Linux, and back (the draft
 * draft-ietf-nfsv4-acl-mapping). A caller may do by the list of version 4 what it may do by the
 * list of Linux, right by right. In the other direction no caller gets a right that the list of the
 * client does not give; some rights that lists of Linux cannot express are lost.
 *
 * <p>The rights of a list of Linux are these of version 4:
 *
 * <pre>
 *   r  READ_DATA
 *   w  WRITE_DATA, APPEND_DATA, and DELETE_CHILD of a directory
 *   x  EXECUTE
 * </pre>
 *
 * <p>A default list of a directory becomes entries that are only inherited.
 */
public final class AclMapping {
    /** The most entries of a list of version 4: more than {@link #toAces} makes of any two. */
    public static final int ACES_MAX = 8 * PosixAcl.ENTRIES_MAX;

    private static final int INHERITANCE = Ace.FILE_INHERIT | Ace.DIRECTORY_INHERIT;
    private static final int KNOWN_FLAGS =
            INHERITANCE
                    | Ace.NO_PROPAGATE_INHERIT
                    | Ace.INHERIT_ONLY
                    | Ace.SUCCESSFUL_ACCESS
                    | Ace.FAILED_ACCESS
                    | Ace.IDENTIFIER_GROUP
                    | Ace.INHERITED;

    /** Set-user-ID, set-group-ID and sticky. */
    private static final int SPECIAL_MODE = 07000;

    private AclMapping() {}

    /** Finds the ids of users and groups. */
    public interface Ids {
        /** Returns the user of a name or a number, or nothing if it is not known. */
        OptionalInt user(Who who);

        /** Returns the group of a name or a number, or nothing if it is not known. */
        OptionalInt group(Who who);
    }

    /** Finds the names of users and groups. */
    public interface Names {
        Who user(int id);

        Who group(int id);
    }

    /** What a list of version 4 is on Linux. */
    public sealed interface Mapped {
        /**
         * A list, and the default list of a directory. The store sets the default list, or removes
         * it if there is none.
         */
        record Lists(PosixAcl access, Optional<PosixAcl> inherited) implements Mapped {}

        /** The operation fails with this status. */
        record Refused(Nfs4Status status) implements Mapped {}
    }

    /**
     * Returns the mode of a file that gets a list: set-user-ID, set-group-ID and sticky stay.
     *
     * @param before its mode, 12 bits
     */
    public static int mode(int before, PosixAcl access) {
        return before & SPECIAL_MODE | access.mode();
    }

    /**
     * Maps lists of Linux to one of version 4.
     *
     * @param inherited the default list of a directory
     */
    public static List<Ace> toAces(
            PosixAcl access, Optional<PosixAcl> inherited, boolean isDirectory, Names names) {
        var aces = new ArrayList<Ace>();
        new AceWriter(aces, 0, isDirectory, names).write(access);
        inherited.ifPresent(
                list ->
                        new AceWriter(aces, INHERITANCE | Ace.INHERIT_ONLY, isDirectory, names)
                                .write(list));
        return List.copyOf(aces);
    }

    /**
     * Maps a list of version 4 to those of Linux. OWNER@, GROUP@ and EVERYONE@ may be missing, and
     * give no rights then. A default list gets those that it lacks from the other list.
     *
     * @return refused with ATTRNOTSUPP if an entry has a type or a kind of inheritance that Linux
     *     does not know; with INVAL for unknown flags and for inheritance from a file; with
     *     BADOWNER if a user or group is not known; with FBIG if there are too many
     */
    public static Mapped toPosix(List<Ace> aces, boolean isDirectory, Ids ids) {
        if (aces.size() > ACES_MAX) {
            return new Mapped.Refused(Nfs4Status.FBIG);
        }
        var access = new GrantedRights(isDirectory);
        var inherited = new GrantedRights(isDirectory);
        for (var each : aces) {
            var status = check(each, isDirectory);
            if (status == Nfs4Status.OK) {
                status = add(each, access, inherited, ids);
            }
            if (status != Nfs4Status.OK) {
                return new Mapped.Refused(status);
            }
        }
        inherited.complete(access);
        var lists = access.entries();
        var defaults = inherited.isEmpty() ? List.<Entry>of() : inherited.entries();
        if (!PosixAcl.isValid(lists) || !defaults.isEmpty() && !PosixAcl.isValid(defaults)) {
            return new Mapped.Refused(Nfs4Status.FBIG);
        }
        return new Mapped.Lists(
                new PosixAcl(lists),
                defaults.isEmpty() ? Optional.empty() : Optional.of(new PosixAcl(defaults)));
    }

    private static Nfs4Status check(Ace ace, boolean isDirectory) {
        boolean isInherited = (ace.flags() & (INHERITANCE | Ace.INHERIT_ONLY)) != 0;
        if ((ace.flags() & ~KNOWN_FLAGS) != 0 || isInherited && !isDirectory) {
            return Nfs4Status.INVAL;
        }
        boolean isKnown = ace.type() == Ace.ALLOW || ace.type() == Ace.DENY;
        return isKnown && (ace.flags() & Ace.NO_PROPAGATE_INHERIT) == 0
                ? Nfs4Status.OK
                : Nfs4Status.ATTRNOTSUPP;
    }

    private static Nfs4Status add(Ace ace, GrantedRights access, GrantedRights inherited, Ids ids) {
        Tag tag;
        int id = PosixAcl.NO_ID;
        if (ace.who().equals(Who.OWNER)) {
            tag = Tag.USER_OBJ;
        } else if (ace.who().equals(Who.GROUP)) {
            tag = Tag.GROUP_OBJ;
        } else if (ace.who().equals(Who.EVERYONE)) {
            tag = Tag.OTHER;
        } else {
            tag = ace.isGroup() ? Tag.GROUP : Tag.USER;
            var found = ace.isGroup() ? ids.group(ace.who()) : ids.user(ace.who());
            if (found.isEmpty() || found.getAsInt() == PosixAcl.NO_ID) {
                return Nfs4Status.BADOWNER;
            }
            id = found.getAsInt();
        }
        boolean fits = true;
        if ((ace.flags() & Ace.INHERIT_ONLY) == 0) {
            fits = access.add(ace, tag, id);
        }
        // One kind of inheritance stands for both: Linux has one default list.
        if ((ace.flags() & INHERITANCE) != 0) {
            fits &= inherited.add(ace, tag, id);
        }
        return fits ? Nfs4Status.OK : Nfs4Status.FBIG;
    }
}
