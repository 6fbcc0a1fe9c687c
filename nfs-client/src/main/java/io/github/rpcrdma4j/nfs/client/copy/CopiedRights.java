package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.copy.CopyComparison.Need;
import io.github.rpcrdma4j.nfs.client.file.Modes;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import java.io.IOException;
import java.util.OptionalInt;

/**
 * Compares the rights to a copy with the rights to its source: owner, group, mode and access
 * control lists. What the target does not keep, or this user may not set, is not compared, so that
 * a second copy of the same source needs nothing. A pure rule: its only input besides its arguments
 * are the answers of the target, which it asks for if the result depends on them.
 *
 * @param user who copies
 */
record CopiedRights(CopyingUser user) {
    private static final int RIGHTS = 01777;

    /**
     * Returns whether a copy belongs to another user because the target gives all files of this
     * user to that one.
     *
     * @param owner of the copy
     * @param wanted the owner of its source
     */
    boolean isMapped(int owner, int wanted, NewFileTraits.Asking target)
            throws IOException, InterruptedException {
        return isForeign(owner, wanted) && target.ask().owner().equals(OptionalInt.of(owner));
    }

    private boolean isForeign(int owner, int wanted) {
        return !user.isOwn(owner) && owner != wanted;
    }

    /** Returns what the copy needs. A directory stays: it is filled. */
    Need need(LocalSource source, LocalSource copy, NewFileTraits.Asking target)
            throws IOException, InterruptedException {
        var need = needOfFile(source, copy, target);
        boolean isDirectory = source.status().isDirectory();
        return need == Need.REPLACEMENT && isDirectory ? Need.ATTRIBUTES : need;
    }

    private Need needOfFile(LocalSource source, LocalSource copy, NewFileTraits.Asking target)
            throws IOException, InterruptedException {
        var wanted = source.status();
        var there = copy.status();
        boolean isMapped = isMapped(there.uid(), wanted.uid(), target);
        if (isForeign(there.uid(), wanted.uid()) && !isMapped) {
            return Need.REPLACEMENT;
        }
        boolean hasOwner = there.uid() == wanted.uid();
        boolean hasGroup = there.gid() == wanted.gid();
        boolean isUsers = user.isRoot() || user.isOwn(there.uid());
        boolean mayGetOwner = !isMapped && user.mayGive(wanted.uid());
        boolean mayGetGroup =
                !isMapped
                        && user.mayGiveToGroup(wanted.gid())
                        && (hasGroup || isUsers && target.givesTo(wanted.gid()));
        boolean isSame =
                (hasOwner || !mayGetOwner)
                        && (hasGroup || !mayGetGroup)
                        && source.acls().equals(copy.acls());
        if (wanted.type() != FileType.SYMBOLIC_LINK) {
            int lacking = wanted.mode() & ~there.mode() & Modes.SET_IDS;
            boolean getsIds = lacking != 0 && mayGetOwner && mayGetGroup;
            if (getsIds && isReplacedForIds(wanted, there, target)) {
                return Need.REPLACEMENT;
            }
            int ids = hasOwner && hasGroup ? wanted.mode() & Modes.SET_IDS : 0;
            boolean isWider = (there.mode() & Modes.SET_IDS & ~ids) != 0;
            isSame &= !isWider && ((there.mode() ^ wanted.mode()) & RIGHTS) == 0;
            isSame &= !getsIds || !wanted.isDirectory();
        }
        if (isSame) {
            return Need.NOTHING;
        }
        // A change would reach the other names of the file too.
        return there.links() > 1 ? Need.REPLACEMENT : Need.ATTRIBUTES;
    }

    /**
     * Returns whether a file gives way to a new one that gets set-ID bits. A file of this user that
     * nobody else may write to gets them with its owner; it lacks both where its owner was refused.
     */
    private static boolean isReplacedForIds(
            LocalStatus wanted, LocalStatus there, NewFileTraits.Asking target)
            throws IOException, InterruptedException {
        return (there.uid() == wanted.uid() || (there.mode() & Modes.WRITE_OF_OTHERS) != 0)
                && target.ask().keepsSetIds();
    }
}
