package io.github.rpcrdma4j.interop.access;

import static io.github.rpcrdma4j.interop.access.Caller.MEMBER;
import static io.github.rpcrdma4j.interop.access.Caller.NAMELESS;
import static io.github.rpcrdma4j.interop.access.Caller.OTHER;
import static io.github.rpcrdma4j.interop.access.Caller.OWNER;
import static io.github.rpcrdma4j.interop.access.Caller.ROOT;
import static io.github.rpcrdma4j.interop.access.Caller.SHARED_GID;
import static io.github.rpcrdma4j.interop.access.Caller.SIXTEENTH;
import static io.github.rpcrdma4j.interop.access.CaseFile.directory;
import static io.github.rpcrdma4j.interop.access.CaseFile.file;
import static io.github.rpcrdma4j.interop.access.CaseFile.link;
import static io.github.rpcrdma4j.interop.access.Exported.ALL_SQUASHED;
import static io.github.rpcrdma4j.interop.access.Exported.READ_ONLY;
import static io.github.rpcrdma4j.interop.access.Exported.SQUASHED;
import static io.github.rpcrdma4j.interop.access.Operation.create;
import static io.github.rpcrdma4j.interop.access.Operation.createExclusive;
import static io.github.rpcrdma4j.interop.access.Operation.createGuarded;
import static io.github.rpcrdma4j.interop.access.Operation.mkdir;
import static io.github.rpcrdma4j.interop.access.Operation.mknod;
import static io.github.rpcrdma4j.interop.access.Operation.symlink;

import io.github.rpcrdma4j.interop.access.CaseFile.Kind;
import io.github.rpcrdma4j.interop.access.Change.Time;
import io.github.rpcrdma4j.nfs.FileType;
import java.util.List;

/**
 * Cases of CREATE, MKDIR, SYMLINK and MKNOD.
 *
 * <p>Tests: {@code OurServerAccessTest}, {@code TableTest}.
 */
record CreationCases(Cases cases) {
    private static final CaseFile ROOTS = directory("d", 0, 0, 0777);
    private static final CaseFile SETGID = directory("d", 0, SHARED_GID, 02777);

    void add() {
        files();
        filesElsewhere();
        fileAttributes();
        existing();
        existingElsewhere();
        existingOfOtherTypes();
        directories();
        inherited();
        links();
        nodes();
        names();
    }

    private void files() {
        cases.group("create");
        for (int mode : new int[] {0, 0644, 0666, 0777, 01777, 02755, 02745, 04755, 06777, 07777}) {
            var name = "%04o".formatted(mode);
            var change = Change.mode(mode);
            cases.add(name, ROOT, create("d/n", change), ROOTS);
            cases.add(name, OTHER, create("d/n", change), ROOTS);
            cases.add(name, SQUASHED, ROOT, create("d/n", change), ROOTS);
            cases.add("guarded " + name, OTHER, createGuarded("d/n", change), ROOTS);
        }
        for (var caller : List.of(ROOT, OTHER)) {
            cases.add("without mode", caller, create("d/n", Change.NONE), ROOTS);
            cases.add("guarded without mode", caller, createGuarded("d/n", Change.NONE), ROOTS);
            cases.add("exclusive", caller, createExclusive("d/n"), ROOTS);
            cases.add("exclusive in a setgid directory", caller, createExclusive("d/n"), SETGID);
        }
        for (int mode : new int[] {0755, 0733, 0722, 0775, 0757, 01755}) {
            cases.addForAll(
                    "in %04o".formatted(mode), create("d/n", Change.mode(0644)), directory(mode));
        }
    }

