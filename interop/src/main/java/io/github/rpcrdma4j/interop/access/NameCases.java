package io.github.rpcrdma4j.interop.access;

import static io.github.rpcrdma4j.interop.access.Caller.MEMBER;
import static io.github.rpcrdma4j.interop.access.Caller.OTHER;
import static io.github.rpcrdma4j.interop.access.Caller.OWNER;
import static io.github.rpcrdma4j.interop.access.Caller.OWNER_UID;
import static io.github.rpcrdma4j.interop.access.Caller.ROOT;
import static io.github.rpcrdma4j.interop.access.CaseFile.directory;
import static io.github.rpcrdma4j.interop.access.CaseFile.file;
import static io.github.rpcrdma4j.interop.access.CaseFile.hardLink;
import static io.github.rpcrdma4j.interop.access.CaseFile.link;
import static io.github.rpcrdma4j.interop.access.Exported.ALL_SQUASHED;
import static io.github.rpcrdma4j.interop.access.Exported.READ_ONLY;
import static io.github.rpcrdma4j.interop.access.Exported.SQUASHED;
import static io.github.rpcrdma4j.interop.access.Operation.link;
import static io.github.rpcrdma4j.interop.access.Operation.remove;
import static io.github.rpcrdma4j.interop.access.Operation.rename;
import static io.github.rpcrdma4j.interop.access.Operation.rmdir;

import io.github.rpcrdma4j.interop.access.CaseFile.Kind;
import java.util.List;

/**
 * Cases of REMOVE, RMDIR, RENAME and LINK.
 *
 * <p>Tests: {@code OurServerAccessTest}, {@code TableTest}.
 */
record NameCases(Cases cases) {
    private static final List<Caller> CALLERS = List.of(ROOT, OWNER, MEMBER, OTHER);

    void add() {
        removals();
        directoryRemovals();
        renameFiles();
        renameDirectories();
        renameOver();
        links();
        linksElsewhere();
    }

    private static CaseFile roots(String path, int mode) {
        return directory(path, 0, 0, mode);
    }

    private void removals() {
        cases.group("remove");
        for (int mode : new int[] {0755, 0733, 0722, 0777, 01777, 0775, 01775}) {
            cases.addForAll(
                    "in %04o".formatted(mode),
                    remove("d/f"),
                    directory(mode),
                    file("d/f", 0, 0, 0));
        }
        for (var caller : CALLERS) {
            cases.add(
                    "own in a sticky directory",
                    caller,
                    remove("d/f"),
                    roots("d", 01777),
                    file("d/f", 0));
            cases.add("missing in 0755", caller, remove("d/n"), directory(0755));
        }
        cases.add(
                "own in a sticky directory",
                SQUASHED,
                ROOT,
                remove("d/f"),
                roots("d", 01777),
                file("d/f", 0, 0, 0));
        cases.add(
                "of the squashed in a sticky directory",
                SQUASHED,
                ROOT,
                remove("d/f"),
                roots("d", 01777),
                file("d/f", 65534, 65534, 0));
        cases.add("directory", OWNER, remove("d"), directory(0777));
        cases.add("directory", ROOT, remove("d"), directory(0777));
        cases.add("link", OTHER, remove("l"), link("f"), file(0));
        cases.add("fifo", OTHER, remove("s"), CaseFile.of(Kind.FIFO, "s", 0, 0, 0));
        cases.add("device", OTHER, remove("s"), CaseFile.of(Kind.BLOCK, "s", 0, 0, 0));
        cases.add("one of two names", OTHER, remove("f"), file(0), hardLink("g", "f"));
        cases.add("in 0777", READ_ONLY, ROOT, remove("f"), file(0));
        cases.add("in 0777", ALL_SQUASHED, ROOT, remove("f"), file(0));
        cases.add("itself", OWNER, remove("d/."), directory(0777));
        cases.add("above", OWNER, remove("d/.."), directory(0777));
    }

