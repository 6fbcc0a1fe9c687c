package io.github.rpcrdma4j.interop.access;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Collects cases. */
final class Cases {
    private final List<Case> cases = new ArrayList<>();
    private final Set<String> ids = new HashSet<>();
    private String group = "";

    /** What follows belongs to this group. */
    Cases group(String name) {
        group = name;
        return this;
    }

    /** A case in the open export. */
    void add(String words, Caller caller, Operation operation, Item... items) {
        add(words, Exported.OPEN, caller, operation, items);
    }

    /**
     * Adds a case, whose id is made of the group, the words, the export and the caller.
     *
     * @throws IllegalArgumentException if there is one of that id
     */
    void add(String words, Exported export, Caller caller, Operation operation, Item... items) {
        var id = new StringBuilder(group + "/" + words.replace(' ', '-'));
        if (export != Exported.OPEN) {
            id.append('/').append(export.directory());
        }
        id.append('/').append(caller.name());
        if (!ids.add(id.toString())) {
            throw new IllegalArgumentException("two cases are named " + id);
        }
        cases.add(Case.of(id.toString(), export, caller, operation, List.of(items)));
    }

    /**
     * A case for each of the callers that the permission bits tell apart, and for root squashed.
     */
    void addForAll(String words, Operation operation, Item... items) {
        for (var caller : Caller.ORDINARY) {
            add(words, caller, operation, items);
        }
        add(words, Exported.SQUASHED, Caller.ROOT, operation, items);
    }

    List<Case> all() {
        return List.copyOf(cases);
    }
}
