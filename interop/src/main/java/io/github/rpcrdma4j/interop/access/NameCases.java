package io.github.rpcrdma4j.interop.access;

import io.github.rpcrdma4j.interop.access.Item.Kind;
import java.util.List;

/** REMOVE, RMDIR, RENAME and LINK. */
final class NameCases {
    private static final List<Caller> CALLERS =
            List.of(Caller.ROOT, Caller.OWNER, Caller.MEMBER, Caller.OTHER);

    private final Cases cases;

    private NameCases(Cases cases) {
        this.cases = cases;
    }

    static void add(Cases cases) {
        var names = new NameCases(cases);
        names.remove();
        names.rmdir();
        names.renameFiles();
        names.renameFolders();
        names.renameOver();
        names.link();
        names.linkElsewhere();
    }

    private static Item roots(String path, int mode) {
        return Item.folder(path, 0, 0, mode);
    }

    private void remove() {
        cases.group("remove");
        for (int mode : new int[] {0755, 0733, 0722, 0777, 01777, 0775, 01775}) {
            cases.addForAll(
                    "in %04o".formatted(mode),
                    Operation.remove("d/f"),
                    Item.folder(mode),
                    Item.file("d/f", 0, 0, 0));
        }
        for (var caller : CALLERS) {
            cases.add(
                    "own in a sticky folder",
                    caller,
                    Operation.remove("d/f"),
                    roots("d", 01777),
                    Item.file("d/f", 0));
            cases.add("missing in 0755", caller, Operation.remove("d/n"), Item.folder(0755));
        }
        cases.add(
                "own in a sticky folder",
                Exported.SQUASHED,
                Caller.ROOT,
                Operation.remove("d/f"),
                roots("d", 01777),
                Item.file("d/f", 0, 0, 0));
        cases.add(
                "of the squashed in a sticky folder",
                Exported.SQUASHED,
                Caller.ROOT,
                Operation.remove("d/f"),
                roots("d", 01777),
                Item.file("d/f", 65534, 65534, 0));
        cases.add("folder", Caller.OWNER, Operation.remove("d"), Item.folder(0777));
        cases.add("folder", Caller.ROOT, Operation.remove("d"), Item.folder(0777));
        cases.add("link", Caller.OTHER, Operation.remove("l"), Item.link("f"), Item.file(0));
        cases.add("fifo", Caller.OTHER, Operation.remove("s"), Item.of(Kind.FIFO, "s", 0, 0, 0));
        cases.add("device", Caller.OTHER, Operation.remove("s"), Item.of(Kind.BLOCK, "s", 0, 0, 0));
        cases.add(
                "one of two names",
                Caller.OTHER,
                Operation.remove("f"),
                Item.file(0),
                Item.hardLink("g", "f"));
        cases.add("in 0777", Exported.FIXED, Caller.ROOT, Operation.remove("f"), Item.file(0));
        cases.add(
                "in 0777", Exported.ALL_SQUASHED, Caller.ROOT, Operation.remove("f"), Item.file(0));
        cases.add("itself", Caller.OWNER, Operation.remove("d/."), Item.folder(0777));
        cases.add("above", Caller.OWNER, Operation.remove("d/.."), Item.folder(0777));
    }

    private void rmdir() {
        cases.group("rmdir");
        for (int mode : new int[] {0755, 0777, 01777}) {
            cases.addForAll(
                    "in %04o".formatted(mode),
                    Operation.rmdir("d/e"),
                    Item.folder(mode),
                    roots("d/e", 0));
        }
        for (var caller : CALLERS) {
            cases.add(
                    "own in a sticky folder",
                    caller,
                    Operation.rmdir("d/e"),
                    roots("d", 01777),
                    Item.folder("d/e", 0));
        }
        cases.add(
                "not empty",
                Caller.OWNER,
                Operation.rmdir("d"),
                Item.folder(0777),
                Item.file("d/f", 0));
        cases.add(
                "not empty",
                Caller.OTHER,
                Operation.rmdir("d/e"),
                Item.folder(0755),
                Item.folder("d/e", 0777),
                Item.file("d/e/f", 0));
        cases.add("file", Caller.OWNER, Operation.rmdir("f"), Item.file(0));
        cases.add("link", Caller.OWNER, Operation.rmdir("l"), Item.link("d"), Item.folder(0777));
        cases.add("missing", Caller.OWNER, Operation.rmdir("n"));
        cases.add("itself", Caller.OWNER, Operation.rmdir("d/."), Item.folder(0777));
        cases.add("above", Caller.OWNER, Operation.rmdir("d/.."), Item.folder(0777));
        cases.add("in 0777", Exported.FIXED, Caller.ROOT, Operation.rmdir("d"), Item.folder(0777));
    }

