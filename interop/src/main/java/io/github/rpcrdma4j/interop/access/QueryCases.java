package io.github.rpcrdma4j.interop.access;

import static io.github.rpcrdma4j.interop.access.Caller.NAMELESS;
import static io.github.rpcrdma4j.interop.access.Caller.OTHER;
import static io.github.rpcrdma4j.interop.access.Caller.OWNER;
import static io.github.rpcrdma4j.interop.access.Caller.OWNER_UID;
import static io.github.rpcrdma4j.interop.access.Caller.ROOT;
import static io.github.rpcrdma4j.interop.access.Caller.SHARED_GID;
import static io.github.rpcrdma4j.interop.access.CaseFile.directory;
import static io.github.rpcrdma4j.interop.access.CaseFile.file;
import static io.github.rpcrdma4j.interop.access.CaseFile.link;
import static io.github.rpcrdma4j.interop.access.Exported.ALL_SQUASHED;
import static io.github.rpcrdma4j.interop.access.Exported.READ_ONLY;
import static io.github.rpcrdma4j.interop.access.Operation.access;
import static io.github.rpcrdma4j.interop.access.Operation.fsinfo;
import static io.github.rpcrdma4j.interop.access.Operation.fsstat;
import static io.github.rpcrdma4j.interop.access.Operation.getattr;
import static io.github.rpcrdma4j.interop.access.Operation.lookup;
import static io.github.rpcrdma4j.interop.access.Operation.pathconf;
import static io.github.rpcrdma4j.interop.access.Operation.readLink;
import static io.github.rpcrdma4j.interop.access.Operation.readdir;
import static io.github.rpcrdma4j.interop.access.Operation.readdirplus;

import io.github.rpcrdma4j.interop.access.CaseFile.Kind;
import java.util.List;

/**
 * Cases of calls that change nothing: GETATTR, ACCESS, LOOKUP, READLINK, READDIR, READDIRPLUS,
 * FSSTAT, FSINFO and PATHCONF.
 *
 * <p>Tests: {@code OurServerAccessTest}, {@code TableTest}.
 */
record QueryCases(Cases cases) {
    void add() {
        attributes();
        accesses();
        lookups();
        lists();
        rest();
    }

    private static CaseFile special(Kind kind, int mode) {
        return CaseFile.of(kind, "s", OWNER_UID, SHARED_GID, mode);
    }

    private void attributes() {
        cases.group("getattr");
        cases.addForAll("file 0000", getattr("f"), file(0));
        cases.add(
                "file in a closed directory", OTHER, getattr("d/f"), directory(0), file("d/f", 0));
        cases.add("directory", OTHER, getattr("d"), directory(0));
        cases.add("directory 7777", OTHER, getattr("d"), directory(07777));
        cases.add("file 7777", OTHER, getattr("f"), file(07777));
        cases.add("link", OTHER, getattr("l"), link("nowhere"));
        for (var kind : List.of(Kind.FIFO, Kind.CHARACTER, Kind.BLOCK)) {
            cases.add(kind.name(), OTHER, getattr("s"), special(kind, 0600));
        }
        cases.add("file", READ_ONLY, OTHER, getattr("f"), file(0600));
        cases.add("file", NAMELESS, getattr("f"), file(0600));
    }

    private void accesses() {
        cases.group("access");
        for (int mode : new int[] {0, 0400, 0644, 0711, 0200, 0750, 0077, 0707}) {
            var name = " %04o".formatted(mode);
            cases.addForAll("file" + name, access("f"), file(mode));
            cases.addForAll("directory" + name, access("d"), directory(mode));
        }
        for (var caller : List.of(ROOT, OWNER, OTHER)) {
            cases.add("file 0777", READ_ONLY, caller, access("f"), file(0777));
            cases.add("directory 0777", READ_ONLY, caller, access("d"), directory(0777));
            cases.add("fifo 0622", caller, access("s"), special(Kind.FIFO, 0622));
            cases.add("device 0622", caller, access("s"), special(Kind.CHARACTER, 0622));
            cases.add("link", caller, access("l"), link("nowhere"));
            cases.add("sticky directory", caller, access("d"), directory("d", 0, 0, 01777));
        }
        cases.add("file 0644", NAMELESS, access("f"), file(0644));
        cases.add("file 0644", ALL_SQUASHED, ROOT, access("f"), file(0644));
        cases.add(
                "file of the squashed", ALL_SQUASHED, OWNER, access("f"), file("f", 1005, 0, 0600));
        cases.add(
                "file of the squashed group",
                ALL_SQUASHED,
                OWNER,
                access("f"),
                file("f", 0, 1006, 0060));
    }

