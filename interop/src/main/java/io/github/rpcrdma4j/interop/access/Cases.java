package io.github.rpcrdma4j.interop.access;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Collects the cases of the table. */
final class Cases {
    private final List<Case> cases = new ArrayList<>();
    private final Set<String> ids = new HashSet<>();
    private String group = "";

    /** Sets the group of the cases that are added next. */
    Cases group(String name) {
        group = name;
        return this;
    }

    /** Adds a case in the open export. */
    void add(String words, Caller caller, Request request, CaseFile... files) {
        add(words, Exported.OPEN, caller, request, files);
    }

    /**
     * Adds a case. Its id consists of the group, the words, the export and the caller.
     *
     * @throws IllegalArgumentException if there is already a case with that id
     */
    void add(String words, Exported export, Caller caller, Request request, CaseFile... files) {
        var id = new StringBuilder(group + "/" + words.replace(' ', '-'));
        if (export != Exported.OPEN) {
            id.append('/').append(export.directory());
        }
        id.append('/').append(caller.name());
        if (!ids.add(id.toString())) {
            throw new IllegalArgumentException("two cases are named " + id);
        }
        cases.add(Case.of(id.toString(), export, caller, request, List.of(files)));
    }

    /**
     * Adds a case for each caller that the permission bits distinguish, and one for squashed root.
     */
    void addForAll(String words, Request request, CaseFile... files) {
        for (var caller : Caller.ORDINARY) {
            add(words, caller, request, files);
        }
        add(words, Exported.SQUASHED, Caller.ROOT, request, files);
    }

    /** Adds a case for each of five users: the ordinary ones of a file, root, and squashed root. */
    void addForUsers(String words, Request request, CaseFile... files) {
        for (var caller : Caller.USERS) {
            add(words, caller, request, files);
        }
        add(words, Exported.SQUASHED, Caller.ROOT, request, files);
    }

    List<Case> all() {
        return List.copyOf(cases);
    }
}
