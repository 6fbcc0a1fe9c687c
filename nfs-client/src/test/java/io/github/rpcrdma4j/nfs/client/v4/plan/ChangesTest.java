package io.github.rpcrdma4j.nfs.client.v4.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.FileName;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Goal: what the server has told of files is not used behind a change of them. Method: a plan of
 * each method that adds an operation, and what it may change.
 */
class ChangesTest {
    /** What a plan may change. */
    private enum Changed {
        NAMES,
        ATTRIBUTES,
        NOTHING
    }

    private static final Map<Changed, Set<String>> TABLE =
            new EnumMap<>(
                    Map.of(
                            Changed.NAMES,
                            Set.of("create", "link", "open: new", "remove", "rename"),
                            Changed.ATTRIBUTES,
                            Set.of("change", "copy", "removeXattr", "share", "write", "xattr: set"),
                            Changed.NOTHING,
                            Set.of(
                                    "access",
                                    "at",
                                    "atRoot",
                                    "attributes",
                                    "cancel",
                                    "close",
                                    "commit",
                                    "confirm",
                                    "file",
                                    "free",
                                    "handle",
                                    "link: text",
                                    "list",
                                    "lock",
                                    "lookup",
                                    "open",
                                    "parent",
                                    "progress",
                                    "read",
                                    "require",
                                    "requireOther",
                                    "returned",
                                    "save",
                                    "seek",
                                    "session",
                                    "test",
                                    "unlock",
                                    "xattrs")));

    @Test
    void eachPlanThatChangesNamesOrAttributesIsCounted() {
        var plans = PlanTest.plans();
        var all = new TreeSet<String>();
        TABLE.forEach(
                (changed, names) -> {
                    all.addAll(names);
                    for (var name : names) {
                        var changes = new Changes();
                        changes.note(plans.get(name));
                        assertEquals(changed == Changed.NOTHING ? 0 : 1, changes.count(), name);
                    }
                });
        assertEquals(plans.keySet(), all, "each plan has a place in the table");
    }

    /** What is asked for during a change is told before it or behind it. */
    @Test
    void aChangeCountsAtBothEnds() {
        var changes = new Changes();
        var plan = PlanTest.plans().get("rename");
        changes.note(plan);
        long during = changes.count();
        changes.note(plan);
        assertEquals(during + 1, changes.count());
    }

    /** Their results have no bound, so they are not among the plans above. */
    @Test
    void questionsWithoutABoundAreNotCounted() {
        var changes = new Changes();
        var file = PlanTest.plans().get("at");
        var name = FileName.of("name");
        changes.note(file.flavors(name, 400));
        changes.note(file.flavors(400));
        changes.note(file.xattr(name, 10));
        assertEquals(0, changes.count());
    }
}