    private void renameFiles() {
        cases.group("rename-file");
        for (int mode : new int[] {0755, 0777, 01777, 0775}) {
            cases.addForAll(
                    "in %04o".formatted(mode),
                    Operation.rename("d/f", "d/n"),
                    Item.folder(mode),
                    Item.file("d/f", 0, 0, 0));
        }
        for (var caller : CALLERS) {
            cases.add(
                    "from 0755 to 0777",
                    caller,
                    Operation.rename("d/f", "e/f"),
                    Item.folder("d", 0755),
                    Item.folder("e", 0777),
                    Item.file("d/f", 0));
            cases.add(
                    "from 0777 to 0755",
                    caller,
                    Operation.rename("d/f", "e/f"),
                    Item.folder("d", 0777),
                    Item.folder("e", 0755),
                    Item.file("d/f", 0));
            cases.add(
                    "own from a sticky folder",
                    caller,
                    Operation.rename("d/f", "e/f"),
                    roots("d", 01777),
                    Item.folder("e", 0777),
                    Item.file("d/f", 0));
            cases.add(
                    "to a sticky folder",
                    caller,
                    Operation.rename("d/f", "e/f"),
                    roots("e", 01777),
                    Item.folder("d", 0777),
                    Item.file("d/f", 0, 0, 0));
        }
        cases.add("itself", Caller.OWNER, Operation.rename("f", "f"), Item.file(0));
        cases.add(
                "other name of itself",
                Caller.OWNER,
                Operation.rename("f", "g"),
                Item.file(0),
                Item.hardLink("g", "f"));
        cases.add("missing", Caller.OWNER, Operation.rename("f", "g"));
        cases.add("file", Exported.FIXED, Caller.ROOT, Operation.rename("f", "g"), Item.file(0));
        cases.add(
                "file",
                Exported.ALL_SQUASHED,
                Caller.ROOT,
                Operation.rename("d/f", "d/g"),
                Item.folder(0700),
                Item.file("d/f", 0));
        cases.add("link", Caller.OTHER, Operation.rename("l", "n"), Item.link("f"), Item.file(0));
        cases.add(
                "device",
                Caller.OTHER,
                Operation.rename("s", "n"),
                Item.of(Kind.CHARACTER, "s", 0, 0, 0));
        cases.add("from itself", Caller.OWNER, Operation.rename("d/.", "n"), Item.folder(0777));
        cases.add(
                "to above",
                Caller.OWNER,
                Operation.rename("f", "d/.."),
                Item.file(0),
                Item.folder(0777));
    }

    /** A folder's own entry for its parent changes with its parent. */
    private void renameFolders() {
        cases.group("rename-folder");
        for (int mode : new int[] {0755, 0777, 0555, 0700}) {
            cases.addForAll(
                    "root's %04o to another parent".formatted(mode),
                    Operation.rename("a/d", "b/d"),
                    roots("a", 0777),
                    roots("b", 0777),
                    roots("a/d", mode));
            cases.addForAll(
                    "%04o to another parent".formatted(mode),
                    Operation.rename("a/d", "b/d"),
                    roots("a", 0777),
                    roots("b", 0777),
                    Item.folder("a/d", mode));
        }
        for (var caller : CALLERS) {
            cases.add(
                    "root's 0755 in its parent",
                    caller,
                    Operation.rename("a/d", "a/e"),
                    roots("a", 0777),
                    roots("a/d", 0755));
            cases.add(
                    "own 0755 from a sticky folder",
                    caller,
                    Operation.rename("a/d", "b/d"),
                    roots("a", 01777),
                    roots("b", 0777),
                    Item.folder("a/d", 0755));
        }
        cases.add("into itself", Caller.OWNER, Operation.rename("d", "d/e"), Item.folder(0777));
        cases.add(
                "into what is below",
                Caller.OWNER,
                Operation.rename("d", "d/e/f"),
                Item.folder(0777),
                Item.folder("d/e", 0777));
        cases.add(
                "over what is above",
                Caller.OWNER,
                Operation.rename("d/e", "d"),
                Item.folder(0777),
                Item.folder("d/e", 0777));
    }

