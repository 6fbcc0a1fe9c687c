package io.github.rpcrdma4j.interop.access;

import static io.github.rpcrdma4j.interop.access.Opening.BOTH;
import static io.github.rpcrdma4j.interop.access.Opening.READ;
import static io.github.rpcrdma4j.interop.access.Opening.WRITE;

import io.github.rpcrdma4j.interop.access.Opening.Creation;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Cases of OPEN of a file that exists, and of READ and WRITE by the stateid that it gives.
 *
 * <p>Tests: {@code OurServerAccessTest}, {@code TableTest}.
 */
record OpenCases(Cases cases) {
    private static final int[] MODES = {0600, 0200, 0400, 0222, 0444, 0666, 0640, 0000};

    void add() {
        existing();
        ofTimes();
        inOtherExports();
        upgrades();
        denials();
        lease();
    }

    private static String words(int mode) {
        return "%04o".formatted(mode);
    }

    private static Compounds readAndWrite(Opening opening) {
        return Compounds.of(
                opening.step(), Steps.read("f", Held.OPEN), Steps.write("f", Held.OPEN));
    }

    private static Map<String, Opening> ways() {
        var ways = new LinkedHashMap<String, Opening>();
        for (int access : new int[] {READ, WRITE, BOTH}) {
            ways.put("for " + Opening.words(access), Opening.of("f", access));
        }
        ways.put("by handle", Opening.of("f", BOTH).byHandle());
        ways.put("unchecked", Opening.of("f", BOTH).making(Creation.unchecked(SetAttributes.NONE)));
        ways.put(
                "unchecked with a mode",
                Opening.of("f", BOTH).making(Creation.unchecked(Steps.mode(0666))));
        ways.put(
                "unchecked without content",
                Opening.of("f", WRITE).making(Creation.unchecked(Steps.size(0))));
        return ways;
    }

    private void existing() {
        cases.group("open");
        ways().forEach(
                        (words, opening) -> {
                            for (int mode : MODES) {
                                cases.addForUsers(
                                        words + " " + words(mode),
                                        readAndWrite(opening),
                                        CaseFile.file(mode));
                            }
                        });
        var taken =
                Map.of(
                        "guarded", Creation.guarded(Steps.mode(0666)),
                        "exclusive", Creation.EXCLUSIVE,
                        "exclusive 4.1", Creation.exclusive41(Steps.mode(0666)));
        for (var words : List.of("guarded", "exclusive", "exclusive 4.1")) {
            for (int mode : new int[] {0600, 0666}) {
                cases.addForUsers(
                        words + " " + words(mode),
                        readAndWrite(Opening.of("f", BOTH).making(taken.get(words))),
                        CaseFile.file(mode));
            }
        }
    }

    /** Adds exclusive creations whose verifier is the times of a file of another user. */
    private void ofTimes() {
        cases.group("open-of-times");
        for (int mode : MODES) {
            for (int access : new int[] {READ, WRITE, BOTH}) {
                cases.addForUsers(
                        "exclusive for %s %04o".formatted(Opening.words(access), mode),
                        readAndWrite(Opening.of("f", access).making(Creation.EXCLUSIVE_OF_TIMES)),
                        CaseFile.empty(mode));
            }
            cases.addForUsers(
                    "exclusive 4.1 " + words(mode),
                    readAndWrite(
                            Opening.of("f", BOTH)
                                    .making(Creation.exclusive41OfTimes(SetAttributes.NONE))),
                    CaseFile.empty(mode));
            cases.addForUsers(
                    "exclusive 4.1 with a mode " + words(mode),
                    readAndWrite(
                            Opening.of("f", BOTH)
                                    .making(Creation.exclusive41OfTimes(Steps.mode(0666)))),
                    CaseFile.empty(mode));
        }
        cases.addForUsers(
                "of a file with content",
                readAndWrite(Opening.of("f", BOTH).making(Creation.EXCLUSIVE_OF_TIMES)),
                CaseFile.file(0666));
        cases.addForUsers(
                "of a file of root",
                readAndWrite(Opening.of("f", BOTH).making(Creation.EXCLUSIVE_OF_TIMES)),
                CaseFile.of(CaseFile.Kind.EMPTY, "f", 0, 0, 0600));
    }

