package io.github.rpcrdma4j.interop.access;

import io.github.rpcrdma4j.interop.access.Item.Kind;
import io.github.rpcrdma4j.nfs.v3.Values.Stability;
import java.util.List;

/** READ, WRITE and COMMIT. */
final class DataCases {
    private static final int[] SPECIAL_MODES = {
        02755, 04755, 06755, 02777, 04777, 06777, 02666, 04666, 06666, 02767, 06776
    };

    private final Cases cases;

    private DataCases(Cases cases) {
        this.cases = cases;
    }

    static void add(Cases cases) {
        var data = new DataCases(cases);
        data.read();
        data.write();
        data.special();
        data.commit();
    }

    private static Item other(Kind kind) {
        return Item.of(kind, "s", Caller.OWNER_UID, Caller.SHARED_GID, 0777);
    }

    private void read() {
        cases.group("read");
        for (int mode : new int[] {0, 0400, 0200, 0711, 0640, 0604, 0044, 0111, 0100}) {
            cases.addForAll("%04o".formatted(mode), Operation.read("f"), Item.file(mode));
        }
        cases.add("4711", Caller.OTHER, Operation.read("f"), Item.file(04711));
        cases.add(
                "in a closed folder",
                Caller.OTHER,
                Operation.read("d/f"),
                Item.folder(0),
                Item.file("d/f", 0644));
        cases.add("some", Caller.OTHER, Operation.read("f", 3, 4), Item.file(0644));
        cases.add("past the end", Caller.OTHER, Operation.read("f", 1000, 4), Item.file(0644));
        cases.add("nothing", Caller.OTHER, Operation.read("f", 0, 0), Item.file(0644));
        cases.add("nothing of 0600", Caller.OTHER, Operation.read("f", 0, 0), Item.file(0600));
        cases.add("folder", Caller.OWNER, Operation.read("d"), Item.folder(0777));
        cases.add("link", Caller.OWNER, Operation.read("l"), Item.link("f"), Item.file(0777));
        for (var kind : List.of(Kind.FIFO, Kind.CHARACTER, Kind.BLOCK)) {
            cases.add(kind.name(), Caller.OWNER, Operation.read("s"), other(kind));
        }
        cases.add("0711", Exported.FIXED, Caller.OTHER, Operation.read("f"), Item.file(0711));
        cases.add("0600", Exported.ALL_SQUASHED, Caller.ROOT, Operation.read("f"), Item.file(0600));
        cases.add(
                "of the squashed",
                Exported.ALL_SQUASHED,
                Caller.ROOT,
                Operation.read("f"),
                Item.file("f", 1005, 0, 0));
        cases.add("0644", Caller.NAMELESS, Operation.read("f"), Item.file(0644));
    }

    private void write() {
        cases.group("write");
        for (int mode : new int[] {0, 0200, 0400, 0620, 0602, 0666, 0066}) {
            cases.addForAll("%04o".formatted(mode), Operation.write("f"), Item.file(mode));
        }
        cases.add(
                "sync",
                Caller.OWNER,
                Operation.write("f", 0, "x", Stability.FILE_SYNC),
                Item.file(0600));
        cases.add(
                "nothing",
                Caller.OWNER,
                Operation.write("f", 0, "", Stability.UNSTABLE),
                Item.file(0600));
        cases.add(
                "nothing to 0644",
                Caller.OTHER,
                Operation.write("f", 0, "", Stability.UNSTABLE),
                Item.file(0644));
        cases.add(
                "in a closed folder",
                Caller.OTHER,
                Operation.write("d/f"),
                Item.folder(0),
                Item.file("d/f", 0666));
        cases.add(
                "in a sticky folder",
                Caller.OTHER,
                Operation.write("d/f"),
                Item.folder("d", 0, 0, 01777),
                Item.file("d/f", 0666));
        cases.add(
                "root's in a sticky folder",
                Caller.OTHER,
                Operation.write("d/f"),
                Item.folder("d", 0, 0, 01777),
                Item.file("d/f", 0, 0, 0666));
        cases.add("folder", Caller.OWNER, Operation.write("d"), Item.folder(0777));
        cases.add("link", Caller.OWNER, Operation.write("l"), Item.link("f"), Item.file(0777));
        for (var kind : List.of(Kind.FIFO, Kind.CHARACTER, Kind.BLOCK)) {
            cases.add(kind.name(), Caller.OWNER, Operation.write("s"), other(kind));
        }
        for (var caller : List.of(Caller.ROOT, Caller.OWNER)) {
            cases.add("0666", Exported.FIXED, caller, Operation.write("f"), Item.file(0666));
        }
        cases.add(
                "0600", Exported.ALL_SQUASHED, Caller.OWNER, Operation.write("f"), Item.file(0600));
        cases.add(
                "of the squashed group",
                Exported.ALL_SQUASHED,
                Caller.OWNER,
                Operation.write("f"),
                Item.file("f", 0, 1006, 0020));
        cases.add("0666", Caller.NAMELESS, Operation.write("f"), Item.file(0666));
    }

    /** What runs as its owner or group is not written by others and then still run so. */
    private void special() {
        cases.group("write-special");
        for (int mode : SPECIAL_MODES) {
            for (var caller :
                    List.of(
                            Caller.ROOT,
                            Caller.OWNER,
                            Caller.OWNER_IN_GROUP,
                            Caller.MEMBER,
                            Caller.OTHER)) {
                cases.add("%04o".formatted(mode), caller, Operation.write("f"), Item.file(mode));
            }
        }
        cases.add(
                "nothing to 6777",
                Caller.OTHER,
                Operation.write("f", 0, "", Stability.UNSTABLE),
                Item.file(06777));
        cases.add("6777", Exported.SQUASHED, Caller.ROOT, Operation.write("f"), Item.file(06777));
        cases.group("truncate-special");
        for (int mode : SPECIAL_MODES) {
            for (var caller :
                    List.of(Caller.ROOT, Caller.OWNER, Caller.OWNER_IN_GROUP, Caller.OTHER)) {
                cases.add(
                        "%04o".formatted(mode),
                        caller,
                        Operation.setattr("f", Change.size(2)),
                        Item.file(mode));
            }
        }
        cases.add(
                "6777 to its size",
                Caller.OTHER,
                Operation.setattr("f", Change.size(10)),
                Item.file(06777));
        cases.add(
                "6777 longer",
                Caller.OTHER,
                Operation.setattr("f", Change.size(20)),
                Item.file(06777));
        cases.add(
                "6777 by CREATE",
                Caller.OTHER,
                Operation.create("f", Change.size(0)),
                Item.file(06777));
        cases.add(
                "6777 by CREATE",
                Caller.ROOT,
                Operation.create("f", Change.size(0)),
                Item.file(06777));
    }

    private void commit() {
        cases.group("commit");
        for (int mode : new int[] {0, 0200, 0444, 0620, 0602}) {
            cases.addForAll("%04o".formatted(mode), Operation.commit("f"), Item.file(mode));
        }
        cases.add("folder", Caller.OWNER, Operation.commit("d"), Item.folder(0777));
        cases.add("link", Caller.OWNER, Operation.commit("l"), Item.link("f"));
        cases.add("fifo", Caller.OWNER, Operation.commit("s"), other(Kind.FIFO));
        cases.add("0666", Exported.FIXED, Caller.OWNER, Operation.commit("f"), Item.file(0666));
    }
}
