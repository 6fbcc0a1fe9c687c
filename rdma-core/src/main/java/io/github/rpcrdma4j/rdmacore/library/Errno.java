package io.github.rpcrdma4j.rdmacore.library;

/** The error numbers of Linux (errno(3)) that the module tells apart, and what they mean. */
public final class Errno {
    public static final int EPERM = 1;
    public static final int EINTR = 4;
    public static final int EIO = 5;
    public static final int EAGAIN = 11;
    public static final int ENOMEM = 12;
    public static final int EACCES = 13;
    public static final int EBUSY = 16;
    public static final int ENODEV = 19;
    public static final int EINVAL = 22;
    public static final int EADDRINUSE = 98;
    public static final int EADDRNOTAVAIL = 99;
    public static final int ENETUNREACH = 101;
    public static final int ECONNRESET = 104;
    public static final int ETIMEDOUT = 110;
    public static final int ECONNREFUSED = 111;
    public static final int EHOSTUNREACH = 113;

    private Errno() {}

    /** Returns an error number in words, with what a user can do. */
    public static String text(int errno) {
        return switch (errno) {
            case EPERM, EACCES -> "no permission (see /dev/infiniband)";
            case EAGAIN -> "the adapter is busy";
            case ENOMEM ->
                    "no memory could be locked, or a limit of the adapter is reached (see ulimit"
                            + " -l)";
            case EBUSY -> "in use";
            case EIO -> "the device was removed, or failed";
            case ENODEV -> "no such device (see rdma link)";
            case EINVAL -> "the adapter does not allow it";
            case EADDRINUSE -> "the address is in use";
            case EADDRNOTAVAIL -> "no adapter has that address (see rdma link)";
            case ENETUNREACH -> "the network is unreachable";
            case ECONNRESET -> "the peer reset the connection";
            case ETIMEDOUT -> "no answer";
            case ECONNREFUSED -> "refused";
            case EHOSTUNREACH -> "no route to the host";
            default -> "error " + errno;
        };
    }
}
