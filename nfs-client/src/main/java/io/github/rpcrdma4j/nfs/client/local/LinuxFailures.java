package io.github.rpcrdma4j.nfs.client.local;

import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import java.util.Optional;

/** Converts error numbers of Linux to exceptions. */
final class LinuxFailures {
    private LinuxFailures() {}

    /**
     * Checks the result of a system call.
     *
     * @return the result, if it is not negative
     */
    static int check(int result, String what) throws LocalException {
        if (result < 0) {
            throw exception(-result, what);
        }
        return result;
    }

    /**
     * Checks the result of a system call that creates a name: an invalid argument means an invalid
     * name.
     */
    static void checkName(int result, String what) throws LocalException {
        if (result == -Errno.INVAL) {
            throw new LocalException(what, Reason.BAD_NAME);
        }
        check(result, what);
    }

    static LocalException exception(int errno, String what) {
        var reason = of(errno);
        return reason == Reason.OTHER
                ? new LocalException(what, reason, words(errno))
                : new LocalException(what, reason);
    }

    static Reason of(int errno) {
        return switch (errno) {
            case Errno.PERM -> Reason.NOT_PERMITTED;
            case Errno.NOENT -> Reason.MISSING;
            case Errno.IO, Errno.BADMSG, Errno.UCLEAN -> Reason.INPUT_OUTPUT;
            case Errno.ACCES -> Reason.DENIED;
            case Errno.EXIST -> Reason.EXISTS;
            case Errno.XDEV -> Reason.ANOTHER_FILE_SYSTEM;
            case Errno.NOTDIR -> Reason.NOT_A_DIRECTORY;
            case Errno.ISDIR -> Reason.IS_A_DIRECTORY;
            case Errno.NFILE, Errno.MFILE -> Reason.TOO_MANY_OPEN;
            case Errno.FBIG, Errno.OVERFLOW -> Reason.TOO_LARGE;
            case Errno.NOSPC -> Reason.NO_SPACE;
            case Errno.ROFS -> Reason.READ_ONLY;
            case Errno.NAMETOOLONG -> Reason.NAME_TOO_LONG;
            case Errno.NOSYS, Errno.OPNOTSUPP -> Reason.UNSUPPORTED;
            case Errno.NOTEMPTY -> Reason.NOT_EMPTY;
            case Errno.LOOP -> Reason.LINK;
            case Errno.ILSEQ -> Reason.BAD_NAME;
            case Errno.DQUOT -> Reason.QUOTA;
            default -> Reason.OTHER;
        };
    }

    /** Returns the words for an error number without a {@link Reason}. */
    private static String words(int errno) {
        return switch (errno) {
            case Errno.AGAIN, Errno.BUSY, Errno.TXTBSY -> "in use by another process";
            case Errno.NOMEM -> "no memory left on this machine";
            case Errno.MLINK -> "it has as many names as a file can have";
            case Errno.STALE -> "the server of this file system no longer has it";
            case Errno.INVAL -> "this file system cannot do this";
            default -> "error " + errno + " of Linux";
        };
    }

    /**
     * Returns an exception if a file could not be opened again because {@code /proc} is missing;
     * empty for any other result.
     */
    static Optional<LocalException> withoutProc(int result, String what) {
        return result == -Errno.NOENT || result == -Errno.NOTDIR
                ? Optional.of(new LocalException(what, Reason.OTHER, "/proc is needed but missing"))
                : Optional.empty();
    }

    /** Checks the result of a system call on a path below {@code /proc}. */
    static void requireProc(int result, String what) throws LocalException {
        var withoutProc = withoutProc(result, what);
        if (withoutProc.isPresent()) {
            throw withoutProc.get();
        }
        check(result, what);
    }
}
