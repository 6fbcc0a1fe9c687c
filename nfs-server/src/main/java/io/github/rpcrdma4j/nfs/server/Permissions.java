package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.server.Tree.Located;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.Credential;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.OptionalInt;

/**
 * What a caller may do, by the permission bits and the user that the rule of its host makes of it.
 * It decides only where the process itself may do everything; elsewhere the operating system
 * decides by the process' rights.
 */
final class Permissions {
    static final int READ = 4;
    static final int WRITE = 2;
    static final int EXECUTE = 1;

    private static final int OWNER_SHIFT = 6;
    private static final int GROUP_SHIFT = 3;
    private static final int STICKY = 01000;
    private static final int SET_GROUP = 02000;
    private static final int SET_USER = 04000;

    private final boolean decides;

    Permissions(boolean processIsRoot) {
        this.decides = processIsRoot;
    }

    private boolean decidesFor(Located file) {
        return decides && file.tree().reader().keepsOwners();
    }

    private static int uid(Located file, Credential caller) {
        return file.rule().user(caller).uid();
    }

    private static boolean isIn(Located file, Credential caller, int group) {
        var user = file.rule().user(caller);
        return user.gid() == group || user.gids().contains(group);
    }

    /** Whether the bits, as in one digit of the mode, are granted to the caller. */
    boolean allows(Located file, Credential caller, int wanted) {
        if (!decidesFor(file)) {
            return true;
        }
        int uid = uid(file, caller);
        if (uid == 0) {
            return true;
        }
        return (granted(file, caller, uid) & wanted) == wanted;
    }

    private static int granted(Located located, Credential caller, int uid) {
        var file = located.file();
        if (file.uid() == uid) {
            return file.mode() >>> OWNER_SHIFT & 7;
        }
        return isIn(located, caller, file.gid())
                ? file.mode() >>> GROUP_SHIFT & 7
                : file.mode() & 7;
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
        return !decidesFor(file)
                || uid(file, caller) == 0
                || file.file().uid() == uid(file, caller);
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
        if (!file.rule().readOnly() && allows(file, caller, WRITE)) {
            granted |= Nfs3.ACCESS_MODIFY | Nfs3.ACCESS_EXTEND;
            if (file.attributes().isDirectory()) {
                granted |= Nfs3.ACCESS_DELETE;
            }
        }
        return granted & wanted;
    }

    /** Whether the caller may give a file of its own to this group. */
    boolean mayGiveTo(Located file, Credential caller, int group) {
        return !decidesFor(file)
                || uid(file, caller) == 0
                || file.file().gid() == group
                || isIn(file, caller, group);
    }

    /** Whether the caller may give the file to this user. */
    boolean mayGiveToUser(Located file, Credential caller, int user) {
        return !decidesFor(file) || uid(file, caller) == 0 || file.file().uid() == user;
    }

    /** The mode that a caller gets who asks for one: the group's bit only to those in the group. */
    int grantedMode(Located file, Credential caller, int mode, int group) {
        boolean trusted = !decidesFor(file) || uid(file, caller) == 0 || isIn(file, caller, group);
        return trusted || file.attributes().isDirectory() ? mode : mode & ~SET_GROUP;
    }

    /**
     * What a caller gets of the attributes that it asks for when it makes a file. An owner that it
     * may not give the file to is left out, as in Linux, and so is the bit of another's group.
     */
    SetAttributes grantedToNew(Located file, SetAttributes wanted, Credential caller) {
        boolean givesUser =
                wanted.uid().isPresent() && mayGiveToUser(file, caller, wanted.uid().getAsInt());
        boolean givesGroup =
                wanted.gid().isPresent() && mayGiveTo(file, caller, wanted.gid().getAsInt());
        int group = givesGroup ? wanted.gid().getAsInt() : file.file().gid();
        return new SetAttributes(
                wanted.mode().isPresent()
                        ? OptionalInt.of(grantedMode(file, caller, wanted.mode().getAsInt(), group))
                        : wanted.mode(),
                givesUser ? wanted.uid() : OptionalInt.empty(),
                givesGroup ? wanted.gid() : OptionalInt.empty(),
                wanted.size(),
                wanted.accessed(),
                wanted.modified());
    }

    /**
     * The mode of a file after somebody wrote to it: what runs as its owner is not changed by
     * others and then still run so. Empty if it stays.
     */
    OptionalInt modeAfterWrite(Located file, Credential caller) {
        int mode = file.file().mode();
        boolean special = (mode & (SET_USER | SET_GROUP)) != 0;
        return decidesFor(file) && special && uid(file, caller) != 0
                ? OptionalInt.of(mode & ~(SET_USER | SET_GROUP))
                : OptionalInt.empty();
    }

    /**
     * Gives a new file to the caller, where the process may; its group is that of the folder if the
     * folder says so.
     */
    void adopt(Located folder, Path file, Credential caller) throws IOException {
        if (decidesFor(folder)) {
            boolean inherits = (folder.file().mode() & SET_GROUP) != 0;
            var user = folder.rule().user(caller);
            int group = inherits ? folder.file().gid() : user.gid();
            Files.setAttribute(file, "unix:gid", group, LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(file, "unix:uid", user.uid(), LinkOption.NOFOLLOW_LINKS);
        }
    }
}
