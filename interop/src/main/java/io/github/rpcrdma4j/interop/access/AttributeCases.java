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
import static io.github.rpcrdma4j.interop.access.Operation.guardedSetattr;
import static io.github.rpcrdma4j.interop.access.Operation.setattr;

import io.github.rpcrdma4j.interop.access.CaseFile.Kind;
import io.github.rpcrdma4j.interop.access.Change.Time;
import java.util.List;

/**
 * Cases of SETATTR.
 *
 * <p>Tests: {@code OurServerAccessTest}, {@code TableTest}.
 */
record AttributeCases(Cases cases) {
    private static final int[] EDGES = {0, 65534, Integer.MIN_VALUE, -2, -1};

    void add() {
        mode();
        modeOfOthers();
        owner();
        group();
        size();
        times();
        timesOfOthers();
        several();
        edges();
    }

    private void mode() {
        cases.group("chmod");
        for (int mode : new int[] {0, 0644, 02755, 02745, 04755, 06777, 01777, 07777}) {
            var change = Change.mode(mode);
            for (var caller : List.of(ROOT, OWNER, OWNER_IN_GROUP, MEMBER)) {
                cases.add("file %04o".formatted(mode), caller, setattr("f", change), file(0666));
                cases.add(
                        "directory %04o".formatted(mode),
                        caller,
                        setattr("d", change),
                        directory(0777));
            }
        }
        for (int mode : new int[] {0170644, 0200644}) {
            cases.add(
                    "file %o".formatted(mode), OWNER, setattr("f", Change.mode(mode)), file(0666));
        }
    }

    private void modeOfOthers() {
        var plain = Change.mode(0640);
        cases.add("file", OTHER, setattr("f", plain), file(0666));
        cases.add("file as it is", OTHER, setattr("f", Change.mode(0666)), file(0666));
        cases.add("file", SQUASHED, ROOT, setattr("f", plain), file(0666));
        cases.add("file of root", SQUASHED, ROOT, setattr("f", plain), file("f", 0, 0, 0666));
        cases.add("closed file", OWNER, setattr("f", plain), file(0));
        cases.add(
                "file in a closed directory",
                OWNER,
                setattr("d/f", plain),
                directory("d", 0, 0, 0),
                file("d/f", 0666));
        cases.add("file", READ_ONLY, OWNER, setattr("f", plain), file(0666));
        cases.add("file", ALL_SQUASHED, OWNER, setattr("f", plain), file(0666));
        cases.add(
                "file of the squashed",
                ALL_SQUASHED,
                ROOT,
                setattr("f", Change.mode(06777)),
                file("f", 1005, 0, 0666));
        cases.add("link", OWNER, setattr("l", plain), link("f"), file(0666));
        cases.add("guarded", OWNER, guardedSetattr("f", plain), file(0666));
        cases.add("guarded", OTHER, guardedSetattr("f", plain), file(0666));
        cases.add("nothing", OWNER, setattr("f", Change.NONE), file(0666));
        cases.add("nothing", OTHER, setattr("f", Change.NONE), file(0));
        cases.add("file", NAMELESS, setattr("f", plain), file(0666));
    }

    private void owner() {
        cases.group("chown");
        var uids = new int[] {OWNER_UID, 1003, 0, 65534, Integer.MIN_VALUE, -2, -1};
        for (int uid : uids) {
            var name = "to " + Integer.toUnsignedString(uid);
            for (var caller : List.of(ROOT, OWNER, OTHER)) {
                cases.add(name, caller, setattr("f", Change.uid(uid)), file(0666));
            }
            cases.add(name, SQUASHED, ROOT, setattr("f", Change.uid(uid)), file(0666));
        }
        for (int mode : new int[] {06755, 02745, 04644}) {
            cases.add("%04o".formatted(mode), ROOT, setattr("f", Change.uid(1003)), file(mode));
            cases.add(
                    "%04o as it is".formatted(mode),
                    OWNER,
                    setattr("f", Change.uid(OWNER_UID)),
                    file(mode));
        }
        cases.add("directory 7755", ROOT, setattr("d", Change.uid(1003)), directory(07755));
        cases.add("link", ROOT, setattr("l", Change.uid(1003)), link("f"), file(0666));
        cases.add(
                "device",
                ROOT,
                setattr("s", Change.uid(1003)),
                CaseFile.of(Kind.CHARACTER, "s", 0, 0, 0600));
        cases.add("file", READ_ONLY, ROOT, setattr("f", Change.uid(1003)), file(0666));
    }

