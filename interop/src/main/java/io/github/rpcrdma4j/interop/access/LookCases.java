package io.github.rpcrdma4j.interop.access;

import io.github.rpcrdma4j.interop.access.Item.Kind;
import java.util.List;

/** Calls that change nothing: GETATTR, ACCESS, LOOKUP, READLINK, READDIR, READDIRPLUS, FSSTAT. */
final class LookCases {
    private final Cases cases;

    private LookCases(Cases cases) {
        this.cases = cases;
    }

    static void add(Cases cases) {
        var look = new LookCases(cases);
        look.attributes();
        look.access();
        look.lookup();
        look.lists();
        look.rest();
    }

    private static Item special(Kind kind, int mode) {
        return Item.of(kind, "s", Caller.OWNER_UID, Caller.SHARED_GID, mode);
    }

    private void attributes() {
        cases.group("getattr");
        cases.addForAll("file 0000", Operation.getattr("f"), Item.file(0));
        cases.add(
                "file in a closed folder",
                Caller.OTHER,
                Operation.getattr("d/f"),
                Item.folder(0),
                Item.file("d/f", 0));
        cases.add("folder", Caller.OTHER, Operation.getattr("d"), Item.folder(0));
        cases.add("folder 7777", Caller.OTHER, Operation.getattr("d"), Item.folder(07777));
        cases.add("file 7777", Caller.OTHER, Operation.getattr("f"), Item.file(07777));
        cases.add("link", Caller.OTHER, Operation.getattr("l"), Item.link("nowhere"));
        for (var kind : List.of(Kind.FIFO, Kind.CHARACTER, Kind.BLOCK)) {
            cases.add(kind.name(), Caller.OTHER, Operation.getattr("s"), special(kind, 0600));
        }
        cases.add("file", Exported.FIXED, Caller.OTHER, Operation.getattr("f"), Item.file(0600));
        cases.add("file", Caller.NAMELESS, Operation.getattr("f"), Item.file(0600));
    }

    private void access() {
        cases.group("access");
        for (int mode : new int[] {0, 0400, 0644, 0711, 0200, 0750, 0077, 0707}) {
            var name = " %04o".formatted(mode);
            cases.addForAll("file" + name, Operation.access("f"), Item.file(mode));
            cases.addForAll("folder" + name, Operation.access("d"), Item.folder(mode));
        }
        for (var caller : List.of(Caller.ROOT, Caller.OWNER, Caller.OTHER)) {
            cases.add("file 0777", Exported.FIXED, caller, Operation.access("f"), Item.file(0777));
            cases.add(
                    "folder 0777",
                    Exported.FIXED,
                    caller,
                    Operation.access("d"),
                    Item.folder(0777));
            cases.add("fifo 0622", caller, Operation.access("s"), special(Kind.FIFO, 0622));
            cases.add("device 0622", caller, Operation.access("s"), special(Kind.CHARACTER, 0622));
            cases.add("link", caller, Operation.access("l"), Item.link("nowhere"));
            cases.add(
                    "sticky folder", caller, Operation.access("d"), Item.folder("d", 0, 0, 01777));
        }
        cases.add("file 0644", Caller.NAMELESS, Operation.access("f"), Item.file(0644));
        cases.add(
                "file 0644",
                Exported.ALL_SQUASHED,
                Caller.ROOT,
                Operation.access("f"),
                Item.file(0644));
        cases.add(
                "file of the squashed",
                Exported.ALL_SQUASHED,
                Caller.OWNER,
                Operation.access("f"),
                Item.file("f", 1005, 0, 0600));
        cases.add(
                "file of the squashed group",
                Exported.ALL_SQUASHED,
                Caller.OWNER,
                Operation.access("f"),
                Item.file("f", 0, 1006, 0060));
    }

