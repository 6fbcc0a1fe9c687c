package io.github.rpcrdma4j.interop.access;

import io.github.rpcrdma4j.interop.access.Change.Time;
import io.github.rpcrdma4j.interop.access.Item.Kind;
import java.util.List;

/** SETATTR. */
final class AttributeCases {
    private static final int[] EDGES = {0, 65534, Integer.MIN_VALUE, -2, -1};

    private final Cases cases;

    private AttributeCases(Cases cases) {
        this.cases = cases;
    }

    static void add(Cases cases) {
        var attributes = new AttributeCases(cases);
        attributes.mode();
        attributes.modeOfOthers();
        attributes.owner();
        attributes.group();
        attributes.size();
        attributes.times();
        attributes.timesOfOthers();
        attributes.several();
        attributes.edges();
    }

    private void mode() {
        cases.group("chmod");
        for (int mode : new int[] {0, 0644, 02755, 02745, 04755, 06777, 01777, 07777}) {
            var change = Change.mode(mode);
            for (var caller :
                    List.of(Caller.ROOT, Caller.OWNER, Caller.OWNER_IN_GROUP, Caller.MEMBER)) {
                cases.add(
                        "file %04o".formatted(mode),
                        caller,
                        Operation.setattr("f", change),
                        Item.file(0666));
                cases.add(
                        "folder %04o".formatted(mode),
                        caller,
                        Operation.setattr("d", change),
                        Item.folder(0777));
            }
        }
        for (int mode : new int[] {0170644, 0200644}) {
            cases.add(
                    "file %o".formatted(mode),
                    Caller.OWNER,
                    Operation.setattr("f", Change.mode(mode)),
                    Item.file(0666));
        }
    }

    private void modeOfOthers() {
        var plain = Change.mode(0640);
        cases.add("file", Caller.OTHER, Operation.setattr("f", plain), Item.file(0666));
        cases.add(
                "file as it is",
                Caller.OTHER,
                Operation.setattr("f", Change.mode(0666)),
                Item.file(0666));
        cases.add(
                "file",
                Exported.SQUASHED,
                Caller.ROOT,
                Operation.setattr("f", plain),
                Item.file(0666));
        cases.add(
                "file of root",
                Exported.SQUASHED,
                Caller.ROOT,
                Operation.setattr("f", plain),
                Item.file("f", 0, 0, 0666));
        cases.add("closed file", Caller.OWNER, Operation.setattr("f", plain), Item.file(0));
        cases.add(
                "file in a closed folder",
                Caller.OWNER,
                Operation.setattr("d/f", plain),
                Item.folder("d", 0, 0, 0),
                Item.file("d/f", 0666));
        cases.add(
                "file",
                Exported.FIXED,
                Caller.OWNER,
                Operation.setattr("f", plain),
                Item.file(0666));
        cases.add(
                "file",
                Exported.ALL_SQUASHED,
                Caller.OWNER,
                Operation.setattr("f", plain),
                Item.file(0666));
        cases.add(
                "file of the squashed",
                Exported.ALL_SQUASHED,
                Caller.ROOT,
                Operation.setattr("f", Change.mode(06777)),
                Item.file("f", 1005, 0, 0666));
        cases.add(
                "link",
                Caller.OWNER,
                Operation.setattr("l", plain),
                Item.link("f"),
                Item.file(0666));
        cases.add("guarded", Caller.OWNER, Operation.guardedSetattr("f", plain), Item.file(0666));
        cases.add("guarded", Caller.OTHER, Operation.guardedSetattr("f", plain), Item.file(0666));
        cases.add("nothing", Caller.OWNER, Operation.setattr("f", Change.NONE), Item.file(0666));
        cases.add("nothing", Caller.OTHER, Operation.setattr("f", Change.NONE), Item.file(0));
        cases.add("file", Caller.NAMELESS, Operation.setattr("f", plain), Item.file(0666));
    }

    private void owner() {
        cases.group("chown");
        var uids = new int[] {Caller.OWNER_UID, 1003, 0, 65534, Integer.MIN_VALUE, -2, -1};
        for (int uid : uids) {
            var name = "to " + Integer.toUnsignedString(uid);
            for (var caller : List.of(Caller.ROOT, Caller.OWNER, Caller.OTHER)) {
                cases.add(name, caller, Operation.setattr("f", Change.uid(uid)), Item.file(0666));
            }
            cases.add(
                    name,
                    Exported.SQUASHED,
                    Caller.ROOT,
                    Operation.setattr("f", Change.uid(uid)),
                    Item.file(0666));
        }
        for (int mode : new int[] {06755, 02745, 04644}) {
            cases.add(
                    "%04o".formatted(mode),
                    Caller.ROOT,
                    Operation.setattr("f", Change.uid(1003)),
                    Item.file(mode));
            cases.add(
                    "%04o as it is".formatted(mode),
                    Caller.OWNER,
                    Operation.setattr("f", Change.uid(Caller.OWNER_UID)),
                    Item.file(mode));
        }
        cases.add(
                "folder 7755",
                Caller.ROOT,
                Operation.setattr("d", Change.uid(1003)),
                Item.folder(07755));
        cases.add(
                "link",
                Caller.ROOT,
                Operation.setattr("l", Change.uid(1003)),
                Item.link("f"),
                Item.file(0666));
        cases.add(
                "device",
                Caller.ROOT,
                Operation.setattr("s", Change.uid(1003)),
                Item.of(Kind.CHARACTER, "s", 0, 0, 0600));
        cases.add(
                "file",
                Exported.FIXED,
                Caller.ROOT,
                Operation.setattr("f", Change.uid(1003)),
                Item.file(0666));
    }