    private void group() {
        cases.group("chgrp");
        var member = Caller.of("owner-in-3000", OWNER_UID, 1000, 3000);
        for (int gid : new int[] {SHARED_GID, 1000, 3000, 0, 65534, Integer.MIN_VALUE, -2, -1}) {
            var name = "to " + Integer.toUnsignedString(gid);
            for (var caller : List.of(ROOT, OWNER, member, MEMBER)) {
                cases.add(name, caller, setattr("f", Change.gid(gid)), file(0666));
            }
        }
        var inMinusOne = Caller.of("owner-in-minus-one", OWNER_UID, -1, -1);
        cases.add("to 4294967295", inMinusOne, setattr("f", Change.gid(-1)), file(0666));
        cases.add(
                "to 4294967295 with 2755",
                inMinusOne,
                setattr("f", Change.gid(-1).withMode(02755)),
                file("f", 1000, 0, 0755));
        cases.add("to 65534", inMinusOne, setattr("f", Change.gid(65534)), file(0666));
        for (int mode : new int[] {06755, 02745, 04644}) {
            cases.add("%04o".formatted(mode), member, setattr("f", Change.gid(3000)), file(mode));
            cases.add("%04o".formatted(mode), ROOT, setattr("f", Change.gid(3000)), file(mode));
        }
        cases.add("directory 7755", member, setattr("d", Change.gid(3000)), directory(07755));
        cases.add("link", member, setattr("l", Change.gid(3000)), link("f"), file(0666));
        cases.add(
                "to 0",
                SQUASHED,
                Caller.of("owner-in-root", OWNER_UID, 1000, 0),
                setattr("f", Change.gid(0)),
                file(0666));
        cases.add(
                "to 65534",
                SQUASHED,
                Caller.of("owner-in-root", OWNER_UID, 1000, 0),
                setattr("f", Change.gid(65534)),
                file(0666));
    }

    private void size() {
        cases.group("truncate");
        for (int mode : new int[] {0, 0200, 0444, 0620, 0602}) {
            cases.addForAll("%04o".formatted(mode), setattr("f", Change.size(3)), file(mode));
        }
        cases.add("longer", OTHER, setattr("f", Change.size(100)), file(0666));
        cases.add("as it is", OTHER, setattr("f", Change.size(10)), file(0666));
        cases.add("as it is, 0444", OTHER, setattr("f", Change.size(10)), file(0444));
        cases.add("beyond all", OWNER, setattr("f", Change.size(Long.MAX_VALUE)), file(0666));
        cases.add("negative", OWNER, setattr("f", Change.size(-1)), file(0666));
        cases.add("directory", OWNER, setattr("d", Change.size(0)), directory(0777));
        cases.add("link", OWNER, setattr("l", Change.size(0)), link("f"), file(0666));
        cases.add(
                "device",
                ROOT,
                setattr("s", Change.size(0)),
                CaseFile.of(Kind.CHARACTER, "s", 0, 0, 0666));
        cases.add(
                "in a closed directory",
                OTHER,
                setattr("d/f", Change.size(3)),
                directory(0),
                file("d/f", 0666));
        cases.add("file", READ_ONLY, OWNER, setattr("f", Change.size(3)), file(0666));
        cases.add("guarded", OWNER, guardedSetattr("f", Change.size(3)), file(0666));
    }

