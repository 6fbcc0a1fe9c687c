package io.github.rpcrdma4j.interop.access;

import static io.github.rpcrdma4j.interop.access.CaseFile.directory;
import static io.github.rpcrdma4j.interop.access.CaseFile.file;
import static io.github.rpcrdma4j.interop.access.Opening.BOTH;

import io.github.rpcrdma4j.interop.access.Opening.Creation;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments.NewFile;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Cases of version 4 about names and attributes: OPEN that makes files, and all but OPEN.
 *
 * <p>Tests: {@code OurServerAccessTest}, {@code TableTest}.
 */
record CompoundNameCases(Cases cases) {
    private static final List<CaseFile> DIRECTORIES =
            List.of(
                    directory(0700),
                    directory(0711),
                    directory(0733),
                    directory(0755),
                    directory("d", 0, 0, 01777));

    void add() {
        making();
        again();
        names();
        accesses();
        attributes();
        extended();
    }

    private static String words(CaseFile file) {
        return "%04o".formatted(file.mode());
    }

    private void making() {
        cases.group("open-new");
        var ways = new LinkedHashMap<String, Creation>();
        ways.put("none", Creation.NONE);
        ways.put("unchecked", Creation.unchecked(Steps.mode(0600)));
        ways.put("closed", Creation.unchecked(Steps.mode(0)));
        ways.put("guarded", Creation.guarded(Steps.mode(0640)));
        ways.put("guarded for another owner", Creation.guarded(Steps.owner(1004)));
        ways.put("exclusive", Creation.EXCLUSIVE);
        ways.put("exclusive 4.1", Creation.exclusive41(Steps.mode(0640)));
        for (var directory : DIRECTORIES) {
            ways.forEach(
                    (words, creation) ->
                            cases.addForUsers(
                                    words + " in " + words(directory),
                                    Compounds.of(
                                            Opening.of("d/g", BOTH).making(creation).step(),
                                            Steps.write("d/g", Held.OPEN),
                                            Steps.read("d/g", Held.OPEN)),
                                    directory));
            var inside =
                    Map.of(
                            "existing", Creation.NONE,
                            "existing of times", Creation.EXCLUSIVE_OF_TIMES,
                            "existing unchecked", Creation.unchecked(Steps.mode(0666)));
            for (var words : List.of("existing", "existing of times", "existing unchecked")) {
                cases.addForUsers(
                        words + " in " + words(directory),
                        Compounds.of(
                                Opening.of("d/f", BOTH).making(inside.get(words)).step(),
                                Steps.read("d/f", Held.OPEN),
                                Steps.write("d/f", Held.OPEN)),
                        directory,
                        CaseFile.empty("d/f", 0666));
            }
        }
    }

    /** Adds exclusive creations that are sent again, by the owner or another user. */
    private void again() {
        cases.group("open-again");
        var ways = new LinkedHashMap<String, Creation>();
        ways.put("exclusive", Creation.EXCLUSIVE);
        ways.put("exclusive 4.1 0600", Creation.exclusive41(Steps.mode(0600)));
        ways.put("exclusive 4.1 0666", Creation.exclusive41(Steps.mode(0666)));
        ways.forEach(
                (words, creation) -> {
                    var first = Opening.of("g", BOTH).making(creation).step().by(Caller.OWNER);
                    var again = Opening.of("g", BOTH).making(creation).second().step();
                    cases.addForUsers(
                            words,
                            Compounds.of(
                                    first,
                                    again,
                                    Steps.read("g", Held.SECOND),
                                    Steps.write("g", Held.SECOND)));
                    cases.addForUsers(
                            words + " after another mode",
                            Compounds.of(
                                    first,
                                    Steps.setattr("g", Steps.mode(0)).by(Caller.OWNER),
                                    again,
                                    Steps.read("g", Held.SECOND),
                                    Steps.write("g", Held.SECOND)));
                    cases.addForUsers(
                            words + " after WRITE",
                            Compounds.of(
                                    first,
                                    Steps.write("g", Held.OPEN).by(Caller.OWNER),
                                    again,
                                    Steps.read("g", Held.SECOND)));
                });
    }

