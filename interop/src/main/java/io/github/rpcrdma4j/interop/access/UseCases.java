package io.github.rpcrdma4j.interop.access;

import static io.github.rpcrdma4j.interop.access.Opening.BOTH;

import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Cases of the use of an open file by another user, without an open, and after a right was taken
 * away.
 *
 * <p>Tests: {@code OurServerAccessTest}, {@code TableTest}.
 */
record UseCases(Cases cases) {
    private static final int[] MODES = {0600, 0200, 0400, 0222, 0444, 0666, 0640, 0000};

    void add() {
        byOthers();
        takenAway();
        withoutOpen();
        locks();
        lease();
    }

    private static Compounds steps(List<Step> first, List<Step> then) {
        var all = new ArrayList<>(first);
        all.addAll(then);
        return Compounds.of(all.toArray(Step[]::new));
    }

    private static Step ownersOpen() {
        return Opening.of("f", BOTH).step().by(Caller.OWNER);
    }

    /** Adds uses of the owner's stateid. */
    private void byOthers() {
        cases.group("use-of-owners");
        for (var use : Use.values()) {
            for (int mode : new int[] {0600, 0622, 0644}) {
                cases.addForUsers(
                        "%s %04o".formatted(use.words(), mode),
                        steps(List.of(ownersOpen()), use.steps(Held.OPEN)),
                        use.files(CaseFile.file(mode)));
            }
        }
    }

    /** Adds uses of the caller's own stateid after the owner took the rights of the file away. */
    private void takenAway() {
        cases.group("use-taken-away");
        for (var use : Use.OF_CONTENT) {
            cases.addForUsers(
                    use.words() + " after mode 0",
                    steps(
                            List.of(
                                    Opening.of("f", BOTH).step(),
                                    Steps.setattr("f", Steps.mode(0)).by(Caller.OWNER)),
                            use.steps(Held.OPEN)),
                    use.files(CaseFile.file(0666)));
        }
        for (var use : List.of(Use.READ, Use.WRITE, Use.TRUNCATE, Use.LOCK)) {
            cases.addForUsers(
                    use.words() + " after another mode",
                    steps(
                            List.of(
                                    Opening.of("f", BOTH).step(),
                                    Steps.setattr("f", Steps.mode(0600)).by(Caller.OWNER)),
                            use.steps(Held.OPEN)),
                    use.files(CaseFile.file(0660)));
            for (var caller : List.of(Caller.OWNER, Caller.MEMBER, Caller.ROOT)) {
                cases.add(
                        use.words() + " after another owner",
                        caller,
                        steps(
                                List.of(
                                        Opening.of("f", BOTH).step(),
                                        Steps.setattr("f", Steps.owner(1004)).by(Caller.ROOT)),
                                use.steps(Held.OPEN)),
                        use.files(CaseFile.file(0660)));
            }
        }
    }

    /** Adds uses with the special stateids. */
    private void withoutOpen() {
        cases.group("use-without-open");
        for (var held : List.of(Held.ANONYMOUS, Held.BYPASS)) {
            for (int mode : MODES) {
                cases.addForUsers(
                        "%s %04o".formatted(held.words(), mode),
                        Compounds.of(
                                Steps.read("f", held),
                                Steps.readPlus("f", held),
                                Steps.seek("f", held),
                                Steps.write("f", held),
                                Steps.allocate("f", held),
                                Steps.deallocate("f", held),
                                Steps.truncate("f", held),
                                Steps.commit("f")),
                        CaseFile.file(mode));
            }
        }
    }

    private void locks() {
        cases.group("lock");
        for (int access : new int[] {Opening.READ, Opening.WRITE, BOTH}) {
            for (var type : List.of(LockType.READ, LockType.WRITE)) {
                cases.addForUsers(
                        "%s with %s".formatted(type, Opening.words(access)),
                        Compounds.of(Opening.of("f", access).step(), Steps.lock("f", type)),
                        CaseFile.file(0666));
            }
        }
        for (int mode : MODES) {
            cases.addForUsers(
                    "test %04o".formatted(mode),
                    Compounds.of(
                            Steps.locked("f", LockType.READ), Steps.locked("f", LockType.WRITE)),
                    CaseFile.file(mode));
        }
        for (int mode : new int[] {0600, 0622, 0644, 0666}) {
            cases.addForUsers(
                    "of the owner %04o".formatted(mode),
                    Compounds.of(
                            ownersOpen(),
                            Steps.lock("f", LockType.WRITE).by(Caller.OWNER),
                            Steps.read("f", Held.LOCK),
                            Steps.write("f", Held.LOCK),
                            Steps.truncate("f", Held.LOCK),
                            Steps.locked("f", LockType.READ),
                            Steps.unlock("f")),
                    CaseFile.file(mode));
        }
    }

    private void lease() {
        cases.group("use-4.0");
        var uses =
                List.of(
                        Use.READ,
                        Use.WRITE,
                        Use.TRUNCATE,
                        Use.LOCK,
                        Use.LOCKT,
                        Use.DOWNGRADE,
                        Use.CLOSE);
        for (var use : uses) {
            for (int mode : new int[] {0600, 0622, 0644}) {
                var all = new ArrayList<>(List.of(ownersOpen()));
                all.addAll(use.steps(Held.OPEN));
                cases.addForUsers(
                        "%s %04o".formatted(use.words(), mode),
                        Compounds.ofLease(all.toArray(Step[]::new)),
                        use.files(CaseFile.file(mode)));
            }
        }
        for (int mode : Arrays.copyOf(MODES, 4)) {
            cases.addForUsers(
                    "without open %04o".formatted(mode),
                    Compounds.ofLease(
                            Steps.read("f", Held.ANONYMOUS),
                            Steps.read("f", Held.BYPASS),
                            Steps.write("f", Held.ANONYMOUS),
                            Steps.truncate("f", Held.ANONYMOUS)),
                    CaseFile.file(mode));
        }
    }
}
