package io.github.rpcrdma4j.interop.access;

import io.github.rpcrdma4j.interop.access.Change.Time;
import io.github.rpcrdma4j.interop.access.Item.Kind;
import io.github.rpcrdma4j.nfs.v3.FileType;
import java.util.List;

/** CREATE, MKDIR, SYMLINK and MKNOD. */
final class CreationCases {
    private static final Item ROOTS = Item.folder("d", 0, 0, 0777);
    private static final Item SETGID = Item.folder("d", 0, Caller.SHARED_GID, 02777);

    private final Cases cases;

    private CreationCases(Cases cases) {
        this.cases = cases;
    }

    static void add(Cases cases) {
        var creation = new CreationCases(cases);
        creation.files();
        creation.filesElsewhere();
        creation.fileAttributes();
        creation.existing();
        creation.existingElsewhere();
        creation.existingOfOtherTypes();
        creation.folders();
        creation.inherited();
        creation.links();
        creation.nodes();
        creation.names();
    }

    private void files() {
        cases.group("create");
        for (int mode : new int[] {0, 0644, 0666, 0777, 01777, 02755, 02745, 04755, 06777, 07777}) {
            var name = "%04o".formatted(mode);
            var change = Change.mode(mode);
            cases.add(name, Caller.ROOT, Operation.create("d/n", change), ROOTS);
            cases.add(name, Caller.OTHER, Operation.create("d/n", change), ROOTS);
            cases.add(name, Exported.SQUASHED, Caller.ROOT, Operation.create("d/n", change), ROOTS);
            cases.add(
                    "guarded " + name, Caller.OTHER, Operation.createGuarded("d/n", change), ROOTS);
        }
        for (var caller : List.of(Caller.ROOT, Caller.OTHER)) {
            cases.add("without mode", caller, Operation.create("d/n", Change.NONE), ROOTS);
            cases.add(
                    "guarded without mode",
                    caller,
                    Operation.createGuarded("d/n", Change.NONE),
                    ROOTS);
            cases.add("exclusive", caller, Operation.createExclusive("d/n"), ROOTS);
            cases.add(
                    "exclusive in a setgid folder",
                    caller,
                    Operation.createExclusive("d/n"),
                    SETGID);
        }
        for (int mode : new int[] {0755, 0733, 0722, 0775, 0757, 01755}) {
            cases.addForAll(
                    "in %04o".formatted(mode),
                    Operation.create("d/n", Change.mode(0644)),
                    Item.folder(mode));
        }
    }

    private void filesElsewhere() {
        cases.add(
                "exclusive in 0755",
                Caller.OTHER,
                Operation.createExclusive("d/n"),
                Item.folder(0755));
        cases.add(
                "in 0777",
                Exported.FIXED,
                Caller.OTHER,
                Operation.create("d/n", Change.mode(0644)),
                ROOTS);
        cases.add(
                "in 0777",
                Exported.FIXED,
                Caller.ROOT,
                Operation.create("d/n", Change.mode(0644)),
                ROOTS);
        cases.add(
                "in 0777",
                Exported.ALL_SQUASHED,
                Caller.ROOT,
                Operation.create("d/n", Change.mode(06777)),
                ROOTS);
        cases.add(
                "in 0777",
                Exported.ALL_SQUASHED,
                Caller.OWNER,
                Operation.create("d/n", Change.mode(0644)),
                ROOTS);
        cases.add("in 0777", Caller.NAMELESS, Operation.create("d/n", Change.mode(06777)), ROOTS);
        cases.add(
                "in a file",
                Caller.OTHER,
                Operation.create("f/n", Change.mode(0644)),
                Item.file(0777));
        cases.add(
                "in a link",
                Caller.OTHER,
                Operation.create("l/n", Change.mode(0644)),
                Item.link("d"),
                ROOTS);
    }