    private void directoryRemovals() {
        cases.group("rmdir");
        for (int mode : new int[] {0755, 0777, 01777}) {
            cases.addForAll(
                    "in %04o".formatted(mode), rmdir("d/e"), directory(mode), roots("d/e", 0));
        }
        for (var caller : CALLERS) {
            cases.add(
                    "own in a sticky directory",
                    caller,
                    rmdir("d/e"),
                    roots("d", 01777),
                    directory("d/e", 0));
        }
        cases.add("not empty", OWNER, rmdir("d"), directory(0777), file("d/f", 0));
        cases.add(
                "not empty",
                OTHER,
                rmdir("d/e"),
                directory(0755),
                directory("d/e", 0777),
                file("d/e/f", 0));
        cases.add("file", OWNER, rmdir("f"), file(0));
        cases.add("link", OWNER, rmdir("l"), link("d"), directory(0777));
        cases.add("missing", OWNER, rmdir("n"));
        cases.add("itself", OWNER, rmdir("d/."), directory(0777));
        cases.add("above", OWNER, rmdir("d/.."), directory(0777));
        cases.add("in 0777", READ_ONLY, ROOT, rmdir("d"), directory(0777));
    }

    private void renameFiles() {
        cases.group("rename-file");
        for (int mode : new int[] {0755, 0777, 01777, 0775}) {
            cases.addForAll(
                    "in %04o".formatted(mode),
                    rename("d/f", "d/n"),
                    directory(mode),
                    file("d/f", 0, 0, 0));
        }
        for (var caller : CALLERS) {
            cases.add(
                    "from 0755 to 0777",
                    caller,
                    rename("d/f", "e/f"),
                    directory("d", 0755),
                    directory("e", 0777),
                    file("d/f", 0));
            cases.add(
                    "from 0777 to 0755",
                    caller,
                    rename("d/f", "e/f"),
                    directory("d", 0777),
                    directory("e", 0755),
                    file("d/f", 0));
            cases.add(
                    "own from a sticky directory",
                    caller,
                    rename("d/f", "e/f"),
                    roots("d", 01777),
                    directory("e", 0777),
                    file("d/f", 0));
            cases.add(
                    "to a sticky directory",
                    caller,
                    rename("d/f", "e/f"),
                    roots("e", 01777),
                    directory("d", 0777),
                    file("d/f", 0, 0, 0));
        }
        cases.add("itself", OWNER, rename("f", "f"), file(0));
        cases.add("other name of itself", OWNER, rename("f", "g"), file(0), hardLink("g", "f"));
        cases.add("missing", OWNER, rename("f", "g"));
        cases.add("file", READ_ONLY, ROOT, rename("f", "g"), file(0));
        cases.add(
                "file", ALL_SQUASHED, ROOT, rename("d/f", "d/g"), directory(0700), file("d/f", 0));
        cases.add("link", OTHER, rename("l", "n"), link("f"), file(0));
        cases.add("device", OTHER, rename("s", "n"), CaseFile.of(Kind.CHARACTER, "s", 0, 0, 0));
        cases.add("from itself", OWNER, rename("d/.", "n"), directory(0777));
        cases.add("to above", OWNER, rename("f", "d/.."), file(0), directory(0777));
    }

    /**
     * Adds renames of directories. A move to another parent also changes the directory's own entry
     * {@code ..}.
     */
    private void renameDirectories() {
        cases.group("rename-directory");
        for (int mode : new int[] {0755, 0777, 0555, 0700}) {
            cases.addForAll(
                    "root's %04o to another parent".formatted(mode),
                    rename("a/d", "b/d"),
                    roots("a", 0777),
                    roots("b", 0777),
                    roots("a/d", mode));
            cases.addForAll(
                    "%04o to another parent".formatted(mode),
                    rename("a/d", "b/d"),
                    roots("a", 0777),
                    roots("b", 0777),
                    directory("a/d", mode));
        }
        for (var caller : CALLERS) {
            cases.add(
                    "root's 0755 in its parent",
                    caller,
                    rename("a/d", "a/e"),
                    roots("a", 0777),
                    roots("a/d", 0755));
            cases.add(
                    "own 0755 from a sticky directory",
                    caller,
                    rename("a/d", "b/d"),
                    roots("a", 01777),
                    roots("b", 0777),
                    directory("a/d", 0755));
        }
        cases.add("into itself", OWNER, rename("d", "d/e"), directory(0777));
        cases.add(
                "into what is below",
                OWNER,
                rename("d", "d/e/f"),
                directory(0777),
                directory("d/e", 0777));
        cases.add(
                "over what is above",
                OWNER,
                rename("d/e", "d"),
                directory(0777),
                directory("d/e", 0777));
    }

