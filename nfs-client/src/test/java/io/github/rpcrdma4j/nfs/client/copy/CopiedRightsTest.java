package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.acl.PosixAcl;
import io.github.rpcrdma4j.nfs.client.copy.CopyComparison.Need;
import io.github.rpcrdma4j.nfs.client.local.ExtendedAcls;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/**
 * Goal: the rule gives a copy the rights that this user can give it, and no others, and then finds
 * nothing to do. Method: the whole table of its inputs, against what this user can make of the copy
 * and against a new copy.
 */
class CopiedRightsTest {
    private static final int USER = 1000;
    private static final int OTHER = 7000;
    private static final int MAPPED = 7005;
    private static final int STRANGER = 7006;
    private static final int SET_UID = 04000;
    private static final int SET_GID = 02000;
    private static final int[] IDS = {0, SET_UID, SET_GID, SET_UID | SET_GID};
    private static final ExtendedAcls LISTS =
            new ExtendedAcls(Optional.of(PosixAcl.ofMode(0754)), Optional.empty());

    /** Owner, group, mode and lists of a source or a copy. */
    private record Rights(int uid, int gid, int mode, ExtendedAcls acls) {
        LocalSource of(FileType type, int links) {
            var time = Instant.EPOCH;
            return new LocalSource(
                    new LocalStatus(
                            type, mode, links, uid, gid, 0, 0, 0, 0, 0, 0, time, time, time),
                    acls);
        }

        boolean has(int bits) {
            return (mode & bits) == bits;
        }

        int ids() {
            return mode & (SET_UID | SET_GID);
        }

        Rights with(int owner, int group, int permissions, ExtendedAcls lists) {
            return new Rights(owner, group, permissions, lists);
        }
    }

    /**
     * What a target makes of files.
     *
     * @param owner of new files
     * @param gives whether it lets this user give files to groups
     */
    private record Target(OptionalInt owner, boolean keepsSetIds, boolean gives)
            implements NewFileTraits.Asking {
        @Override
        public NewFileTraits ask() {
            return new NewFileTraits(owner, keepsSetIds);
        }

        @Override
        public boolean givesTo(int group) {
            return gives;
        }

        boolean maps(int uid) {
            return owner.equals(OptionalInt.of(uid));
        }
    }

    /** One row of the table. */
    private record Row(
            int user, Rights source, Rights copy, FileType type, int links, Target target) {
        boolean isRoot() {
            return user == 0;
        }

        boolean isLink() {
            return type == FileType.SYMBOLIC_LINK;
        }

        boolean isStrangers() {
            return copy.uid != user && copy.uid != source.uid && !target.maps(copy.uid);
        }

        /** The target gives all files of this user to the owner of the copy. */
        boolean isMapped() {
            return copy.uid != user && copy.uid != source.uid && target.maps(copy.uid);
        }

        /** Root gives files to all; others keep theirs. */
        boolean canGiveOwner() {
            return !isMapped() && (isRoot() || source.uid == user);
        }

        /** A user gives own files to own groups, and root all to all, unless the target refuses. */
        boolean canGiveGroup() {
            boolean isOwn = isRoot() || copy.uid == user && source.gid == USER;
            return !isMapped() && isOwn && (copy.gid == source.gid || target.gives);
        }

        /** Returns whether a new copy would get set-ID bits that this one lacks. */
        boolean lacksIds() {
            boolean hasGroup = copy.gid == source.gid && (isRoot() || source.gid == USER);
            return !isLink()
                    && !copy.has(source.ids())
                    && canGiveOwner()
                    && (hasGroup && !isMapped() || canGiveGroup());
        }

        /** Returns whether another user could have changed the contents of the copy. */
        boolean isDoubtful() {
            return copy.uid == source.uid || (copy.mode & 0022) != 0;
        }

        /** Returns the copy with all that this user can give it. */
        Rights reached() {
            int uid = canGiveOwner() ? source.uid : copy.uid;
            int gid = canGiveGroup() ? source.gid : copy.gid;
            if (isLink()) {
                return copy.with(uid, gid, copy.mode, source.acls);
            }
            boolean mayRun = copy.uid == source.uid && copy.gid == source.gid;
            int ids = mayRun ? copy.ids() & source.ids() : 0;
            if (type == FileType.DIRECTORY && lacksIds()) {
                ids = source.ids();
            }
            return copy.with(uid, gid, source.mode & 01777 | ids, source.acls);
        }

        Need expected() {
            boolean isReplaced =
                    isStrangers()
                            || lacksIds() && isDoubtful() && target.keepsSetIds
                            || links > 1 && !copy.equals(reached());
            if (isReplaced) {
                return type == FileType.DIRECTORY ? Need.ATTRIBUTES : Need.REPLACEMENT;
            }
            return copy.equals(reached()) ? Need.NOTHING : Need.ATTRIBUTES;
        }

        Need found() throws Exception {
            var user = new CopyingUser(new Credential.Sys(0, "test", user(), user(), List.of()));
            return new CopiedRights(user).need(source.of(type, 1), copy.of(type, links), target);
        }
    }