    private void fileAttributes() {
        cases.group("create-with");
        for (int id : new int[] {0, 1003, 65534, -2, -1}) {
            var name = Integer.toUnsignedString(id);
            for (var caller : List.of(Caller.ROOT, Caller.OTHER)) {
                cases.add(
                        "uid " + name,
                        caller,
                        Operation.create("d/n", Change.mode(06755).withUid(id)),
                        ROOTS);
                cases.add(
                        "gid " + name,
                        caller,
                        Operation.create("d/n", Change.mode(06755).withGid(id)),
                        ROOTS);
                cases.add(
                        "folder uid " + name,
                        caller,
                        Operation.mkdir("d/n", Change.mode(07755).withUid(id)),
                        ROOTS);
                cases.add(
                        "folder gid " + name,
                        caller,
                        Operation.mkdir("d/n", Change.mode(07755).withGid(id)),
                        ROOTS);
            }
        }
        var member = Caller.of("other-in-3000", 1003, 1003, 3000);
        cases.add(
                "gid 3000",
                member,
                Operation.create("d/n", Change.mode(02755).withGid(3000)),
                ROOTS);
        cases.add(
                "size",
                Caller.OTHER,
                Operation.create("d/n", Change.mode(06777).withSize(5)),
                ROOTS);
        cases.add(
                "size, not to be written",
                Caller.OTHER,
                Operation.create("d/n", Change.mode(0444).withSize(5)),
                ROOTS);
        cases.add(
                "given times",
                Caller.OTHER,
                Operation.create("d/n", Change.mode(0644).withTimes(Time.TO_GIVEN, Time.TO_GIVEN)),
                ROOTS);
        cases.add(
                "times now",
                Caller.OTHER,
                Operation.create("d/n", Change.mode(0444).withTimes(Time.NOW, Time.NOW)),
                ROOTS);
        cases.add(
                "folder given times",
                Caller.OTHER,
                Operation.mkdir("d/n", Change.mode(0755).withTimes(Time.TO_GIVEN, Time.TO_GIVEN)),
                ROOTS);
    }

    private void existing() {
        cases.group("create-existing");
        for (int mode : new int[] {0666, 0444, 0600, 0}) {
            var name = " %04o".formatted(mode);
            for (var caller : List.of(Caller.ROOT, Caller.OWNER, Caller.OTHER)) {
                cases.add(
                        "to size 0" + name,
                        caller,
                        Operation.create("f", Change.size(0)),
                        Item.file(mode));
                cases.add(
                        "with mode" + name,
                        caller,
                        Operation.create("f", Change.mode(0640)),
                        Item.file(mode));
                cases.add(
                        "with mode and size" + name,
                        caller,
                        Operation.create("f", Change.mode(0640).withSize(0)),
                        Item.file(mode));
            }
            cases.add(
                    "guarded" + name,
                    Caller.OWNER,
                    Operation.createGuarded("f", Change.size(0)),
                    Item.file(mode));
        }
    }

    private void existingElsewhere() {
        cases.add(
                "in a folder that is not to be written",
                Caller.OTHER,
                Operation.create("d/f", Change.size(0)),
                Item.folder(0755),
                Item.file("d/f", 0666));
        cases.add(
                "guarded in a folder that is not to be written",
                Caller.OTHER,
                Operation.createGuarded("d/f", Change.size(0)),
                Item.folder(0755),
                Item.file("d/f", 0666));
        cases.add(
                "in a closed folder",
                Caller.OTHER,
                Operation.create("d/f", Change.size(0)),
                Item.folder(0700),
                Item.file("d/f", 0666));
        cases.add("exclusive", Caller.OWNER, Operation.createExclusive("f"), Item.file(0666));
        cases.add("exclusive", Caller.OTHER, Operation.createExclusive("f"), Item.file(0666));
        cases.add(
                "in a sticky folder",
                Caller.OTHER,
                Operation.create("d/f", Change.size(0)),
                Item.folder("d", 0, 0, 01777),
                Item.file("d/f", 0666));
        cases.add(
                "owner and size",
                Caller.OTHER,
                Operation.create("f", Change.uid(1003).withSize(0)),
                Item.file(0666));
        cases.add(
                "times",
                Caller.OTHER,
                Operation.create("f", Change.times(Time.NOW, Time.NOW)),
                Item.file(0666));
    }

