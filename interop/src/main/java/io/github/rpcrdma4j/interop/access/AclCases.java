package io.github.rpcrdma4j.interop.access;

import static io.github.rpcrdma4j.interop.access.Caller.MEMBER;
import static io.github.rpcrdma4j.interop.access.Caller.OTHER;
import static io.github.rpcrdma4j.interop.access.Caller.OWNER;
import static io.github.rpcrdma4j.interop.access.Caller.OWNER_IN_GROUP;
import static io.github.rpcrdma4j.interop.access.Caller.ROOT;
import static io.github.rpcrdma4j.interop.access.Caller.SHARED_GID;
import static io.github.rpcrdma4j.interop.access.CaseFile.directory;
import static io.github.rpcrdma4j.interop.access.CaseFile.file;
import static io.github.rpcrdma4j.interop.access.Operation.access;
import static io.github.rpcrdma4j.interop.access.Operation.create;
import static io.github.rpcrdma4j.interop.access.Operation.createExclusive;
import static io.github.rpcrdma4j.interop.access.Operation.createGuarded;
import static io.github.rpcrdma4j.interop.access.Operation.getattr;
import static io.github.rpcrdma4j.interop.access.Operation.link;
import static io.github.rpcrdma4j.interop.access.Operation.mkdir;
import static io.github.rpcrdma4j.interop.access.Operation.mknod;
import static io.github.rpcrdma4j.interop.access.Operation.read;
import static io.github.rpcrdma4j.interop.access.Operation.readdir;
import static io.github.rpcrdma4j.interop.access.Operation.rename;
import static io.github.rpcrdma4j.interop.access.Operation.setattr;
import static io.github.rpcrdma4j.interop.access.Operation.symlink;
import static io.github.rpcrdma4j.interop.access.Operation.write;

import io.github.rpcrdma4j.nfs.FileType;
import java.util.List;

/**
 * Cases of access control lists: those of files, and the default lists of directories.
 *
 * <p>Tests: {@code OurServerAccessTest}, {@code TableTest}.
 */
record AclCases(Cases cases) {
    private static final Caller NAMED = OTHER;
    private static final Caller IN_NAMED_GROUP = Caller.of("in-named-group", 1004, 1004, 4000);
    private static final Caller STRANGER = Caller.of("stranger", 1009, 1009);
    private static final List<Caller> CALLERS =
            List.of(ROOT, OWNER, MEMBER, NAMED, IN_NAMED_GROUP, STRANGER);

    void add() {
        decide();
        change();
        inherit();
    }

    private static CaseFile listed(
            CaseFile file, String user, String group, String owners, String mask) {
        return file.with(
                "user:1003:" + user, "group:4000:" + group, "group::" + owners, "mask::" + mask);
    }

    private void decide() {
        cases.group("acl");
        var open = listed(file(0640), "rw-", "r--", "r--", "rw-");
        var masked = listed(file(0640), "rw-", "rw-", "rw-", "r--");
        var closed = listed(file(0606), "---", "---", "---", "rwx");
        for (var caller : CALLERS) {
            cases.add("access named may write", caller, access("f"), open);
            cases.add("access masked", caller, access("f"), masked);
            cases.add("access named may nothing", caller, access("f"), closed);
            cases.add("read named may nothing", caller, read("f"), closed);
            cases.add("read named may write", caller, read("f"), open);
            cases.add("write named may write", caller, write("f"), open);
            cases.add("write masked", caller, write("f"), masked);
            var directory = listed(directory(0750), "rwx", "-wx", "r-x", "rwx");
            cases.add("create in a directory", caller, create("d/n", Change.mode(0644)), directory);
            cases.add("list a directory", caller, readdir("d"), directory);
            cases.add(
                    "times now of a listed file",
                    caller,
                    setattr("f", Change.times(Change.Time.NOW, Change.Time.NOW)),
                    open);
        }
        cases.add("getattr", STRANGER, getattr("f"), open);
        cases.add("link of a listed file", NAMED, link("f", "n"), open);
        cases.add(
                "rename a listed directory",
                NAMED,
                rename("d/e", "n"),
                directory(0777),
                listed(directory("d/e", 0, 0, 0750), "rwx", "---", "---", "rwx"));
        cases.add(
                "special written",
                NAMED,
                write("f"),
                listed(file(06755), "rw-", "---", "r-x", "rwx"));
    }

    private void change() {
        cases.group("acl-chmod");
        var open = listed(file(0640), "rw-", "r--", "r--", "rw-");
        for (int mode : new int[] {0, 0600, 0640, 0660, 0777, 02750, 04777}) {
            cases.add("%04o".formatted(mode), OWNER, setattr("f", Change.mode(mode)), open);
            cases.add(
                    "%04o".formatted(mode), OWNER_IN_GROUP, setattr("f", Change.mode(mode)), open);
        }
        cases.add("0777", NAMED, setattr("f", Change.mode(0777)), open);
        cases.add("owner", ROOT, setattr("f", Change.uid(7).withGid(8)), open);
        cases.add(
                "of a directory",
                OWNER,
                setattr("d", Change.mode(0700)),
                listed(directory(0750), "rwx", "-wx", "r-x", "rwx")
                        .with("default:user::rwx", "default:group::r-x", "default:other::---"));
    }

    /**
     * Adds cases of default lists. The mode of a call limits the rights that a new file inherits;
     * the umask does not.
     */
    private void inherit() {
        cases.group("acl-default");
        var plain = new String[] {"default:user::rwx", "default:group::r-x", "default:other::---"};
        var named =
                new String[] {
                    "default:user::rwx",
                    "default:user:1003:rwx",
                    "default:group::rwx",
                    "default:group:4000:r-x",
                    "default:mask::rwx",
                    "default:other::r-x"
                };
        for (var list : List.of(plain, named)) {
            var name = list == plain ? "plain" : "named";
            var directory = directory("d", 0, 0, 0777).with(list);
            var setgid = directory("d", 0, SHARED_GID, 02777).with(list);
            for (int mode : new int[] {0, 0600, 0640, 0644, 0666, 0777, 06777}) {
                var words = "%s %04o".formatted(name, mode);
                cases.add("file " + words, STRANGER, create("d/n", Change.mode(mode)), directory);
                cases.add(
                        "directory " + words, STRANGER, mkdir("d/n", Change.mode(mode)), directory);
                cases.add(
                        "fifo " + words,
                        STRANGER,
                        mknod("d/n", FileType.FIFO, Change.mode(mode)),
                        directory);
                cases.add(
                        "file " + words, ROOT, createGuarded("d/n", Change.mode(mode)), directory);
                cases.add(
                        "file in setgid " + words,
                        STRANGER,
                        create("d/n", Change.mode(mode)),
                        setgid);
                cases.add(
                        "directory in setgid " + words,
                        STRANGER,
                        mkdir("d/n", Change.mode(mode)),
                        setgid);
            }
            cases.add("file without mode " + name, STRANGER, create("d/n", Change.NONE), directory);
            cases.add(
                    "directory without mode " + name,
                    STRANGER,
                    mkdir("d/n", Change.NONE),
                    directory);
            cases.add("exclusive " + name, STRANGER, createExclusive("d/n"), directory);
            cases.add("link " + name, STRANGER, symlink("d/n", "x", Change.NONE), directory);
            cases.add("renamed in " + name, STRANGER, rename("f", "d/n"), directory, file(0640));
        }
    }
}