    private static List<Rights> sources(int user) {
        var all = new ArrayList<Rights>();
        for (int uid : new int[] {user, OTHER}) {
            for (int gid : new int[] {USER, OTHER}) {
                for (int ids : IDS) {
                    all.add(new Rights(uid, gid, 0754 | ids, ExtendedAcls.NONE));
                    all.add(new Rights(uid, gid, 0754 | ids, LISTS));
                }
            }
        }
        return all;
    }

    private static List<Rights> copies(int user) {
        var all = new ArrayList<Rights>();
        for (int uid : new int[] {user, OTHER, MAPPED, STRANGER}) {
            for (int gid : new int[] {USER, OTHER, MAPPED}) {
                for (int ids : IDS) {
                    for (int mode : new int[] {0754, 01754, 0700, 0776}) {
                        all.add(new Rights(uid, gid, mode | ids, ExtendedAcls.NONE));
                    }
                    all.add(new Rights(uid, gid, 0754 | ids, LISTS));
                }
            }
        }
        return all;
    }

    private static List<Target> targets(int user) {
        var all = new ArrayList<Target>();
        for (var owner :
                List.of(OptionalInt.empty(), OptionalInt.of(user), OptionalInt.of(MAPPED))) {
            for (boolean keeps : new boolean[] {true, false}) {
                all.add(new Target(owner, keeps, true));
                all.add(new Target(owner, keeps, false));
            }
        }
        return all;
    }

    @Test
    void theNeedIsWhatThisUserCanGive() throws Exception {
        for (int user : new int[] {0, USER}) {
            for (var source : sources(user)) {
                for (var copy : copies(user)) {
                    for (var target : targets(user)) {
                        check(user, source, copy, target);
                    }
                }
            }
        }
    }

    private static void check(int user, Rights source, Rights copy, Target target)
            throws Exception {
        for (var type : FileType.values()) {
            for (int links = 1; links <= 2; links++) {
                var row = new Row(user, source, copy, type, links, target);
                assertEquals(row.expected(), row.found(), row::toString);
            }
        }
    }

    /** Returns what a copy gets that this user makes at this target. */
    private static Rights made(int user, Rights source, Target target) {
        boolean isMapped = target.maps(MAPPED);
        boolean givesOwner = !isMapped && (user == 0 || source.uid == user);
        boolean isMember = user == 0 || source.gid == USER;
        int own = isMapped ? MAPPED : user;
        int uid = givesOwner ? source.uid : own;
        int gid = isMember && target.gives ? source.gid : MAPPED;
        boolean runs = givesOwner && gid == source.gid && target.keepsSetIds;
        return source.with(uid, gid, source.mode & 01777 | (runs ? source.ids() : 0), source.acls);
    }

    @Test
    void aNewCopyNeedsNothing() throws Exception {
        for (int user : new int[] {0, USER}) {
            for (var source : sources(user)) {
                for (var target : targets(user)) {
                    var copy = made(user, source, target);
                    for (var type : FileType.values()) {
                        // Of a directory without these bits files would get another group.
                        boolean isTried = type == FileType.DIRECTORY && !target.keepsSetIds;
                        if (!isTried || source.ids() == 0) {
                            var row = new Row(user, source, copy, type, 1, target);
                            assertEquals(Need.NOTHING, row.found(), row::toString);
                        }
                    }
                }
            }
        }
    }
}
