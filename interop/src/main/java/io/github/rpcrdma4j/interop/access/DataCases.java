package io.github.rpcrdma4j.interop.access;

import static io.github.rpcrdma4j.interop.access.Caller.MEMBER;
import static io.github.rpcrdma4j.interop.access.Caller.NAMELESS;
import static io.github.rpcrdma4j.interop.access.Caller.OTHER;
import static io.github.rpcrdma4j.interop.access.Caller.OWNER;
import static io.github.rpcrdma4j.interop.access.Caller.OWNER_IN_GROUP;
import static io.github.rpcrdma4j.interop.access.Caller.OWNER_UID;
import static io.github.rpcrdma4j.interop.access.Caller.ROOT;
import static io.github.rpcrdma4j.interop.access.Caller.SHARED_GID;
import static io.github.rpcrdma4j.interop.access.CaseFile.directory;
import static io.github.rpcrdma4j.interop.access.CaseFile.file;
import static io.github.rpcrdma4j.interop.access.CaseFile.link;
import static io.github.rpcrdma4j.interop.access.Exported.ALL_SQUASHED;
import static io.github.rpcrdma4j.interop.access.Exported.READ_ONLY;
import static io.github.rpcrdma4j.interop.access.Exported.SQUASHED;
import static io.github.rpcrdma4j.interop.access.Operation.commit;
import static io.github.rpcrdma4j.interop.access.Operation.create;
import static io.github.rpcrdma4j.interop.access.Operation.read;
import static io.github.rpcrdma4j.interop.access.Operation.setattr;
import static io.github.rpcrdma4j.interop.access.Operation.write;

import io.github.rpcrdma4j.interop.access.CaseFile.Kind;
import io.github.rpcrdma4j.nfs.Stability;
import java.util.List;

/** Cases of READ, WRITE and COMMIT. */
record DataCases(Cases cases) {
    private static final int[] SPECIAL_MODES = {
        02755, 04755, 06755, 02777, 04777, 06777, 02666, 04666, 06666, 02767, 06776
    };

    void add() {
        reads();
        writes();
        special();
        commits();
    }

    private static CaseFile other(Kind kind) {
        return CaseFile.of(kind, "s", OWNER_UID, SHARED_GID, 0777);
    }

    private void reads() {
        cases.group("read");
        for (int mode : new int[] {0, 0400, 0200, 0711, 0640, 0604, 0044, 0111, 0100}) {
            cases.addForAll("%04o".formatted(mode), read("f"), file(mode));
        }
        cases.add("4711", OTHER, read("f"), file(04711));
        cases.add("in a closed directory", OTHER, read("d/f"), directory(0), file("d/f", 0644));
        cases.add("some", OTHER, read("f", 3, 4), file(0644));
        cases.add("past the end", OTHER, read("f", 1000, 4), file(0644));
        cases.add("nothing", OTHER, read("f", 0, 0), file(0644));
        cases.add("nothing of 0600", OTHER, read("f", 0, 0), file(0600));
        cases.add("directory", OWNER, read("d"), directory(0777));
        cases.add("link", OWNER, read("l"), link("f"), file(0777));
        for (var kind : List.of(Kind.FIFO, Kind.CHARACTER, Kind.BLOCK)) {
            cases.add(kind.name(), OWNER, read("s"), other(kind));
        }
        cases.add("0711", READ_ONLY, OTHER, read("f"), file(0711));
        cases.add("0600", ALL_SQUASHED, ROOT, read("f"), file(0600));
        cases.add("of the squashed", ALL_SQUASHED, ROOT, read("f"), file("f", 1005, 0, 0));
        cases.add("0644", NAMELESS, read("f"), file(0644));
    }

    private void writes() {
        cases.group("write");
        for (int mode : new int[] {0, 0200, 0400, 0620, 0602, 0666, 0066}) {
            cases.addForAll("%04o".formatted(mode), write("f"), file(mode));
        }
        cases.add("sync", OWNER, write("f", 0, "x", Stability.FILE_SYNC), file(0600));
        cases.add("nothing", OWNER, write("f", 0, "", Stability.UNSTABLE), file(0600));
        cases.add("nothing to 0644", OTHER, write("f", 0, "", Stability.UNSTABLE), file(0644));
        cases.add("in a closed directory", OTHER, write("d/f"), directory(0), file("d/f", 0666));
        cases.add(
                "in a sticky directory",
                OTHER,
                write("d/f"),
                directory("d", 0, 0, 01777),
                file("d/f", 0666));
        cases.add(
                "root's in a sticky directory",
                OTHER,
                write("d/f"),
                directory("d", 0, 0, 01777),
                file("d/f", 0, 0, 0666));
        cases.add("directory", OWNER, write("d"), directory(0777));
        cases.add("link", OWNER, write("l"), link("f"), file(0777));
        for (var kind : List.of(Kind.FIFO, Kind.CHARACTER, Kind.BLOCK)) {
            cases.add(kind.name(), OWNER, write("s"), other(kind));
        }
        for (var caller : List.of(ROOT, OWNER)) {
            cases.add("0666", READ_ONLY, caller, write("f"), file(0666));
        }
        cases.add("0600", ALL_SQUASHED, OWNER, write("f"), file(0600));
        cases.add(
                "of the squashed group", ALL_SQUASHED, OWNER, write("f"), file("f", 0, 1006, 0020));
        cases.add("0666", NAMELESS, write("f"), file(0666));
    }

    /**
     * Adds changes of setuid and setgid files. A caller must not change such a program and leave it
     * with the rights of its owner or group.
     */
    private void special() {
        cases.group("write-special");
        for (int mode : SPECIAL_MODES) {
            for (var caller : List.of(ROOT, OWNER, OWNER_IN_GROUP, MEMBER, OTHER)) {
                cases.add("%04o".formatted(mode), caller, write("f"), file(mode));
            }
        }
        cases.add("nothing to 6777", OTHER, write("f", 0, "", Stability.UNSTABLE), file(06777));
        cases.add("6777", SQUASHED, ROOT, write("f"), file(06777));
        cases.group("truncate-special");
        for (int mode : SPECIAL_MODES) {
            for (var caller : List.of(ROOT, OWNER, OWNER_IN_GROUP, OTHER)) {
                cases.add("%04o".formatted(mode), caller, setattr("f", Change.size(2)), file(mode));
            }
        }
        cases.add("6777 to its size", OTHER, setattr("f", Change.size(10)), file(06777));
        cases.add("6777 longer", OTHER, setattr("f", Change.size(20)), file(06777));
        cases.add("6777 by CREATE", OTHER, create("f", Change.size(0)), file(06777));
        cases.add("6777 by CREATE", ROOT, create("f", Change.size(0)), file(06777));
    }

    private void commits() {
        cases.group("commit");
        for (int mode : new int[] {0, 0200, 0444, 0620, 0602}) {
            cases.addForAll("%04o".formatted(mode), commit("f"), file(mode));
        }
        cases.add("directory", OWNER, commit("d"), directory(0777));
        cases.add("link", OWNER, commit("l"), link("f"));
        cases.add("fifo", OWNER, commit("s"), other(Kind.FIFO));
        cases.add("0666", READ_ONLY, OWNER, commit("f"), file(0666));
    }
}