    private void renameOver() {
        cases.group("rename-over");
        for (var caller : CALLERS) {
            cases.add(
                    "root's file",
                    caller,
                    Operation.rename("f", "g"),
                    Item.file(0),
                    Item.file("g", 0, 0, 0));
            cases.add(
                    "root's file in a sticky folder",
                    caller,
                    Operation.rename("f", "d/g"),
                    roots("d", 01777),
                    Item.file(0),
                    Item.file("d/g", 0, 0, 0));
            cases.add(
                    "owner's file in a sticky folder",
                    caller,
                    Operation.rename("f", "d/g"),
                    roots("d", 01777),
                    Item.file("f", 0, 0, 0),
                    Item.file("d/g", 0));
            cases.add(
                    "root's folder",
                    caller,
                    Operation.rename("d", "e"),
                    Item.folder(0777),
                    roots("e", 0755));
            cases.add(
                    "root's folder in a sticky folder",
                    caller,
                    Operation.rename("d", "e/g"),
                    Item.folder(0777),
                    roots("e", 01777),
                    roots("e/g", 0755));
        }
        cases.add(
                "folder with file",
                Caller.OWNER,
                Operation.rename("f", "d"),
                Item.file(0),
                Item.folder(0777));
        cases.add(
                "file with folder",
                Caller.OWNER,
                Operation.rename("d", "f"),
                Item.file(0),
                Item.folder(0777));
        cases.add(
                "folder that is not empty",
                Caller.OWNER,
                Operation.rename("d", "e"),
                Item.folder(0777),
                Item.folder("e", 0777),
                Item.file("e/f", 0));
        cases.add(
                "link with file",
                Caller.OWNER,
                Operation.rename("f", "l"),
                Item.file(0),
                Item.link("d"),
                Item.folder(0777));
        cases.add(
                "device with file",
                Caller.OTHER,
                Operation.rename("f", "s"),
                Item.file(0),
                Item.of(Kind.BLOCK, "s", 0, 0, 0));
    }

    private void link() {
        cases.group("link");
        for (int mode : new int[] {0666, 0644, 0600, 04666, 02676, 02666, 0444}) {
            cases.addForAll("%04o".formatted(mode), Operation.link("f", "n"), Item.file(mode));
        }
        for (var caller : CALLERS) {
            cases.add(
                    "fifo 0666",
                    caller,
                    Operation.link("s", "n"),
                    Item.of(Kind.FIFO, "s", Caller.OWNER_UID, 0, 0666));
            cases.add(
                    "device 0666",
                    caller,
                    Operation.link("s", "n"),
                    Item.of(Kind.CHARACTER, "s", Caller.OWNER_UID, 0, 0666));
            cases.add("link", caller, Operation.link("l", "n"), Item.link("f"), Item.file(0666));
            cases.add("folder", caller, Operation.link("d", "n"), Item.folder(0777));
        }
    }

    private void linkElsewhere() {
        for (int mode : new int[] {0755, 01777}) {
            cases.addForAll(
                    "to %04o".formatted(mode),
                    Operation.link("f", "d/n"),
                    roots("d", mode),
                    Item.file(0666));
        }
        cases.add(
                "from a closed folder",
                Caller.OTHER,
                Operation.link("d/f", "n"),
                Item.folder(0),
                Item.file("d/f", 0666));
        cases.add(
                "existing",
                Caller.OWNER,
                Operation.link("f", "g"),
                Item.file(0666),
                Item.file("g", 0));
        cases.add(
                "existing",
                Caller.OTHER,
                Operation.link("f", "d/g"),
                Item.file(0666),
                Item.folder(0755),
                Item.file("d/g", 0));
        cases.add("itself", Caller.OWNER, Operation.link("f", "f"), Item.file(0666));
        cases.add("file", Exported.FIXED, Caller.ROOT, Operation.link("f", "n"), Item.file(0666));
        cases.add(
                "file",
                Exported.ALL_SQUASHED,
                Caller.ROOT,
                Operation.link("f", "n"),
                Item.file(0666));
        cases.add(
                "in a file",
                Caller.OWNER,
                Operation.link("f", "g/n"),
                Item.file(0666),
                Item.file("g", 0777));
        cases.add(
                "in a setgid folder",
                Caller.OWNER,
                Operation.link("f", "d/n"),
                Item.file("f", 1000, 1000, 0666),
                Item.folder("d", 0, 2000, 02777));
    }
}
