package io.github.rpcrdma4j.linux;

import static io.github.rpcrdma4j.linux.SystemCalls.call;

/**
 * System calls of Linux that change or read the credentials of the calling thread. The functions of
 * the C library would change those of all threads.
 */
public final class Credentials {
    private static final int CLONE_FS = 0x200;

    private Credentials() {}

    /**
     * Sets the user id with which this thread accesses file systems, and returns the previous one.
     */
    public static int setfsuid(Scratch scratch, int uid) {
        return call(scratch, CallNumber.SETFSUID, uid);
    }

    public static int setfsgid(Scratch scratch, int gid) {
        return call(scratch, CallNumber.SETFSGID, gid);
    }

    public static int setgroups(Scratch scratch, int count, long groups) {
        return call(scratch, CallNumber.SETGROUPS, count, groups);
    }

    public static int getgroups(Scratch scratch, int max, long groups) {
        return call(scratch, CallNumber.GETGROUPS, max, groups);
    }

    public static int capget(Scratch scratch, long header, long data) {
        return call(scratch, CallNumber.CAPGET, header, data);
    }

    public static int capset(Scratch scratch, long header, long data) {
        return call(scratch, CallNumber.CAPSET, header, data);
    }

    public static int umask(Scratch scratch, int mask) {
        return call(scratch, CallNumber.UMASK, mask);
    }

    /** Gives this thread a working directory, a root and a umask of its own. */
    public static int unshareFs(Scratch scratch) {
        return call(scratch, CallNumber.UNSHARE, CLONE_FS);
    }
}