    private void inOtherExports() {
        cases.group("open-export");
        var all = new LinkedHashMap<>(ways());
        all.put("exclusive", Opening.of("f", BOTH).making(Creation.EXCLUSIVE_OF_TIMES));
        all.put("new", Opening.of("g", BOTH).making(Creation.unchecked(Steps.mode(0666))));
        all.forEach(
                (words, opening) -> {
                    for (var caller : List.of(Caller.ROOT, Caller.OWNER, Caller.OTHER)) {
                        cases.add(
                                words,
                                Exported.READ_ONLY,
                                caller,
                                Compounds.of(
                                        opening.step(),
                                        Steps.read(opening.path(), Held.OPEN),
                                        Steps.write(opening.path(), Held.OPEN)),
                                CaseFile.empty(0666));
                    }
                    for (int uid : new int[] {Caller.OWNER_UID, 1005}) {
                        cases.add(
                                words + " of " + uid,
                                Exported.ALL_SQUASHED,
                                Caller.OWNER,
                                Compounds.of(
                                        opening.step(),
                                        Steps.read(opening.path(), Held.OPEN),
                                        Steps.write(opening.path(), Held.OPEN)),
                                CaseFile.of(CaseFile.Kind.EMPTY, "f", uid, 1006, 0600));
                    }
                });
        for (int mode : new int[] {0600, 0644, 0666}) {
            cases.add(
                    "nameless " + words(mode),
                    Caller.NAMELESS,
                    readAndWrite(Opening.of("f", BOTH)),
                    CaseFile.file(mode));
        }
    }

    private void upgrades() {
        cases.group("open-upgrade");
        for (int mode : new int[] {0600, 0444, 0222, 0644, 0622, 0666}) {
            var file = CaseFile.file(mode);
            cases.addForUsers(
                    "read to both " + words(mode),
                    Compounds.of(
                            Opening.of("f", READ).step(),
                            Opening.of("f", BOTH).step(),
                            Steps.read("f", Held.OPEN),
                            Steps.write("f", Held.OPEN),
                            Steps.downgrade("f", READ),
                            Steps.read("f", Held.OPEN),
                            Steps.write("f", Held.OPEN)),
                    file);
            // The open owner is the same, the user is not.
            for (int access : new int[] {READ, WRITE}) {
                cases.addForUsers(
                        "the owner's with %s %04o".formatted(Opening.words(access), mode),
                        Compounds.of(
                                Opening.of("f", BOTH ^ access).step().by(Caller.OWNER),
                                Opening.of("f", access).step(),
                                Steps.read("f", Held.OPEN),
                                Steps.write("f", Held.OPEN),
                                Steps.truncate("f", Held.OPEN)),
                        file);
            }
        }
    }

    private void denials() {
        cases.group("open-deny");
        for (int deny : new int[] {READ, WRITE, BOTH}) {
            for (int mode : new int[] {0444, 0644, 0622, 0666}) {
                cases.addForUsers(
                        "%s of %04o".formatted(Opening.words(deny), mode),
                        Compounds.of(
                                Opening.of("f", READ).denying(deny).step(),
                                Steps.read("f", Held.OPEN)),
                        CaseFile.file(mode));
            }
        }
        for (int access : new int[] {READ, WRITE, BOTH}) {
            for (int deny : new int[] {0, READ, WRITE, BOTH}) {
                var words = "%s deny %s".formatted(Opening.words(access), Opening.words(deny));
                var first = Opening.of("f", access).denying(deny).step().by(Caller.OWNER);
                cases.add(
                        words + " then without an open",
                        Caller.OTHER,
                        Compounds.of(
                                first,
                                Steps.read("f", Held.ANONYMOUS),
                                Steps.read("f", Held.BYPASS),
                                Steps.write("f", Held.ANONYMOUS),
                                Steps.truncate("f", Held.ANONYMOUS)),
                        CaseFile.file(0666));
                for (int then : new int[] {READ, WRITE, BOTH}) {
                    cases.add(
                            "%s then %s".formatted(words, Opening.words(then)),
                            Caller.OTHER,
                            Compounds.of(first, Opening.of("f", then).second().step()),
                            CaseFile.file(0666));
                }
            }
        }
    }

    /** Adds cases of version 4.0, which has no sessions, and opens by name only. */
    private void lease() {
        cases.group("open-4.0");
        var ways =
                Map.of(
                        "read", Opening.of("f", READ),
                        "both", Opening.of("f", BOTH),
                        "unchecked",
                                Opening.of("f", BOTH).making(Creation.unchecked(Steps.mode(0666))),
                        "exclusive", Opening.of("f", BOTH).making(Creation.EXCLUSIVE),
                        "of times", Opening.of("f", BOTH).making(Creation.EXCLUSIVE_OF_TIMES));
        for (var words : List.of("read", "both", "unchecked", "exclusive", "of times")) {
            for (int mode : new int[] {0600, 0444, 0222, 0666}) {
                cases.addForUsers(
                        words + " " + words(mode),
                        Compounds.ofLease(
                                ways.get(words).step(),
                                Steps.read("f", Held.OPEN),
                                Steps.write("f", Held.OPEN),
                                Steps.close("f")),
                        words.equals("of times") ? CaseFile.empty(mode) : CaseFile.file(mode));
            }
        }
    }
}
