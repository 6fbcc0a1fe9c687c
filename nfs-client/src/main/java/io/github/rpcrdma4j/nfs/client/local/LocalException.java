package io.github.rpcrdma4j.nfs.client.local;

import java.io.IOException;

/**
 * Thrown if this machine refuses an operation. The message is one line for a user: the operation,
 * the file, and the reason.
 */
public final class LocalException extends IOException {
    private static final long serialVersionUID = 1L;
    private final Reason reason;

    /** The reason why an operation failed. */
    public enum Reason {
        MISSING("no such file or directory"),
        EXISTS("exists already"),
        DENIED("permission denied"),
        NOT_PERMITTED("operation not permitted"),
        NOT_A_DIRECTORY("not a directory"),
        IS_A_DIRECTORY("is a directory"),
        NOT_EMPTY("directory not empty"),
        LINK("a link is where a directory or file should be"),
        NO_SPACE("no space left on this machine"),
        QUOTA("quota exceeded on this machine"),
        READ_ONLY("read-only file system"),
        TOO_LARGE("file too large for this file system"),
        NAME_TOO_LONG("name too long"),
        BAD_NAME("this file system cannot have such a name"),
        TOO_MANY_OPEN("too many open files"),
        UNSUPPORTED("not supported by this file system"),
        ANOTHER_FILE_SYSTEM("not on the same file system"),
        INPUT_OUTPUT("input/output error on this machine"),
        OTHER("failed");

        private final String words;

        Reason(String words) {
            this.words = words;
        }

        /** Returns the reason in words for a user. */
        public String words() {
            return words;
        }
    }

    /**
     * Creates the exception for a reason.
     *
     * @param what the failed operation: {@code "cannot write /a/b"}
     */
    public LocalException(String what, Reason reason) {
        super(what + ": " + reason.words());
        this.reason = reason;
    }

    /**
     * Creates the exception for a reason of which more is known.
     *
     * @param what the failed operation: {@code "cannot write /a/b"}
     * @param detail replaces the words of the reason
     */
    public LocalException(String what, Reason reason, String detail) {
        super(what + ": " + detail);
        this.reason = reason;
    }

    /** Returns the reason why the operation failed. */
    public Reason reason() {
        return reason;
    }
}