    private void group() {
        cases.group("chgrp");
        var member = Caller.of("owner-in-3000", Caller.OWNER_UID, 1000, 3000);
        for (int gid :
                new int[] {Caller.SHARED_GID, 1000, 3000, 0, 65534, Integer.MIN_VALUE, -2, -1}) {
            var name = "to " + Integer.toUnsignedString(gid);
            for (var caller : List.of(Caller.ROOT, Caller.OWNER, member, Caller.MEMBER)) {
                cases.add(name, caller, Operation.setattr("f", Change.gid(gid)), Item.file(0666));
            }
        }
        var inMinusOne = Caller.of("owner-in-minus-one", Caller.OWNER_UID, -1, -1);
        cases.add(
                "to 4294967295",
                inMinusOne,
                Operation.setattr("f", Change.gid(-1)),
                Item.file(0666));
        cases.add(
                "to 4294967295 with 2755",
                inMinusOne,
                Operation.setattr("f", Change.gid(-1).withMode(02755)),
                Item.file("f", 1000, 0, 0755));
        cases.add(
                "to 65534", inMinusOne, Operation.setattr("f", Change.gid(65534)), Item.file(0666));
        for (int mode : new int[] {06755, 02745, 04644}) {
            cases.add(
                    "%04o".formatted(mode),
                    member,
                    Operation.setattr("f", Change.gid(3000)),
                    Item.file(mode));
            cases.add(
                    "%04o".formatted(mode),
                    Caller.ROOT,
                    Operation.setattr("f", Change.gid(3000)),
                    Item.file(mode));
        }
        cases.add(
                "folder 7755",
                member,
                Operation.setattr("d", Change.gid(3000)),
                Item.folder(07755));
        cases.add(
                "link",
                member,
                Operation.setattr("l", Change.gid(3000)),
                Item.link("f"),
                Item.file(0666));
        cases.add(
                "to 0",
                Exported.SQUASHED,
                Caller.of("owner-in-root", Caller.OWNER_UID, 1000, 0),
                Operation.setattr("f", Change.gid(0)),
                Item.file(0666));
        cases.add(
                "to 65534",
                Exported.SQUASHED,
                Caller.of("owner-in-root", Caller.OWNER_UID, 1000, 0),
                Operation.setattr("f", Change.gid(65534)),
                Item.file(0666));
    }

    private void size() {
        cases.group("truncate");
        for (int mode : new int[] {0, 0200, 0444, 0620, 0602}) {
            cases.addForAll(
                    "%04o".formatted(mode),
                    Operation.setattr("f", Change.size(3)),
                    Item.file(mode));
        }
        cases.add(
                "longer", Caller.OTHER, Operation.setattr("f", Change.size(100)), Item.file(0666));
        cases.add(
                "as it is", Caller.OTHER, Operation.setattr("f", Change.size(10)), Item.file(0666));
        cases.add(
                "as it is, 0444",
                Caller.OTHER,
                Operation.setattr("f", Change.size(10)),
                Item.file(0444));
        cases.add(
                "beyond all",
                Caller.OWNER,
                Operation.setattr("f", Change.size(Long.MAX_VALUE)),
                Item.file(0666));
        cases.add(
                "negative", Caller.OWNER, Operation.setattr("f", Change.size(-1)), Item.file(0666));
        cases.add(
                "folder", Caller.OWNER, Operation.setattr("d", Change.size(0)), Item.folder(0777));
        cases.add(
                "link",
                Caller.OWNER,
                Operation.setattr("l", Change.size(0)),
                Item.link("f"),
                Item.file(0666));
        cases.add(
                "device",
                Caller.ROOT,
                Operation.setattr("s", Change.size(0)),
                Item.of(Kind.CHARACTER, "s", 0, 0, 0666));
        cases.add(
                "in a closed folder",
                Caller.OTHER,
                Operation.setattr("d/f", Change.size(3)),
                Item.folder(0),
                Item.file("d/f", 0666));
        cases.add(
                "file",
                Exported.FIXED,
                Caller.OWNER,
                Operation.setattr("f", Change.size(3)),
                Item.file(0666));
        cases.add(
                "guarded",
                Caller.OWNER,
                Operation.guardedSetattr("f", Change.size(3)),
                Item.file(0666));
    }

