package io.github.rpcrdma4j.interop.access;

import java.util.ArrayList;
import java.util.List;

/**
 * A file of a case, before the call.
 *
 * @param path relative to the directory of the case; {@code .} is that directory
 * @param target the text of a symbolic link, the other name of a hard link, else empty
 * @param uid unsigned
 * @param gid unsigned
 * @param acl entries of the access control list beyond the mode, in the syntax of setfacl(1), with
 *     default entries
 */
record CaseFile(
        Kind kind, String path, String target, int uid, int gid, int mode, List<String> acl) {
    /** The content of every regular file that is not empty. */
    static final String CONTENT = "0123456789";

    enum Kind {
        FILE('f'),
        /** A regular file without content. */
        EMPTY('e'),
        DIRECTORY('d'),
        FIFO('p'),
        CHARACTER('c'),
        BLOCK('b'),
        LINK('l'),
        HARD_LINK('h');

        private final char letter;

        Kind(char letter) {
            this.letter = letter;
        }
    }

    CaseFile {
        acl = List.copyOf(acl);
    }

    static CaseFile of(Kind kind, String path, int uid, int gid, int mode) {
        return new CaseFile(kind, path, "", uid, gid, mode, List.of());
    }

    /** Returns a regular file {@code f} of the owner and the shared group. */
    static CaseFile file(int mode) {
        return file("f", mode);
    }

    static CaseFile file(String path, int mode) {
        return of(Kind.FILE, path, Caller.OWNER_UID, Caller.SHARED_GID, mode);
    }

    static CaseFile file(String path, int uid, int gid, int mode) {
        return of(Kind.FILE, path, uid, gid, mode);
    }

    /** Returns a regular file {@code f} of the owner and the shared group, without content. */
    static CaseFile empty(int mode) {
        return empty("f", mode);
    }

    static CaseFile empty(String path, int mode) {
        return of(Kind.EMPTY, path, Caller.OWNER_UID, Caller.SHARED_GID, mode);
    }

    /** Returns a directory {@code d} of the owner and the shared group. */
    static CaseFile directory(int mode) {
        return directory("d", mode);
    }

    static CaseFile directory(String path, int mode) {
        return of(Kind.DIRECTORY, path, Caller.OWNER_UID, Caller.SHARED_GID, mode);
    }

    static CaseFile directory(String path, int uid, int gid, int mode) {
        return of(Kind.DIRECTORY, path, uid, gid, mode);
    }

    /** Returns a symbolic link {@code l} of the owner. */
    static CaseFile link(String target) {
        return new CaseFile(
                Kind.LINK, "l", target, Caller.OWNER_UID, Caller.SHARED_GID, 0777, List.of());
    }

    static CaseFile hardLink(String path, String of) {
        return new CaseFile(Kind.HARD_LINK, path, of, 0, 0, 0, List.of());
    }

    /** Returns this file with more entries in its access control list. */
    CaseFile with(String... entries) {
        var all = new ArrayList<>(acl);
        all.addAll(List.of(entries));
        return new CaseFile(kind, path, target, uid, gid, mode, all);
    }

    /** Returns the text for a line of the table. */
    String words() {
        if (kind == Kind.HARD_LINK) {
            return path + "=" + target;
        }
        var words =
                new StringBuilder()
                        .append(path)
                        .append(' ')
                        .append(kind.letter)
                        .append(' ')
                        .append(owner())
                        .append(' ')
                        .append("%04o".formatted(mode));
        if (!target.isEmpty()) {
            words.append(" ->").append(target);
        }
        if (!acl.isEmpty()) {
            words.append(" [").append(String.join(",", acl)).append(']');
        }
        return words.toString();
    }

    String owner() {
        return Integer.toUnsignedString(uid) + ":" + Integer.toUnsignedString(gid);
    }
}
