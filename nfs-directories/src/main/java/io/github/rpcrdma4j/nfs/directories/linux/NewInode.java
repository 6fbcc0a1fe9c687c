package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Statx;

/**
 * A new file, whose name another process can give to another file. The methods run in sections with
 * the identity of the caller, or without one.
 */
record NewInode(long device, long inode) {
    /** Returns the file whose attributes the scratch has. */
    private static NewInode of(Scratch scratch) {
        return new NewInode(Statx.device(scratch), Statx.inode(scratch));
    }

    /** Returns an open file; null if its attributes cannot be read. */
    static NewInode of(Scratch scratch, int descriptor) {
        return Kernel.statx(scratch, descriptor) < 0 ? null : of(scratch);
    }

    /**
     * Removes the file, so that a failed call leaves none. If its name belongs to another file,
     * that one stays. Linux cannot do this in one step.
     *
     * @param name the address of the name
     * @return 0, or a negative error number
     */
    int remove(Scratch scratch, int directory, long name, int flags) {
        int found = Kernel.statx(scratch, directory, name);
        if (found < 0) {
            return found;
        }
        return of(scratch).equals(this) ? Kernel.unlinkat(scratch, directory, name, flags) : 0;
    }
}