    private void filesElsewhere() {
        cases.add("exclusive in 0755", OTHER, createExclusive("d/n"), directory(0755));
        cases.add("in 0777", READ_ONLY, OTHER, create("d/n", Change.mode(0644)), ROOTS);
        cases.add("in 0777", READ_ONLY, ROOT, create("d/n", Change.mode(0644)), ROOTS);
        cases.add("in 0777", ALL_SQUASHED, ROOT, create("d/n", Change.mode(06777)), ROOTS);
        cases.add("in 0777", ALL_SQUASHED, OWNER, create("d/n", Change.mode(0644)), ROOTS);
        cases.add("in 0777", NAMELESS, create("d/n", Change.mode(06777)), ROOTS);
        cases.add("in a file", OTHER, create("f/n", Change.mode(0644)), file(0777));
        cases.add("in a link", OTHER, create("l/n", Change.mode(0644)), link("d"), ROOTS);
    }

    private void fileAttributes() {
        cases.group("create-with");
        for (int id : new int[] {0, 1003, 65534, -2, -1}) {
            var name = Integer.toUnsignedString(id);
            for (var caller : List.of(ROOT, OTHER)) {
                cases.add(
                        "uid " + name,
                        caller,
                        create("d/n", Change.mode(06755).withUid(id)),
                        ROOTS);
                cases.add(
                        "gid " + name,
                        caller,
                        create("d/n", Change.mode(06755).withGid(id)),
                        ROOTS);
                cases.add(
                        "directory uid " + name,
                        caller,
                        mkdir("d/n", Change.mode(07755).withUid(id)),
                        ROOTS);
                cases.add(
                        "directory gid " + name,
                        caller,
                        mkdir("d/n", Change.mode(07755).withGid(id)),
                        ROOTS);
            }
        }
        var member = Caller.of("other-in-3000", 1003, 1003, 3000);
        cases.add("gid 3000", member, create("d/n", Change.mode(02755).withGid(3000)), ROOTS);
        cases.add("size", OTHER, create("d/n", Change.mode(06777).withSize(5)), ROOTS);
        cases.add(
                "size, not to be written",
                OTHER,
                create("d/n", Change.mode(0444).withSize(5)),
                ROOTS);
        cases.add(
                "given times",
                OTHER,
                create("d/n", Change.mode(0644).withTimes(Time.TO_GIVEN, Time.TO_GIVEN)),
                ROOTS);
        cases.add(
                "times now",
                OTHER,
                create("d/n", Change.mode(0444).withTimes(Time.NOW, Time.NOW)),
                ROOTS);
        cases.add(
                "directory given times",
                OTHER,
                mkdir("d/n", Change.mode(0755).withTimes(Time.TO_GIVEN, Time.TO_GIVEN)),
                ROOTS);
    }

    private void existing() {
        cases.group("create-existing");
        for (int mode : new int[] {0666, 0444, 0600, 0}) {
            var name = " %04o".formatted(mode);
            for (var caller : List.of(ROOT, OWNER, OTHER)) {
                cases.add("to size 0" + name, caller, create("f", Change.size(0)), file(mode));
                cases.add("with mode" + name, caller, create("f", Change.mode(0640)), file(mode));
                cases.add(
                        "with mode and size" + name,
                        caller,
                        create("f", Change.mode(0640).withSize(0)),
                        file(mode));
            }
            cases.add("guarded" + name, OWNER, createGuarded("f", Change.size(0)), file(mode));
        }
    }

    private void existingElsewhere() {
        cases.add(
                "in a directory that is not to be written",
                OTHER,
                create("d/f", Change.size(0)),
                directory(0755),
                file("d/f", 0666));
        cases.add(
                "guarded in a directory that is not to be written",
                OTHER,
                createGuarded("d/f", Change.size(0)),
                directory(0755),
                file("d/f", 0666));
        cases.add(
                "in a closed directory",
                OTHER,
                create("d/f", Change.size(0)),
                directory(0700),
                file("d/f", 0666));
        cases.add("exclusive", OWNER, createExclusive("f"), file(0666));
        cases.add("exclusive", OTHER, createExclusive("f"), file(0666));
        cases.add(
                "in a sticky directory",
                OTHER,
                create("d/f", Change.size(0)),
                directory("d", 0, 0, 01777),
                file("d/f", 0666));
        cases.add("owner and size", OTHER, create("f", Change.uid(1003).withSize(0)), file(0666));
        cases.add("times", OTHER, create("f", Change.times(Time.NOW, Time.NOW)), file(0666));
    }

