package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.directories.linux.FileThreads.Call;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.store.StoreException;

/** A name in a directory, with the caller that changes it. */
record ChildName(Reference directory, Caller caller, FileName name) {
    /** A system call about a name. */
    interface SystemCall {
        /**
         * @param directory the descriptor of the directory
         * @param name the address of the name
         */
        int run(Scratch scratch, int directory, long name);
    }

    LinuxNode parent() {
        return directory.node();
    }

    /** Makes a system call on the name with the rights of the caller, and returns its result. */
    int make(Call call, SystemCall made) throws StoreException {
        return call.as(
                caller,
                scratch ->
                        made.run(
                                scratch,
                                parent().descriptor,
                                scratch.name(Scratch.NAME, name.segment())));
    }

    /**
     * Returns the file that has the name now. The caller of this method releases it. Who changes
     * the directory must not wait for a file system that is mounted there.
     *
     * @throws StoreException ACCES if a file system is mounted there
     */
    LinuxNode find(Call call) throws StoreException {
        return find(call, Mounts.STAY);
    }

    /**
     * Returns the file that callers find by the name. The caller of this method releases it.
     *
     * @throws Crossing if a file system is mounted there
     */
    LinuxNode findMounted(Call call) throws StoreException {
        return find(call, directory.mounts());
    }

    private LinuxNode find(Call call, Mounts mounts) throws StoreException {
        return directory.store().child(call, parent(), name, mounts);
    }
}
