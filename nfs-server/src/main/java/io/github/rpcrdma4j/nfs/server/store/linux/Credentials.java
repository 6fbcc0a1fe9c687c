package io.github.rpcrdma4j.nfs.server.store.linux;

import static io.github.rpcrdma4j.nfs.server.store.linux.Syscall.call;

/**
 * System calls of Linux on the credentials of the calling thread. The C library would change those
 * of all threads.
 */
final class Credentials {
    private static final int CLONE_FS = 0x200;

    private Credentials() {}

    /** Sets the user by which this thread is known to file systems; returns the one before. */
    static int setfsuid(Scratch scratch, int uid) {
        return call(scratch, SystemCall.SETFSUID, uid);
    }

    static int setfsgid(Scratch scratch, int gid) {
        return call(scratch, SystemCall.SETFSGID, gid);
    }

    static int setgroups(Scratch scratch, int count, long groups) {
        return call(scratch, SystemCall.SETGROUPS, count, groups);
    }

    static int getgroups(Scratch scratch, int max, long groups) {
        return call(scratch, SystemCall.GETGROUPS, max, groups);
    }

    static int capget(Scratch scratch, long header, long data) {
        return call(scratch, SystemCall.CAPGET, header, data);
    }

    static int capset(Scratch scratch, long header, long data) {
        return call(scratch, SystemCall.CAPSET, header, data);
    }

    static int umask(Scratch scratch, int mask) {
        return call(scratch, SystemCall.UMASK, mask);
    }

    /** Gives this thread a working directory, a root and a umask of its own. */
    static int unshareFs(Scratch scratch) {
        return call(scratch, SystemCall.UNSHARE, CLONE_FS);
    }
}