    private void names() {
        cases.group("names-4");
        for (var directory : DIRECTORIES) {
            var steps = new LinkedHashMap<String, Step>();
            steps.put("access", Steps.access("d"));
            steps.put("lookup", Steps.lookup("d", "f"));
            steps.put("lookup of nothing", Steps.lookup("d", "none"));
            steps.put("lookupp", Steps.lookupParent("d"));
            steps.put("secinfo", Steps.secinfo("d", "f"));
            steps.put("secinfo of nothing", Steps.secinfo("d", "none"));
            steps.put("secinfo above", Steps.secinfoParent("d"));
            steps.put("readdir", Steps.readdir("d"));
            steps.put("remove", Steps.remove("d", "f"));
            steps.put("remove of nothing", Steps.remove("d", "none"));
            steps.put("rename", Steps.rename("d", "f", "d", "new"));
            steps.put("rename away", Steps.rename("d", "f", ".", "new"));
            steps.put("rename into", Steps.rename(".", "g", "d", "new"));
            steps.put("link", Steps.link("g", "d", "new"));
            steps.put("mkdir", Steps.create("d", "n", new NewFile.Directory(), Steps.mode(0755)));
            steps.put(
                    "symlink",
                    Steps.create(
                            "d",
                            "n",
                            new NewFile.SymbolicLink(PathName.of("there")),
                            SetAttributes.NONE));
            steps.put("fifo", Steps.create("d", "n", new NewFile.Fifo(), Steps.mode(0644)));
            steps.put(
                    "device",
                    Steps.create(
                            "d", "n", new NewFile.CharacterDevice(1L << 32 | 3), Steps.mode(0644)));
            steps.forEach(
                    (words, step) ->
                            cases.addForUsers(
                                    words + " in " + words(directory),
                                    Compounds.of(step),
                                    directory,
                                    file("d/f", 0644),
                                    file("g", 0666)));
        }
    }

    private void accesses() {
        cases.group("access-4");
        for (int mode : new int[] {0, 0400, 0644, 0711, 0200, 0640, 0604, 0666}) {
            cases.addForUsers(
                    "file %04o".formatted(mode), Compounds.of(Steps.access("f")), file(mode));
        }
        cases.add(
                "file 0666",
                Exported.READ_ONLY,
                Caller.OWNER,
                Compounds.of(Steps.access("f")),
                file(0666));
        cases.addForUsers(
                "of what is in a closed directory",
                Compounds.of(
                        Steps.getattr("d/f"),
                        Steps.verify("d/f", 10),
                        Steps.verify("d/f", 11),
                        Steps.nverify("d/f", 10),
                        Steps.nverify("d/f", 11),
                        Steps.read("d/f", Held.ANONYMOUS)),
                directory(0),
                file("d/f", 0));
        cases.addForUsers(
                "of a link", Compounds.of(Steps.readlink("l")), CaseFile.link("some/where"));
    }

    private void attributes() {
        cases.group("setattr-4");
        var changes = new LinkedHashMap<String, SetAttributes>();
        changes.put("mode", Steps.mode(0777));
        changes.put("owner", Steps.owner(1003));
        changes.put("group", Steps.group(Caller.SHARED_GID + 1));
        changes.put("size", Steps.size(2));
        changes.put("size and mode", Steps.size(2).withMode(0777));
        changes.put("times now", Steps.timesNow());
        changes.put("times", Steps.timesGiven());
        changes.forEach(
                (words, change) -> {
                    for (int mode : new int[] {0600, 0444, 0666, 06755}) {
                        cases.addForUsers(
                                "%s of %04o".formatted(words, mode),
                                new Compounds(2, false, List.of(Steps.setattr("f", change)), true),
                                file(mode));
                    }
                });
    }

    private void extended() {
        cases.group("xattr");
        for (int mode : new int[] {0600, 0622, 0644, 0666, 0640}) {
            var steps =
                    Map.of(
                            "get", Steps.getxattr("f"),
                            "list", Steps.listxattrs("f"),
                            "set", Steps.setxattr("f"),
                            "remove", Steps.removexattr("f"));
            for (var words : List.of("get", "list", "set", "remove")) {
                cases.addForUsers(
                        "%s of %04o".formatted(words, mode),
                        Compounds.of(
                                Steps.setxattr("f").by(Caller.OWNER),
                                steps.get(words),
                                Steps.listxattrs("f").by(Caller.OWNER)),
                        file(mode));
            }
        }
    }
}
