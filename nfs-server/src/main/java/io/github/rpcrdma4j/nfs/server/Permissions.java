package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.server.Tree.Located;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.Credential;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/**
 * What a caller may do, by the permission bits and its AUTH_SYS identity. It decides only where the
 * process itself may do everything; elsewhere the operating system decides by the process' rights.
 */
final class Permissions {
    static final int READ = 4;
    static final int WRITE = 2;
    static final int EXECUTE = 1;

    private static final int NOBODY = 65534;
    private static final int OWNER_SHIFT = 6;
    private static final int GROUP_SHIFT = 3;
    private static final int STICKY = 01000;

    private final boolean decides;

    Permissions(boolean processIsRoot) {
        this.decides = processIsRoot;
    }

    private static int uid(Credential caller) {
        return caller instanceof Credential.Sys sys ? sys.uid() : NOBODY;
    }

    private static int gid(Credential caller) {
        return caller instanceof Credential.Sys sys ? sys.gid() : NOBODY;
    }

    private static boolean isIn(Credential caller, int group) {
        return caller instanceof Credential.Sys sys
                && (sys.gid() == group || sys.gids().contains(group));
    }

    /** Whether the bits, as in one digit of the mode, are granted to the caller. */
    boolean allows(Located file, Credential caller, int wanted) {
        if (!decides || !file.tree().reader().hasUnixAttributes()) {
            return true;
        }
        int uid = uid(caller);
        if (uid == 0) {
            return true;
        }
        return (granted(file.file(), caller, uid) & wanted) == wanted;
    }

    private static int granted(FileAttributes file, Credential caller, int uid) {
        if (file.uid() == uid) {
            return file.mode() >>> OWNER_SHIFT & 7;
        }
        return isIn(caller, file.gid()) ? file.mode() >>> GROUP_SHIFT & 7 : file.mode() & 7;
    }

    /**
     * @throws Refusal ACCES
     */
    void require(Located file, Credential caller, int wanted) throws Refusal {
        if (!allows(file, caller, wanted)) {
            throw new Refusal(Status.ACCES);
        }
    }

    /**
     * Like {@link #require}, but the owner may always read and write: the client has checked when
     * the file was opened.
     *
     * @throws Refusal ACCES
     */
    void requireForData(Located file, Credential caller, int wanted) throws Refusal {
        if (!isOwner(file, caller)) {
            require(file, caller, wanted);
        }
    }

    boolean isOwner(Located file, Credential caller) {
        return !decides
                || !file.tree().reader().hasUnixAttributes()
                || uid(caller) == 0
                || file.file().uid() == uid(caller);
    }

    /**
     * In a sticky folder only owners remove and rename.
     *
     * @throws Refusal ACCES
     */
    void requireRemovable(Located folder, Located file, Credential caller) throws Refusal {
        require(folder, caller, WRITE | EXECUTE);
        if ((folder.file().mode() & STICKY) != 0
                && !isOwner(file, caller)
                && !isOwner(folder, caller)) {
            throw new Refusal(Status.ACCES);
        }
    }

    /** The ACCESS bits that are granted (RFC 1813, Section 3.3.4). */
    int access(Located file, Credential caller, int wanted) {
        int granted = 0;
        if (allows(file, caller, READ)) {
            granted |= Nfs3.ACCESS_READ;
        }
        if (allows(file, caller, EXECUTE)) {
            granted |= file.attributes().isDirectory() ? Nfs3.ACCESS_LOOKUP : Nfs3.ACCESS_EXECUTE;
        }
        if (!file.tree().export().readOnly() && allows(file, caller, WRITE)) {
            granted |= Nfs3.ACCESS_MODIFY | Nfs3.ACCESS_EXTEND;
            if (file.attributes().isDirectory()) {
                granted |= Nfs3.ACCESS_DELETE;
            }
        }
        return granted & wanted;
    }

    /** Gives a new file to the caller, where the process may. */
    void adopt(Tree tree, Path file, Credential caller) throws IOException {
        if (decides && tree.reader().hasUnixAttributes() && caller instanceof Credential.Sys) {
            Files.setAttribute(file, "unix:uid", uid(caller), LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(file, "unix:gid", gid(caller), LinkOption.NOFOLLOW_LINKS);
        }
    }
}
