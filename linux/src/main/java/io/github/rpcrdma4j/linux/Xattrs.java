package io.github.rpcrdma4j.linux;

import static io.github.rpcrdma4j.linux.SystemCalls.call;

/**
 * System calls of Linux on the extended attributes of an open file (xattr(7)), also of one that is
 * open with {@code O_PATH}. A symbolic link is not followed. Each returns the result of the kernel:
 * a value, or a negative error number. Thread-safe, if each thread uses its own {@link Scratch}.
 */
public final class Xattrs {
    /** Makes a change fail if the attribute exists. */
    public static final int CREATE = 1;

    /** Makes a change fail if the attribute does not exist. */
    public static final int REPLACE = 2;

    /** The longest name, in bytes, with the prefix of its namespace. */
    public static final int NAME_MAX = 255;

    /** The longest value, in bytes, and the longest list of names. */
    public static final int VALUE_MAX = 65_536;

    private Xattrs() {}

    /**
     * Reads a value.
     *
     * @param name the address of the name and its NUL
     * @param value the address of the memory for the value
     * @param max the bytes of that memory; 0 to read nothing
     * @return the bytes of the value
     */
    public static int get(Scratch scratch, int descriptor, long name, long value, long max) {
        return call(
                scratch, CallNumber.GETXATTR, scratch.selfDescriptor(descriptor), name, value, max);
    }

    /**
     * Sets a value.
     *
     * @param flags 0, {@link #CREATE} or {@link #REPLACE}
     */
    public static int set(
            Scratch scratch, int descriptor, long name, long value, long bytes, int flags) {
        return call(
                scratch,
                CallNumber.SETXATTR,
                scratch.selfDescriptor(descriptor),
                name,
                value,
                bytes,
                flags);
    }

    /** Removes an attribute. */
    public static int remove(Scratch scratch, int descriptor, long name) {
        return call(scratch, CallNumber.REMOVEXATTR, scratch.selfDescriptor(descriptor), name);
    }

    /**
     * Reads the names of all attributes, each with a NUL.
     *
     * @return the bytes of the names
     */
    public static int list(Scratch scratch, int descriptor, long names, long max) {
        return call(scratch, CallNumber.LISTXATTR, scratch.selfDescriptor(descriptor), names, max);
    }
}