    private void existingOfOtherTypes() {
        for (var caller : List.of(Caller.ROOT, Caller.OWNER)) {
            cases.add("folder", caller, Operation.create("d", Change.size(0)), Item.folder(0777));
            cases.add(
                    "folder guarded",
                    caller,
                    Operation.createGuarded("d", Change.mode(0644)),
                    Item.folder(0777));
            cases.add(
                    "link",
                    caller,
                    Operation.create("l", Change.size(0)),
                    Item.link("f"),
                    Item.file(0666));
            cases.add(
                    "link to nothing",
                    caller,
                    Operation.create("l", Change.mode(0644)),
                    Item.link("n"));
            cases.add(
                    "device",
                    caller,
                    Operation.create("s", Change.size(0)),
                    Item.of(Kind.CHARACTER, "s", 1000, 0, 0666));
            cases.add(
                    "with mode",
                    Exported.FIXED,
                    caller,
                    Operation.create("f", Change.mode(0640)),
                    Item.file(0666));
        }
    }

    private void folders() {
        cases.group("mkdir");
        for (int mode : new int[] {0, 0755, 0777, 01777, 02755, 04755, 06777, 07777}) {
            var name = "%04o".formatted(mode);
            var operation = Operation.mkdir("d/n", Change.mode(mode));
            cases.add(name, Caller.ROOT, operation, ROOTS);
            cases.add(name, Caller.OTHER, operation, ROOTS);
            cases.add(name, Exported.SQUASHED, Caller.ROOT, operation, ROOTS);
        }
        cases.add("without mode", Caller.OTHER, Operation.mkdir("d/n", Change.NONE), ROOTS);
        for (int mode : new int[] {0755, 0733, 0722}) {
            cases.addForAll(
                    "in %04o".formatted(mode),
                    Operation.mkdir("d/n", Change.mode(0755)),
                    Item.folder(mode));
        }
        cases.add(
                "existing", Caller.OTHER, Operation.mkdir("f", Change.mode(0755)), Item.file(0666));
        cases.add(
                "existing folder",
                Caller.OTHER,
                Operation.mkdir("d", Change.mode(0755)),
                Item.folder(0777));
        cases.add(
                "existing in 0755",
                Caller.OTHER,
                Operation.mkdir("d/f", Change.mode(0755)),
                Item.folder(0755),
                Item.file("d/f", 0));
        cases.add(
                "in 0777",
                Exported.FIXED,
                Caller.OTHER,
                Operation.mkdir("d/n", Change.mode(0755)),
                ROOTS);
        cases.add(
                "in 0777",
                Exported.ALL_SQUASHED,
                Caller.ROOT,
                Operation.mkdir("d/n", Change.mode(0755)),
                ROOTS);
    }

    /** The group of setgid folders, and who keeps the bit. */
    private void inherited() {
        cases.group("setgid-folder");
        var owners = Item.folder("d", 1000, Caller.SHARED_GID, 02775);
        for (int mode : new int[] {0644, 0755, 02755, 02745, 06777, 07777}) {
            var name = "%04o".formatted(mode);
            for (var caller : List.of(Caller.ROOT, Caller.MEMBER, Caller.SIXTEENTH, Caller.OTHER)) {
                cases.add(
                        "file " + name, caller, Operation.create("d/n", Change.mode(mode)), SETGID);
                cases.add(
                        "folder " + name,
                        caller,
                        Operation.mkdir("d/n", Change.mode(mode)),
                        SETGID);
            }
            cases.add(
                    "owner's file " + name,
                    Caller.OWNER,
                    Operation.create("d/n", Change.mode(mode)),
                    owners);
            cases.add(
                    "owner's folder " + name,
                    Caller.OWNER,
                    Operation.mkdir("d/n", Change.mode(mode)),
                    owners);
            cases.add(
                    "file " + name,
                    Exported.SQUASHED,
                    Caller.ROOT,
                    Operation.create("d/n", Change.mode(mode)),
                    SETGID);
        }
        cases.add(
                "folder without mode", Caller.MEMBER, Operation.mkdir("d/n", Change.NONE), SETGID);
        cases.add("link", Caller.OTHER, Operation.symlink("d/n", "f", Change.NONE), SETGID);
        cases.add(
                "fifo",
                Caller.OTHER,
                Operation.mknod("d/n", FileType.FIFO, Change.mode(02755)),
                SETGID);
        cases.add(
                "file of another group",
                Caller.ROOT,
                Operation.create("d/n", Change.mode(0644).withGid(7)),
                SETGID);
        cases.add(
                "file of the own group",
                Caller.OTHER,
                Operation.create("d/n", Change.mode(02755).withGid(1003)),
                SETGID);
    }