    private void times() {
        cases.group("utimes");
        var writer = Item.file(0666);
        var reader = Item.file(0444);
        for (var accessed : Time.values()) {
            for (var modified : Time.values()) {
                if (accessed == Time.KEPT && modified == Time.KEPT) {
                    continue;
                }
                var change = Change.times(accessed, modified);
                var operation = Operation.setattr("f", change);
                for (var caller : List.of(Caller.ROOT, Caller.OWNER, Caller.MEMBER)) {
                    cases.add("0666 " + change.words(), caller, operation, writer);
                }
                cases.add("0444 " + change.words(), Caller.OWNER, operation, reader);
                cases.add("0444 " + change.words(), Caller.OTHER, operation, reader);
                cases.add(
                        "0666 " + change.words(),
                        Exported.SQUASHED,
                        Caller.ROOT,
                        operation,
                        writer);
            }
        }
    }

    private void timesOfOthers() {
        var now = Change.times(Time.NOW, Time.NOW);
        var given = Change.times(Time.TO_GIVEN, Time.TO_GIVEN);
        for (var caller : List.of(Caller.OWNER, Caller.OTHER)) {
            cases.add("folder 0777 now", caller, Operation.setattr("d", now), Item.folder(0777));
            cases.add(
                    "folder 0777 given", caller, Operation.setattr("d", given), Item.folder(0777));
            cases.add(
                    "link now",
                    caller,
                    Operation.setattr("l", now),
                    Item.link("f"),
                    Item.file(0666));
            cases.add(
                    "link given",
                    caller,
                    Operation.setattr("l", given),
                    Item.link("f"),
                    Item.file(0666));
        }
        cases.add(
                "now", Exported.FIXED, Caller.OWNER, Operation.setattr("f", now), Item.file(0666));
        cases.add(
                "given",
                Exported.FIXED,
                Caller.OWNER,
                Operation.setattr("f", given),
                Item.file(0666));
    }

    private void several() {
        cases.group("setattr-several");
        var sized = Change.mode(0600).withSize(3);
        cases.add("mode and size", Caller.OWNER, Operation.setattr("f", sized), Item.file(0666));
        cases.add("mode and size", Caller.MEMBER, Operation.setattr("f", sized), Item.file(0666));
        cases.add(
                "mode and size of 0000", Caller.OWNER, Operation.setattr("f", sized), Item.file(0));
        cases.add(
                "special mode and size",
                Caller.OWNER,
                Operation.setattr("f", Change.mode(06755).withSize(3)),
                Item.file(0666));
        cases.add(
                "special mode and owner",
                Caller.ROOT,
                Operation.setattr("f", Change.mode(06755).withUid(1003).withGid(1003)),
                Item.file(0666));
        cases.add(
                "special mode and group",
                Caller.OWNER,
                Operation.setattr("f", Change.mode(06755).withGid(1000)),
                Item.file(0666));
        cases.add(
                "owner and group",
                Caller.OWNER,
                Operation.setattr("f", Change.uid(1000).withGid(1000)),
                Item.file(0666));
        cases.add(
                "owner, group and size",
                Caller.OTHER,
                Operation.setattr("f", Change.uid(1003).withGid(1003).withSize(0)),
                Item.file(0666));
        cases.add(
                "size and given times",
                Caller.OWNER,
                Operation.setattr("f", Change.size(3).withTimes(Time.TO_GIVEN, Time.TO_GIVEN)),
                Item.file(0666));
        cases.add(
                "size and given times",
                Caller.MEMBER,
                Operation.setattr("f", Change.size(3).withTimes(Time.TO_GIVEN, Time.TO_GIVEN)),
                Item.file(0666));
        cases.add(
                "size and times now",
                Caller.MEMBER,
                Operation.setattr("f", Change.size(3).withTimes(Time.NOW, Time.NOW)),
                Item.file(0666));
        cases.add(
                "size and mtime now",
                Caller.MEMBER,
                Operation.setattr("f", Change.size(3).withTimes(Time.KEPT, Time.NOW)),
                Item.file(0666));
        cases.add(
                "all",
                Caller.ROOT,
                Operation.setattr(
                        "f",
                        Change.mode(04711)
                                .withUid(7)
                                .withGid(8)
                                .withSize(1)
                                .withTimes(Time.TO_GIVEN, Time.TO_GIVEN)),
                Item.file(0666));
    }

    private void edges() {
        for (int edge : EDGES) {
            cases.add(
                    "uid and gid " + Integer.toUnsignedString(edge),
                    Caller.ROOT,
                    Operation.setattr("f", Change.uid(edge).withGid(edge).withMode(06755)),
                    Item.file(0666));
        }
    }
}
