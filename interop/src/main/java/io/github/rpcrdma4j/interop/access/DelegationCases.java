package io.github.rpcrdma4j.interop.access;

import static io.github.rpcrdma4j.interop.access.Opening.BOTH;
import static io.github.rpcrdma4j.interop.access.Opening.READ;
import static io.github.rpcrdma4j.interop.access.Opening.WRITE;

import io.github.rpcrdma4j.interop.access.Opening.Claim;
import io.github.rpcrdma4j.interop.access.Opening.Creation;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Cases of delegations for reading. A delegation belongs to a client, and all callers are users of
 * one client: each use takes the rights of its caller.
 *
 * <p>Tests: {@code OurServerAccessTest}, {@code TableTest}.
 */
record DelegationCases(Cases cases) {
    private static final List<Use> USES =
            List.of(
                    Use.READ,
                    Use.WRITE,
                    Use.TRUNCATE,
                    Use.READ_PLUS,
                    Use.SEEK,
                    Use.ALLOCATE,
                    Use.COPY_FROM,
                    Use.CLONE_FROM);
    private static final List<Use> FOR_READING =
            List.of(Use.READ, Use.READ_PLUS, Use.SEEK, Use.COPY_FROM);

    void add() {
        ofTheOwner();
        takenAway();
        returns();
        claims();
        besides();
        namesOfOthers();
        recalls();
    }

    private static Step delegated() {
        return Opening.of("f", READ).wishing().step();
    }

    private static Step delegatedToOwner() {
        return delegated().by(Caller.OWNER);
    }

    private static Step returned() {
        return Steps.delegreturn("f").by(Caller.OWNER);
    }

    private static Compounds with(Step first, List<Step> then, Step last) {
        var all = new ArrayList<Step>();
        all.add(first);
        all.addAll(then);
        all.add(last);
        return Compounds.withDelegations(all.toArray(Step[]::new));
    }

    /** Adds uses of the owner's delegation by all callers. */
    private void ofTheOwner() {
        cases.group("delegation-of-owner");
        for (var use : USES) {
            for (int mode : new int[] {0600, 0622, 0644}) {
                cases.addForUsers(
                        "%s %04o".formatted(use.words(), mode),
                        with(delegatedToOwner(), use.steps(Held.DELEGATION), returned()),
                        use.files(CaseFile.file(mode)));
            }
        }
    }

    /** Adds uses of the caller's own delegation after its rights to the file were taken away. */
    private void takenAway() {
        cases.group("delegation-taken-away");
        var changes =
                Map.of(
                        "mode 0", Steps.setattr("f", Steps.mode(0)).by(Caller.OWNER),
                        "another owner", Steps.setattr("f", Steps.owner(1004)).by(Caller.ROOT));
        for (var words : List.of("mode 0", "another owner")) {
            for (var use : FOR_READING) {
                var steps = new ArrayList<>(List.of(changes.get(words)));
                steps.addAll(use.steps(Held.DELEGATION));
                cases.addForUsers(
                        "%s after %s".formatted(use.words(), words),
                        with(delegated(), steps, Steps.delegreturn("f")),
                        use.files(CaseFile.file(0660)));
            }
        }
    }

    /** Adds returns of the owner's delegation by all callers. */
    private void returns() {
        cases.group("delegation-return");
        for (int mode : new int[] {0600, 0644}) {
            cases.addForUsers(
                    "of the owner %04o".formatted(mode),
                    with(
                            delegatedToOwner(),
                            List.of(
                                    Steps.delegreturn("f"),
                                    Steps.read("f", Held.DELEGATION).by(Caller.OWNER)),
                            returned()),
                    CaseFile.file(mode));
        }
    }