    private void links() {
        cases.group("symlink");
        cases.addForAll(
                "in 0755", Operation.symlink("d/n", "some/where", Change.NONE), Item.folder(0755));
        cases.addForAll(
                "in 0777", Operation.symlink("d/n", "some/where", Change.mode(0600)), ROOTS);
        cases.add("owner", Caller.OTHER, Operation.symlink("d/n", "x", Change.uid(0)), ROOTS);
        cases.add(
                "owner",
                Caller.ROOT,
                Operation.symlink("d/n", "x", Change.uid(1003).withGid(7)),
                ROOTS);
        cases.add(
                "given times",
                Caller.OTHER,
                Operation.symlink("d/n", "x", Change.times(Time.TO_GIVEN, Time.TO_GIVEN)),
                ROOTS);
        cases.add(
                "existing",
                Caller.OTHER,
                Operation.symlink("f", "x", Change.NONE),
                Item.file(0666));
        cases.add("empty", Caller.OTHER, Operation.symlink("d/n", "", Change.NONE), ROOTS);
        cases.add("slashes", Caller.OTHER, Operation.symlink("d/n", "x//y/", Change.NONE), ROOTS);
        cases.add(
                "4095 bytes",
                Caller.OTHER,
                Operation.symlink("d/n", "t".repeat(4095), Change.NONE),
                ROOTS);
        cases.add(
                "4096 bytes",
                Caller.OTHER,
                Operation.symlink("d/n", "t".repeat(4096), Change.NONE),
                ROOTS);
        cases.add(
                "in 0777",
                Exported.FIXED,
                Caller.OTHER,
                Operation.symlink("d/n", "x", Change.NONE),
                ROOTS);
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
                var operation = Operation.mknod("d/n", type, Change.mode(mode));
                cases.add(name, Caller.ROOT, operation, ROOTS);
                cases.add(name, Caller.OTHER, operation, ROOTS);
                cases.add(name, Exported.SQUASHED, Caller.ROOT, operation, ROOTS);
            }
            cases.add(
                    type + " in 0755",
                    Caller.OTHER,
                    Operation.mknod("d/n", type, Change.mode(0644)),
                    Item.folder(0755));
            cases.add(
                    type + " existing",
                    Caller.ROOT,
                    Operation.mknod("f", type, Change.mode(0644)),
                    Item.file(0666));
            cases.add(
                    type + " uid",
                    Caller.OTHER,
                    Operation.mknod("d/n", type, Change.mode(0644).withUid(0)),
                    ROOTS);
            cases.add(
                    type + " in 0777",
                    Exported.FIXED,
                    Caller.ROOT,
                    Operation.mknod("d/n", type, Change.mode(0644)),
                    ROOTS);
        }
        for (var caller : List.of(Caller.ROOT, Caller.OTHER)) {
            for (var type : List.of(FileType.CHARACTER_DEVICE, FileType.BLOCK_DEVICE)) {
                cases.add(
                        type + " 0:0",
                        caller,
                        Operation.mknod("d/n", type, 0, Change.mode(0644)),
                        ROOTS);
                cases.add(
                        type + " 4095:1048575",
                        caller,
                        Operation.mknod("d/n", type, 4095L << 32 | 1048575, Change.mode(0644)),
                        ROOTS);
                cases.add(
                        type + " 4096:0",
                        caller,
                        Operation.mknod("d/n", type, 4096L << 32, Change.mode(0644)),
                        ROOTS);
            }
            for (var type : List.of(FileType.REGULAR, FileType.DIRECTORY, FileType.SYMBOLIC_LINK)) {
                cases.add(
                        type.toString(), caller, Operation.mknod("d/n", type, Change.NONE), ROOTS);
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
            cases.add("create " + words, Caller.OTHER, Operation.create("d", name), ROOTS);
        }
    }
}
