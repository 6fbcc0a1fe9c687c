package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.Time;

/**
 * A file that only calls with one verifier make. The times of the file store the verifier, where it
 * survives a crash (RFC 1813, Section 3.3.8). The methods run in sections with the identity of the
 * caller.
 *
 * @param directory the descriptor of the parent directory
 */
record ExclusiveFile(int directory, FileName name, int mode, Time accessed, Time modified) {
    static ExclusiveFile of(ChildName child, long verifier, int mode) {
        return new ExclusiveFile(
                child.parent().descriptor,
                child.name(),
                mode,
                accessed(verifier),
                modified(verifier));
    }

    private static Time accessed(long verifier) {
        return half(verifier >>> Integer.SIZE);
    }

    private static Time modified(long verifier) {
        return half(verifier);
    }

    /**
     * Returns half of the verifier as a time. It uses 31 bits of seconds, which every file system
     * can store.
     */
    private static Time half(long verifier) {
        return new Time(verifier & Integer.MAX_VALUE, 0);
    }

    /** Returns whether a call with the verifier made a regular file, which is unchanged since. */
    static boolean isMade(FileStatus status, long verifier) {
        return status.accessed().equals(accessed(verifier))
                && status.modified().equals(modified(verifier))
                && status.size() == 0;
    }

    /**
     * Makes the file without a name, sets its times, and then links the name. So the name never
     * exists without the times. Not all file systems can do this.
     *
     * @return a descriptor, or a negative error number
     */
    int makeUnnamed(Scratch scratch) {
        int descriptor = openUnnamed(scratch, directory, mode);
        if (descriptor < 0) {
            return descriptor;
        }
        int result = setTimes(scratch, descriptor);
        if (result == 0) {
            long path = scratch.name(Scratch.NAME, name.segment());
            result = Kernel.linkat(scratch, descriptor, directory, path);
        }
        return closedUnless(scratch, result, descriptor);
    }

    /**
     * Makes a regular file without a name in a directory. Not all file systems can do this.
     *
     * @return a descriptor, or a negative error number
     */
    static int openUnnamed(Scratch scratch, int directory, int mode) {
        return Kernel.openat(
                scratch,
                directory,
                scratch.address + Scratch.DOT,
                Kernel.temporary() | Kernel.O_WRONLY,
                mode);
    }

    /**
     * Makes the file with its name, and then sets its times.
     *
     * @return a descriptor, or a negative error number
     */
    int makeNamed(Scratch scratch) {
        long path = scratch.name(Scratch.NAME, name.segment());
        int descriptor =
                Kernel.openat(
                        scratch, directory, path, Creations.OPEN_NEW | Kernel.noFollow(), mode);
        if (descriptor < 0) {
            return descriptor;
        }
        int result = setTimes(scratch, descriptor);
        if (result < 0) {
            var made = NewInode.of(scratch, descriptor);
            if (made != null) {
                made.remove(scratch, directory, path, 0);
            }
        }
        return closedUnless(scratch, result, descriptor);
    }

    private static int closedUnless(Scratch scratch, int result, int descriptor) {
        if (result < 0) {
            Kernel.close(scratch, descriptor);
            return result;
        }
        return descriptor;
    }

    private int setTimes(Scratch scratch, int descriptor) {
        Kernel.time(scratch, 0, accessed.seconds(), accessed.nanos());
        return Kernel.utimens(
                scratch, descriptor, Kernel.time(scratch, 1, modified.seconds(), modified.nanos()));
    }
}