    /** Adds opens that claim the owner's delegation. */
    private void claims() {
        cases.group("delegation-claim");
        for (var claim : List.of(Claim.DELEGATED_NAME, Claim.DELEGATED_HANDLE)) {
            for (int access : new int[] {READ, WRITE, BOTH}) {
                for (int mode : new int[] {0600, 0622, 0644, 0666}) {
                    var opening = Opening.of("f", access).claiming(claim).second().declining();
                    cases.addForUsers(
                            "for %s%s %04o".formatted(Opening.words(access), claim.words(), mode),
                            with(
                                    delegatedToOwner(),
                                    List.of(
                                            opening.step().needing(Step.Needs.NOTHING),
                                            Steps.read("f", Held.DELEGATION)),
                                    returned()),
                            CaseFile.file(mode));
                }
            }
        }
    }

    /** Adds opens by the same client while the owner has a delegation. */
    private void besides() {
        cases.group("delegation-besides");
        for (int mode : new int[] {0600, 0622, 0644, 0666}) {
            for (int access : new int[] {READ, WRITE}) {
                cases.addForUsers(
                        "open for %s %04o".formatted(Opening.words(access), mode),
                        with(
                                delegatedToOwner(),
                                List.of(
                                        Opening.of("f", access)
                                                .second()
                                                .declining()
                                                .step()
                                                .needing(Step.Needs.NOTHING)),
                                returned()),
                        CaseFile.file(mode));
            }
            cases.addForUsers(
                    "another delegation %04o".formatted(mode),
                    with(
                            delegatedToOwner(),
                            List.of(
                                    Opening.of("f", READ)
                                            .wishing()
                                            .second()
                                            .step()
                                            .needing(Step.Needs.NOTHING),
                                    Steps.read("f", Held.DELEGATION)),
                            returned()),
                    CaseFile.file(mode));
        }
    }

    /** What another client does to a file, by words. */
    private static Map<String, Step> changes() {
        var changes = new LinkedHashMap<String, Step>();
        changes.put("remove", Steps.remove("d", "f"));
        changes.put("rename", Steps.rename("d", "f", ".", "g"));
        changes.put("link", Steps.link("d/f", ".", "g"));
        changes.put("chmod", Steps.setattr("d/f", Steps.mode(0600)));
        changes.put("truncate", Steps.truncate("d/f", Held.ANONYMOUS));
        changes.put("write", Steps.write("d/f", Held.ANONYMOUS));
        changes.put("open", Opening.of("d/f", WRITE).second().step());
        changes.put(
                "open without content",
                Opening.of("d/f", WRITE)
                        .making(Creation.unchecked(SetAttributes.ofSize(0)))
                        .second()
                        .step());
        return changes;
    }

    private static Compounds recalled(Step change) {
        var twice = change.elsewhere().needing(Step.Needs.NOTHING);
        var delegated = Opening.of("d/f", READ).wishing().step().by(Caller.OWNER);
        return with(delegated, List.of(twice, Steps.delegreturn("d/f").by(Caller.OWNER)), twice);
    }

    /**
     * Adds what callers try that may not do it, in a directory that is closed to them and in an
     * open one. A server that recalls the delegation tells them that the file is there.
     */
    private void namesOfOthers() {
        cases.group("delegation-denied");
        for (int mode : new int[] {0700, 0755}) {
            changes()
                    .forEach(
                            (words, change) -> {
                                for (var caller : List.of(Caller.MEMBER, Caller.OTHER)) {
                                    cases.add(
                                            "%s in %04o".formatted(words, mode),
                                            caller,
                                            recalled(change),
                                            CaseFile.directory(mode),
                                            CaseFile.file("d/f", 0600));
                                }
                            });
        }
    }

    /** Adds what callers may do, which recalls the delegation. */
    private void recalls() {
        cases.group("delegation-recalled");
        changes()
                .forEach(
                        (words, change) ->
                                cases.add(
                                        words,
                                        Caller.ROOT,
                                        recalled(change),
                                        CaseFile.directory(0777),
                                        CaseFile.file("d/f", 0666)));
    }
}