    private void times() {
        cases.group("utimes");
        var writer = file(0666);
        var reader = file(0444);
        for (var accessed : Time.values()) {
            for (var modified : Time.values()) {
                if (accessed == Time.KEPT && modified == Time.KEPT) {
                    continue;
                }
                var change = Change.times(accessed, modified);
                var operation = setattr("f", change);
                for (var caller : List.of(ROOT, OWNER, MEMBER)) {
                    cases.add("0666 " + change.words(), caller, operation, writer);
                }
                cases.add("0444 " + change.words(), OWNER, operation, reader);
                cases.add("0444 " + change.words(), OTHER, operation, reader);
                cases.add("0666 " + change.words(), SQUASHED, ROOT, operation, writer);
            }
        }
    }

    private void timesOfOthers() {
        var now = Change.times(Time.NOW, Time.NOW);
        var given = Change.times(Time.TO_GIVEN, Time.TO_GIVEN);
        for (var caller : List.of(OWNER, OTHER)) {
            cases.add("directory 0777 now", caller, setattr("d", now), directory(0777));
            cases.add("directory 0777 given", caller, setattr("d", given), directory(0777));
            cases.add("link now", caller, setattr("l", now), link("f"), file(0666));
            cases.add("link given", caller, setattr("l", given), link("f"), file(0666));
        }
        cases.add("now", READ_ONLY, OWNER, setattr("f", now), file(0666));
        cases.add("given", READ_ONLY, OWNER, setattr("f", given), file(0666));
    }

    private void several() {
        cases.group("setattr-several");
        var sized = Change.mode(0600).withSize(3);
        cases.add("mode and size", OWNER, setattr("f", sized), file(0666));
        cases.add("mode and size", MEMBER, setattr("f", sized), file(0666));
        cases.add("mode and size of 0000", OWNER, setattr("f", sized), file(0));
        cases.add(
                "special mode and size",
                OWNER,
                setattr("f", Change.mode(06755).withSize(3)),
                file(0666));
        cases.add(
                "special mode and owner",
                ROOT,
                setattr("f", Change.mode(06755).withUid(1003).withGid(1003)),
                file(0666));
        cases.add(
                "special mode and group",
                OWNER,
                setattr("f", Change.mode(06755).withGid(1000)),
                file(0666));
        cases.add(
                "owner and group", OWNER, setattr("f", Change.uid(1000).withGid(1000)), file(0666));
        cases.add(
                "owner, group and size",
                OTHER,
                setattr("f", Change.uid(1003).withGid(1003).withSize(0)),
                file(0666));
        cases.add(
                "size and given times",
                OWNER,
                setattr("f", Change.size(3).withTimes(Time.TO_GIVEN, Time.TO_GIVEN)),
                file(0666));
        cases.add(
                "size and given times",
                MEMBER,
                setattr("f", Change.size(3).withTimes(Time.TO_GIVEN, Time.TO_GIVEN)),
                file(0666));
        cases.add(
                "size and times now",
                MEMBER,
                setattr("f", Change.size(3).withTimes(Time.NOW, Time.NOW)),
                file(0666));
        cases.add(
                "size and mtime now",
                MEMBER,
                setattr("f", Change.size(3).withTimes(Time.KEPT, Time.NOW)),
                file(0666));
        cases.add(
                "all",
                ROOT,
                setattr(
                        "f",
                        Change.mode(04711)
                                .withUid(7)
                                .withGid(8)
                                .withSize(1)
                                .withTimes(Time.TO_GIVEN, Time.TO_GIVEN)),
                file(0666));
    }

    private void edges() {
        for (int edge : EDGES) {
            cases.add(
                    "uid and gid " + Integer.toUnsignedString(edge),
                    ROOT,
                    setattr("f", Change.uid(edge).withGid(edge).withMode(06755)),
                    file(0666));
        }
    }
}
