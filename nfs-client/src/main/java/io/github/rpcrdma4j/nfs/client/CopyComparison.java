package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.client.CopyRules.Comparison;
import io.github.rpcrdma4j.nfs.client.NfsMount.RemoteFile;
import io.github.rpcrdma4j.nfs.client.local.LocalFile;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileType;
import io.github.rpcrdma4j.nfs.v3.Timestamp;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.OptionalInt;

/**
 * Compares files of this machine with files of a server. Thread-safe.
 *
 * @param isPut whether those of the server are the copies, rather than the sources
 */
record CopyComparison(Copier copier, Comparison comparison, boolean isPut) {
    private static final int RIGHTS = 01777;
    private static final int WRITE_OF_OTHERS = 0022;

    /** What a file that has the contents of its source needs to be a copy of it. */
    enum Need {
        /** It has all that the target keeps. */
        NOTHING,

        /** Attributes of its source. */
        ATTRIBUTES,

        /**
         * A new file in its place: this one belongs, or may have belonged, to another user, who can
         * still write to it. With the attributes of the source that user would get rights.
         */
        REPLACEMENT
    }

    /** Opens the local file if its contents are needed. */
    interface Opening {
        LocalFile open() throws IOException;
    }

    /** Thrown where contents differ. */
    private static final class Different extends IOException {
        private static final long serialVersionUID = 1L;
    }

    /** Returns whether two files can hold the same bytes, judged by their attributes alone. */
    boolean isPossible(LocalStatus local, FileAttributes remote) {
        return comparison != Comparison.NONE
                && local.type() == FileType.REGULAR
                && remote.type() == FileType.REGULAR
                && local.size() == remote.size()
                && (comparison == Comparison.CONTENTS || hasSameTime(local, remote));
    }

    /**
     * Returns whether two regular files hold the same bytes, as far as the comparison can tell.
     *
     * @param what for messages: {@code "cannot read /a/b"}
     */
    boolean isSame(LocalStatus local, Opening opening, RemoteFile remote, String what)
            throws IOException, InterruptedException {
        if (!isPossible(local, remote.attributes())) {
            return false;
        }
        if (comparison == Comparison.SIZE_AND_TIME) {
            return true;
        }
        try (var opened = opening.open()) {
            return hasSameContents(opened, remote, what);
        }
    }

    /** Returns whether a copy has the time of its source, as far as its file system keeps it. */
    boolean hasSameTime(LocalStatus local, FileAttributes remote) {
        var here = Timestamp.of(local.modified()).instant();
        var there = remote.modified().instant();
        return isPut
                ? new StoredTime(there, remote.changed().instant()).isOf(here, copier.timeStep())
                : new StoredTime(here, local.changed()).isOf(there, copier.timeStep());
    }

    /**
     * Returns what a copy needs that has the contents of its source. This is the one rule for what
     * is done and for what a trial reports. What the target does not keep, or this user may not
     * set, is not compared: a second copy of the same source then needs nothing.
     *
     * @param local with its access control lists
     * @param remote with its access control lists
     * @param target is asked only if the answer depends on it
     */
    Need need(LocalSource local, RemoteSource remote, NewFileTraits.Asking target)
            throws IOException, InterruptedException {
        if (!copier.kept().attributes()) {
            return Need.NOTHING;
        }
        var wanted = isPut ? local : remote.asLocal();
        var there = isPut ? remote.asLocal() : local;
        var type = wanted.status().type();
        var need = needOfRights(wanted, there, target);
        boolean hasTime = type == FileType.REGULAR || type == FileType.DIRECTORY;
        if (need == Need.NOTHING && hasTime && !hasSameTime(local.status(), remote.attributes())) {
            return Need.ATTRIBUTES;
        }
        // A directory stays: it is filled, and its users lose their rights first.
        return need == Need.REPLACEMENT && type == FileType.DIRECTORY ? Need.ATTRIBUTES : need;
    }

    private Need needOfRights(LocalSource source, LocalSource copy, NewFileTraits.Asking target)
            throws IOException, InterruptedException {
        var wanted = source.status();
        var there = copy.status();
        var user = copier.attributes();
        boolean isForeign = !user.isOwn(there.uid()) && there.uid() != wanted.uid();
        boolean isMapped = isForeign && target.ask().owner().equals(OptionalInt.of(there.uid()));
        if (isForeign && !isMapped) {
            return Need.REPLACEMENT;
        }
        boolean isUsers = user.isRoot() || user.isOwn(there.uid());
        boolean hasOwners =
                isMapped
                        || (there.uid() == wanted.uid() || !user.mayGive(wanted.uid()))
                                && (there.gid() == wanted.gid()
                                        || !isUsers
                                        || !user.mayGiveToGroup(wanted.gid()));
        boolean isSame = hasOwners && source.acls().equals(copy.acls());
        if (wanted.type() != FileType.SYMBOLIC_LINK) {
            boolean mayHaveIds =
                    there.uid() == wanted.uid() && there.gid() == wanted.gid() && !isMapped;
            int ids = mayHaveIds ? wanted.mode() & Modes.SET_IDS : 0;
            boolean getsIds =
                    (wanted.mode() & ~there.mode() & Modes.SET_IDS) != 0
                            && !isMapped
                            && user.mayGive(wanted.uid())
                            && user.mayGiveToGroup(wanted.gid());
            if (getsIds && isReplacedForIds(wanted, there, target)) {
                return Need.REPLACEMENT;
            }
            boolean isWider = (there.mode() & Modes.SET_IDS & ~ids) != 0;
            isSame &= !isWider && ((there.mode() ^ wanted.mode()) & RIGHTS) == 0;
            isSame &= !getsIds || wanted.type() != FileType.DIRECTORY;
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
        return there.uid() == wanted.uid() || (there.mode() & WRITE_OF_OTHERS) != 0
                ? target.ask().keepsSetIds()
                : false;
    }

    private boolean hasSameContents(LocalFile local, RemoteFile remote, String what)
            throws IOException, InterruptedException {
        FileGet.Sink compare =
                (offset, bytes) -> {
                    try (var arena = Arena.ofConfined()) {
                        var own = arena.allocate(bytes.byteSize());
                        if (!isFilled(local, own, offset) || own.mismatch(bytes) >= 0) {
                            throw new Different();
                        }
                    }
                };
        try {
            copier.listener().expect(remote.attributes().size());
            new FileGet(copier, remote, what, compare).run(copier.outstanding());
            return true;
        } catch (Different _) {
            return false;
        }
    }

    private static boolean isFilled(LocalFile file, MemorySegment memory, long offset)
            throws IOException {
        for (long done = 0; done < memory.byteSize(); ) {
            int count = file.read(memory.asSlice(done), offset + done);
            if (count == 0) {
                return false;
            }
            done += count;
        }
        return true;
    }
}