    private void lookups() {
        cases.group("lookup");
        for (int mode : new int[] {0, 0755, 0711, 0644, 0700, 0070}) {
            cases.addForAll(
                    "in %04o".formatted(mode), lookup("d/f"), directory(mode), file("d/f", 0));
        }
        for (int mode : new int[] {0711, 0700}) {
            cases.addForAll("missing in %04o".formatted(mode), lookup("d/g"), directory(mode));
        }
        cases.add("in a file", OTHER, lookup("f/g"), file(0777));
        cases.add("in a link", OTHER, lookup("l/f"), directory(0777), file("d/f", 0644), link("d"));
        cases.add("of a link", OTHER, lookup("l"), link("nowhere"));
        cases.add("of a fifo", OTHER, lookup("s"), special(Kind.FIFO, 0));
        cases.add("itself", OTHER, lookup("d", "."), directory(0711));
        cases.add("above", OTHER, lookup("d", ".."), directory(0711));
        cases.add("above, closed", OTHER, lookup("d", ".."), directory(0700));
        cases.add("nothing", OTHER, lookup("d", ""), directory(0755));
        cases.add("path", OTHER, lookup(".", "d/f"), directory(0755), file("d/f", 0644));
        cases.add("256 bytes", OTHER, lookup("d", "n".repeat(256)), directory(0755));
        cases.add("in 0755", READ_ONLY, OTHER, lookup("d/f"), directory(0755), file("d/f", 0));
    }

    private void lists() {
        cases.group("readdir");
        for (int mode : new int[] {0, 0755, 0711, 0744, 0400, 0733}) {
            var name = "%04o".formatted(mode);
            var files = new CaseFile[] {directory(mode), file("d/f", 0), directory("d/e", 0)};
            cases.addForAll("plain " + name, readdir("d"), files);
            cases.addForAll("plus " + name, readdirplus("d"), files);
        }
        cases.add("plain of a file", OTHER, readdir("f"), file(0777));
        cases.add("plus of a link", OTHER, readdirplus("l"), link("d"));
        cases.add(
                "plus of links and devices",
                OTHER,
                readdirplus("d"),
                directory(0755),
                CaseFile.of(Kind.FIFO, "d/p", 0, 0, 0),
                CaseFile.of(Kind.CHARACTER, "d/c", 0, 0, 0),
                CaseFile.of(Kind.BLOCK, "d/b", 0, 0, 0));
        cases.add("plus", READ_ONLY, OTHER, readdirplus("d"), directory(0755), file("d/f", 0));
    }

    private void rest() {
        cases.group("readlink");
        cases.addForAll("of the owner", readLink("l"), link("some/where"));
        cases.add(
                "in a closed directory",
                OTHER,
                readLink("d/l"),
                directory(0),
                new CaseFile(Kind.LINK, "d/l", "there", 0, 0, 0777, List.of()));
        cases.add("of a file", OTHER, readLink("f"), file(0777));
        cases.add("of a directory", OTHER, readLink("d"), directory(0777));
        cases.add("of the owner", READ_ONLY, OTHER, readLink("l"), link("some/where"));
        cases.group("space");
        for (var caller : List.of(ROOT, OTHER)) {
            cases.add("fsstat of a closed file", caller, fsstat("f"), file(0));
            cases.add("fsinfo of a closed file", caller, fsinfo("f"), file(0));
            cases.add("pathconf of a closed file", caller, pathconf("f"), file(0));
        }
        for (var operation : List.of(fsstat("f"), fsinfo("f"), pathconf("f"))) {
            cases.add(operation.words(), NAMELESS, operation, file(0644));
        }
    }
}