    private void existingOfOtherTypes() {
        for (var caller : List.of(ROOT, OWNER)) {
            cases.add("directory", caller, create("d", Change.size(0)), directory(0777));
            cases.add(
                    "directory guarded",
                    caller,
                    createGuarded("d", Change.mode(0644)),
                    directory(0777));
            cases.add("link", caller, create("l", Change.size(0)), link("f"), file(0666));
            cases.add("link to nothing", caller, create("l", Change.mode(0644)), link("n"));
            cases.add(
                    "device",
                    caller,
                    create("s", Change.size(0)),
                    CaseFile.of(Kind.CHARACTER, "s", 1000, 0, 0666));
            cases.add("with mode", READ_ONLY, caller, create("f", Change.mode(0640)), file(0666));
        }
    }

    private void directories() {
        cases.group("mkdir");
        for (int mode : new int[] {0, 0755, 0777, 01777, 02755, 04755, 06777, 07777}) {
            var name = "%04o".formatted(mode);
            var operation = mkdir("d/n", Change.mode(mode));
            cases.add(name, ROOT, operation, ROOTS);
            cases.add(name, OTHER, operation, ROOTS);
            cases.add(name, SQUASHED, ROOT, operation, ROOTS);
        }
        cases.add("without mode", OTHER, mkdir("d/n", Change.NONE), ROOTS);
        for (int mode : new int[] {0755, 0733, 0722}) {
            cases.addForAll(
                    "in %04o".formatted(mode), mkdir("d/n", Change.mode(0755)), directory(mode));
        }
        cases.add("existing", OTHER, mkdir("f", Change.mode(0755)), file(0666));
        cases.add("existing directory", OTHER, mkdir("d", Change.mode(0755)), directory(0777));
        cases.add(
                "existing in 0755",
                OTHER,
                mkdir("d/f", Change.mode(0755)),
                directory(0755),
                file("d/f", 0));
        cases.add("in 0777", READ_ONLY, OTHER, mkdir("d/n", Change.mode(0755)), ROOTS);
        cases.add("in 0777", ALL_SQUASHED, ROOT, mkdir("d/n", Change.mode(0755)), ROOTS);
    }

    /**
     * Adds cases of setgid directories: the group of a new file, and who may keep its setgid bit.
     */
    private void inherited() {
        cases.group("setgid-directory");
        var owners = directory("d", 1000, SHARED_GID, 02775);
        for (int mode : new int[] {0644, 0755, 02755, 02745, 06777, 07777}) {
            var name = "%04o".formatted(mode);
            for (var caller : List.of(ROOT, MEMBER, SIXTEENTH, OTHER)) {
                cases.add("file " + name, caller, create("d/n", Change.mode(mode)), SETGID);
                cases.add("directory " + name, caller, mkdir("d/n", Change.mode(mode)), SETGID);
            }
            cases.add("owner's file " + name, OWNER, create("d/n", Change.mode(mode)), owners);
            cases.add("owner's directory " + name, OWNER, mkdir("d/n", Change.mode(mode)), owners);
            cases.add("file " + name, SQUASHED, ROOT, create("d/n", Change.mode(mode)), SETGID);
        }
        cases.add("directory without mode", MEMBER, mkdir("d/n", Change.NONE), SETGID);
        cases.add("link", OTHER, symlink("d/n", "f", Change.NONE), SETGID);
        cases.add("fifo", OTHER, mknod("d/n", FileType.FIFO, Change.mode(02755)), SETGID);
        cases.add(
                "file of another group", ROOT, create("d/n", Change.mode(0644).withGid(7)), SETGID);
        cases.add(
                "file of the own group",
                OTHER,
                create("d/n", Change.mode(02755).withGid(1003)),
                SETGID);
    }

