package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.copy.CopyRules.Comparison;
import io.github.rpcrdma4j.nfs.client.local.LocalFile;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Compares files of this machine with files of a server. Thread-safe.
 *
 * <p>Tests: {@code XattrCopiesTest}, {@code CopiedRightsTest}.
 *
 * @param isPut whether those of the server are the copies, rather than the sources
 */
record CopyComparison(CopyContext context, Comparison comparison, boolean isPut) {
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

    /** Returns whether the contents of files are read to compare them. */
    boolean readsContents() {
        return comparison == Comparison.CONTENTS;
    }

    /**
     * Returns whether two regular files hold the same bytes, as far as the comparison can tell.
     *
     * @param file the local file
     * @param what for messages: {@code "cannot read /a/b"}
     */
    boolean isSame(LocalStatus local, LocalFile file, RemoteFile remote, String what)
            throws IOException, InterruptedException {
        return isPossible(local, remote.attributes())
                && (!readsContents() || hasSameContents(file, remote, what));
    }

    /** Returns whether a copy has the time of its source, as far as its file system keeps it. */
    boolean hasSameTime(LocalStatus local, FileAttributes remote) {
        var here = context.service().nearest(local.modified());
        var there = remote.modified();
        return isPut
                ? new StoredTime(there, remote.changed()).isOf(here, context.timeStep())
                : new StoredTime(here, local.changed()).isOf(there, context.timeStep());
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
        if (!context.kept().attributes()) {
            return Need.NOTHING;
        }
        var wanted = isPut ? local : remote.asLocal();
        var there = isPut ? remote.asLocal() : local;
        var type = wanted.status().type();
        var need = rights().need(wanted, there, target);
        boolean hasTime = type == FileType.REGULAR || type == FileType.DIRECTORY;
        if (need != Need.NOTHING) {
            return need;
        }
        boolean isSame =
                (!hasTime || hasSameTime(local.status(), remote.attributes()))
                        && hasSameXattrs(local, remote);
        return isSame ? Need.NOTHING : Need.ATTRIBUTES;
    }

    /** What cannot be read is not compared. */
    private static boolean hasSameXattrs(LocalSource local, RemoteSource remote) {
        return local.xattrs().isEmpty()
                || remote.xattrs().isEmpty()
                || local.xattrs().equals(remote.xattrs());
    }

    private CopiedRights rights() {
        return new CopiedRights(context.attributes().user());
    }

    /**
     * Returns whether a copy belongs to another user because the target gives all files of this
     * user to that one.
     *
     * @param owner of the copy
     * @param wanted the owner of its source
     */
    boolean isMapped(int owner, int wanted, NewFileTraits.Asking target)
            throws IOException, InterruptedException {
        return rights().isMapped(owner, wanted, target);
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
            context.listener().expect(remote.attributes().size());
            new FileGet(context, remote, what, compare).run(context.outstanding());
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
