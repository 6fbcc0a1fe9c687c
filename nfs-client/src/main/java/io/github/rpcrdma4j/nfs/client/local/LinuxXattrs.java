package io.github.rpcrdma4j.nfs.client.local;

import static io.github.rpcrdma4j.nfs.client.local.LinuxFailures.check;

import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Xattrs;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Reads and replaces the extended attributes of users of an open file. Those of other namespaces
 * are neither read nor changed. Linux keeps none of users for links and special files. The
 * descriptor may be an O_PATH one.
 *
 * <p>Tests: {@code LocalXattrsTest}.
 */
final class LinuxXattrs {
    private static final byte[] PREFIX = UserXattrs.PREFIX.getBytes();

    private LinuxXattrs() {}

    /** Returns those of a file; none if its type or its file system has none. */
    static UserXattrs of(Scratch scratch, int descriptor, String what) throws LocalException {
        var names = names(scratch, descriptor, what);
        if (names.isEmpty()) {
            return UserXattrs.NONE;
        }
        var all = new UserXattrs.Gathering();
        try (var arena = Arena.ofConfined()) {
            var memory = arena.allocate(Xattrs.VALUE_MAX);
            for (var name : names) {
                var value = value(scratch, descriptor, name, memory, what);
                if (value.isPresent() && !all.add(name, value.get())) {
                    throw new LocalException(what, Reason.TOO_LARGE, UserXattrs.TOO_MANY);
                }
            }
        }
        return all.all();
    }

    private static List<FileName> names(Scratch scratch, int descriptor, String what)
            throws LocalException {
        int there = Xattrs.list(scratch, descriptor, 0, 0);
        if (there == 0 || there == -Errno.OPNOTSUPP) {
            return List.of();
        }
        LinuxFailures.requireProc(there, what);
        try (var arena = Arena.ofConfined()) {
            var list = arena.allocate(Xattrs.VALUE_MAX);
            int bytes = Xattrs.list(scratch, descriptor, list.address(), list.byteSize());
            return names(list.asSlice(0, check(bytes, what)).toArray(ValueLayout.JAVA_BYTE));
        }
    }

    /**
     * Returns the names of users in a list of the kernel.
     *
     * @param list names, each with a NUL
     */
    private static List<FileName> names(byte[] list) {
        var names = new ArrayList<FileName>();
        int start = 0;
        for (int at = 0; at < list.length; at++) {
            if (list[at] == 0) {
                int prefixed = start + PREFIX.length;
                if (prefixed < at
                        && Arrays.equals(list, start, prefixed, PREFIX, 0, PREFIX.length)) {
                    names.add(new FileName(Arrays.copyOfRange(list, prefixed, at)));
                }
                start = at + 1;
            }
        }
        return names;
    }

    /**
     * Returns a value; empty if the attribute is gone.
     *
     * @param memory for the value
     */
    private static Optional<byte[]> value(
            Scratch scratch, int descriptor, FileName name, MemorySegment memory, String what)
            throws LocalException {
        long key = key(scratch, name, what);
        int bytes = Xattrs.get(scratch, descriptor, key, memory.address(), memory.byteSize());
        return bytes == -Errno.NODATA
                ? Optional.empty()
                : Optional.of(memory.asSlice(0, check(bytes, what)).toArray(ValueLayout.JAVA_BYTE));
    }

    /** Writes the name of the kernel, and returns its address. */
    private static long key(Scratch scratch, FileName name, String what) throws LocalException {
        if (name.length() == 0 || name.contains('\0')) {
            throw new LocalException(what, Reason.BAD_NAME);
        }
        if (PREFIX.length + name.length() > Xattrs.NAME_MAX) {
            throw new LocalException(what, Reason.NAME_TOO_LONG);
        }
        byte[] key = Arrays.copyOf(PREFIX, PREFIX.length + name.length());
        System.arraycopy(name.bytes(), 0, key, PREFIX.length, name.length());
        return scratch.text(Scratch.NAME, key);
    }

    /**
     * Makes a file have these and no others. If one fails, the others are set all the same.
     *
     * @param file its name, for messages
     * @throws LocalException of the first one that fails; with {@link Reason#UNSUPPORTED} if the
     *     file system has none
     */
    static void set(Scratch scratch, int descriptor, UserXattrs wanted, String file)
            throws LocalException {
        LocalException first = null;
        try (var arena = Arena.ofConfined()) {
            var memory = arena.allocate(Xattrs.VALUE_MAX);
            for (var name : names(scratch, descriptor, "cannot keep the attributes of " + file)) {
                if (wanted.value(name).isEmpty()) {
                    first = firstOf(first, removal(scratch, descriptor, name, file));
                }
            }
            for (var name : wanted.names()) {
                byte[] value = wanted.value(name).orElseThrow();
                first = firstOf(first, change(scratch, descriptor, name, value, memory, file));
                if (first != null && first.reason() == Reason.UNSUPPORTED) {
                    break;
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private static LocalException firstOf(LocalException first, Optional<LocalException> next) {
        return first == null ? next.orElse(null) : first;
    }

    private static Optional<LocalException> removal(
            Scratch scratch, int descriptor, FileName name, String file) {
        var what = UserXattrs.cannotKeep(name, file);
        try {
            int result = Xattrs.remove(scratch, descriptor, key(scratch, name, what));
            if (result != -Errno.NODATA) {
                check(result, what);
            }
            return Optional.empty();
        } catch (LocalException refused) {
            return Optional.of(refused);
        }
    }

    private static Optional<LocalException> change(
            Scratch scratch,
            int descriptor,
            FileName name,
            byte[] value,
            MemorySegment memory,
            String file) {
        var what = UserXattrs.cannotKeep(name, file);
        try {
            long key = key(scratch, name, what);
            if (value.length > memory.byteSize()) {
                throw tooLong(what);
            }
            MemorySegment.copy(value, 0, memory, ValueLayout.JAVA_BYTE, 0, value.length);
            int result = Xattrs.set(scratch, descriptor, key, memory.address(), value.length, 0);
            if (result == -Errno.RANGE || result == -Errno.TOO_BIG) {
                throw tooLong(what);
            }
            LinuxFailures.requireProc(result, what);
            return Optional.empty();
        } catch (LocalException refused) {
            return Optional.of(refused);
        }
    }

    private static LocalException tooLong(String what) {
        return new LocalException(
                what, Reason.TOO_LARGE, "it is longer than this file system takes");
    }
}
