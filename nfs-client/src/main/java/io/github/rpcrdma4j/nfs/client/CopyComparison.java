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

/**
 * Compares files of this machine with files of a server. Thread-safe.
 *
 * @param isPut whether those of the server are the copies, rather than the sources
 */
record CopyComparison(Copier copier, Comparison comparison, boolean isPut) {
    private static final int PERMISSIONS = 0777;

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

    /** Returns whether their attributes alone show that two such files are the same. */
    boolean isDecided(LocalStatus local, FileAttributes remote) {
        return comparison == Comparison.SIZE_AND_TIME && hasSamePermissions(local, remote);
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

    /** Returns whether two files have the same permissions. */
    static boolean hasSamePermissions(LocalStatus local, FileAttributes remote) {
        return ((local.mode() ^ remote.mode()) & PERMISSIONS) == 0;
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