    private void lookup() {
        cases.group("lookup");
        for (int mode : new int[] {0, 0755, 0711, 0644, 0700, 0070}) {
            cases.addForAll(
                    "in %04o".formatted(mode),
                    Operation.lookup("d/f"),
                    Item.folder(mode),
                    Item.file("d/f", 0));
        }
        for (int mode : new int[] {0711, 0700}) {
            cases.addForAll(
                    "missing in %04o".formatted(mode), Operation.lookup("d/g"), Item.folder(mode));
        }
        cases.add("in a file", Caller.OTHER, Operation.lookup("f/g"), Item.file(0777));
        cases.add(
                "in a link",
                Caller.OTHER,
                Operation.lookup("l/f"),
                Item.folder(0777),
                Item.file("d/f", 0644),
                Item.link("d"));
        cases.add("of a link", Caller.OTHER, Operation.lookup("l"), Item.link("nowhere"));
        cases.add("of a fifo", Caller.OTHER, Operation.lookup("s"), special(Kind.FIFO, 0));
        cases.add("itself", Caller.OTHER, Operation.lookup("d", "."), Item.folder(0711));
        cases.add("above", Caller.OTHER, Operation.lookup("d", ".."), Item.folder(0711));
        cases.add("above, closed", Caller.OTHER, Operation.lookup("d", ".."), Item.folder(0700));
        cases.add("nothing", Caller.OTHER, Operation.lookup("d", ""), Item.folder(0755));
        cases.add(
                "path",
                Caller.OTHER,
                Operation.lookup(".", "d/f"),
                Item.folder(0755),
                Item.file("d/f", 0644));
        cases.add(
                "256 bytes",
                Caller.OTHER,
                Operation.lookup("d", "n".repeat(256)),
                Item.folder(0755));
        cases.add(
                "in 0755",
                Exported.FIXED,
                Caller.OTHER,
                Operation.lookup("d/f"),
                Item.folder(0755),
                Item.file("d/f", 0));
    }

    private void lists() {
        cases.group("readdir");
        for (int mode : new int[] {0, 0755, 0711, 0744, 0400, 0733}) {
            var name = "%04o".formatted(mode);
            var items = new Item[] {Item.folder(mode), Item.file("d/f", 0), Item.folder("d/e", 0)};
            cases.addForAll("plain " + name, Operation.readdir("d"), items);
            cases.addForAll("plus " + name, Operation.readdirplus("d"), items);
        }
        cases.add("plain of a file", Caller.OTHER, Operation.readdir("f"), Item.file(0777));
        cases.add("plus of a link", Caller.OTHER, Operation.readdirplus("l"), Item.link("d"));
        cases.add(
                "plus of links and devices",
                Caller.OTHER,
                Operation.readdirplus("d"),
                Item.folder(0755),
                Item.of(Kind.FIFO, "d/p", 0, 0, 0),
                Item.of(Kind.CHARACTER, "d/c", 0, 0, 0),
                Item.of(Kind.BLOCK, "d/b", 0, 0, 0));
        cases.add(
                "plus",
                Exported.FIXED,
                Caller.OTHER,
                Operation.readdirplus("d"),
                Item.folder(0755),
                Item.file("d/f", 0));
    }

    private void rest() {
        cases.group("readlink");
        cases.addForAll("of the owner", Operation.readLink("l"), Item.link("some/where"));
        cases.add(
                "in a closed folder",
                Caller.OTHER,
                Operation.readLink("d/l"),
                Item.folder(0),
                new Item(Kind.LINK, "d/l", "there", 0, 0, 0777, List.of()));
        cases.add("of a file", Caller.OTHER, Operation.readLink("f"), Item.file(0777));
        cases.add("of a folder", Caller.OTHER, Operation.readLink("d"), Item.folder(0777));
        cases.add(
                "of the owner",
                Exported.FIXED,
                Caller.OTHER,
                Operation.readLink("l"),
                Item.link("some/where"));
        cases.group("space");
        for (var caller : List.of(Caller.ROOT, Caller.OTHER)) {
            cases.add("fsstat of a closed file", caller, Operation.fsstat("f"), Item.file(0));
            cases.add("fsinfo of a closed file", caller, Operation.fsinfo("f"), Item.file(0));
            cases.add("pathconf of a closed file", caller, Operation.pathconf("f"), Item.file(0));
        }
        for (var operation :
                List.of(Operation.fsstat("f"), Operation.fsinfo("f"), Operation.pathconf("f"))) {
            cases.add(operation.words(), Caller.NAMELESS, operation, Item.file(0644));
        }
    }
}