    private void renameOver() {
        cases.group("rename-over");
        for (var caller : CALLERS) {
            cases.add("root's file", caller, rename("f", "g"), file(0), file("g", 0, 0, 0));
            cases.add(
                    "root's file in a sticky directory",
                    caller,
                    rename("f", "d/g"),
                    roots("d", 01777),
                    file(0),
                    file("d/g", 0, 0, 0));
            cases.add(
                    "owner's file in a sticky directory",
                    caller,
                    rename("f", "d/g"),
                    roots("d", 01777),
                    file("f", 0, 0, 0),
                    file("d/g", 0));
            cases.add(
                    "root's directory",
                    caller,
                    rename("d", "e"),
                    directory(0777),
                    roots("e", 0755));
            cases.add(
                    "root's directory in a sticky directory",
                    caller,
                    rename("d", "e/g"),
                    directory(0777),
                    roots("e", 01777),
                    roots("e/g", 0755));
        }
        cases.add("directory with file", OWNER, rename("f", "d"), file(0), directory(0777));
        cases.add("file with directory", OWNER, rename("d", "f"), file(0), directory(0777));
        cases.add(
                "directory that is not empty",
                OWNER,
                rename("d", "e"),
                directory(0777),
                directory("e", 0777),
                file("e/f", 0));
        cases.add("link with file", OWNER, rename("f", "l"), file(0), link("d"), directory(0777));
        cases.add(
                "device with file",
                OTHER,
                rename("f", "s"),
                file(0),
                CaseFile.of(Kind.BLOCK, "s", 0, 0, 0));
    }

    private void links() {
        cases.group("link");
        for (int mode : new int[] {0666, 0644, 0600, 04666, 02676, 02666, 0444}) {
            cases.addForAll("%04o".formatted(mode), link("f", "n"), file(mode));
        }
        for (var caller : CALLERS) {
            cases.add(
                    "fifo 0666",
                    caller,
                    link("s", "n"),
                    CaseFile.of(Kind.FIFO, "s", OWNER_UID, 0, 0666));
            cases.add(
                    "device 0666",
                    caller,
                    link("s", "n"),
                    CaseFile.of(Kind.CHARACTER, "s", OWNER_UID, 0, 0666));
            cases.add("link", caller, link("l", "n"), link("f"), file(0666));
            cases.add("directory", caller, link("d", "n"), directory(0777));
        }
    }

    private void linksElsewhere() {
        for (int mode : new int[] {0755, 01777}) {
            cases.addForAll(
                    "to %04o".formatted(mode), link("f", "d/n"), roots("d", mode), file(0666));
        }
        cases.add(
                "from a closed directory",
                OTHER,
                link("d/f", "n"),
                directory(0),
                file("d/f", 0666));
        cases.add("existing", OWNER, link("f", "g"), file(0666), file("g", 0));
        cases.add("existing", OTHER, link("f", "d/g"), file(0666), directory(0755), file("d/g", 0));
        cases.add("itself", OWNER, link("f", "f"), file(0666));
        cases.add("file", READ_ONLY, ROOT, link("f", "n"), file(0666));
        cases.add("file", ALL_SQUASHED, ROOT, link("f", "n"), file(0666));
        cases.add("in a file", OWNER, link("f", "g/n"), file(0666), file("g", 0777));
        cases.add(
                "in a setgid directory",
                OWNER,
                link("f", "d/n"),
                file("f", 1000, 1000, 0666),
                directory("d", 0, 2000, 02777));
    }
}