    private void links() {
        cases.group("symlink");
        cases.addForAll("in 0755", symlink("d/n", "some/where", Change.NONE), directory(0755));
        cases.addForAll("in 0777", symlink("d/n", "some/where", Change.mode(0600)), ROOTS);
        cases.add("owner", OTHER, symlink("d/n", "x", Change.uid(0)), ROOTS);
        cases.add("owner", ROOT, symlink("d/n", "x", Change.uid(1003).withGid(7)), ROOTS);
        cases.add(
                "given times",
                OTHER,
                symlink("d/n", "x", Change.times(Time.TO_GIVEN, Time.TO_GIVEN)),
                ROOTS);
        cases.add("existing", OTHER, symlink("f", "x", Change.NONE), file(0666));
        cases.add("empty", OTHER, symlink("d/n", "", Change.NONE), ROOTS);
        cases.add("slashes", OTHER, symlink("d/n", "x//y/", Change.NONE), ROOTS);
        cases.add("4095 bytes", OTHER, symlink("d/n", "t".repeat(4095), Change.NONE), ROOTS);
        cases.add("4096 bytes", OTHER, symlink("d/n", "t".repeat(4096), Change.NONE), ROOTS);
        cases.add("in 0777", READ_ONLY, OTHER, symlink("d/n", "x", Change.NONE), ROOTS);
    }

    private void nodes() {
        cases.group("mknod");
        var types =
                List.of(
                        FileType.FIFO,
                        FileType.SOCKET,
                        FileType.CHARACTER_DEVICE,
                        FileType.BLOCK_DEVICE);
        for (var type : types) {
            for (int mode : new int[] {0644, 06777}) {
                var name = "%s %04o".formatted(type, mode);
                var operation = mknod("d/n", type, Change.mode(mode));
                cases.add(name, ROOT, operation, ROOTS);
                cases.add(name, OTHER, operation, ROOTS);
                cases.add(name, SQUASHED, ROOT, operation, ROOTS);
            }
            cases.add(
                    type + " in 0755",
                    OTHER,
                    mknod("d/n", type, Change.mode(0644)),
                    directory(0755));
            cases.add(type + " existing", ROOT, mknod("f", type, Change.mode(0644)), file(0666));
            cases.add(
                    type + " uid", OTHER, mknod("d/n", type, Change.mode(0644).withUid(0)), ROOTS);
            cases.add(
                    type + " in 0777",
                    READ_ONLY,
                    ROOT,
                    mknod("d/n", type, Change.mode(0644)),
                    ROOTS);
        }
        for (var caller : List.of(ROOT, OTHER)) {
            for (var type : List.of(FileType.CHARACTER_DEVICE, FileType.BLOCK_DEVICE)) {
                cases.add(type + " 0:0", caller, mknod("d/n", type, 0, Change.mode(0644)), ROOTS);
                cases.add(
                        type + " 4095:1048575",
                        caller,
                        mknod("d/n", type, 4095L << 32 | 1048575, Change.mode(0644)),
                        ROOTS);
                cases.add(
                        type + " 4096:0",
                        caller,
                        mknod("d/n", type, 4096L << 32, Change.mode(0644)),
                        ROOTS);
            }
            for (var type : List.of(FileType.REGULAR, FileType.DIRECTORY, FileType.SYMBOLIC_LINK)) {
                cases.add(type.toString(), caller, mknod("d/n", type, Change.NONE), ROOTS);
            }
        }
    }

    private void names() {
        cases.group("names");
        for (var name : List.of(".", "..", "", "a/b", "n".repeat(255), "n".repeat(256))) {
            var words =
                    name.length() > 5
                            ? name.length() + " bytes"
                            : "'" + name.replace('/', '+') + "'";
            cases.add("create " + words, OTHER, create("d", name), ROOTS);
        }
    }
}
