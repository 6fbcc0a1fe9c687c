package io.github.rpcrdma4j.interop.access;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * One call of one caller on prepared files.
 *
 * @param id {@code group/words}, unique among all cases
 * @param items the files before the call: first the directory of the case, and every directory
 *     before its entries
 */
record Case(String id, Exported export, Caller caller, List<Item> items, Operation operation) {
    private static final Item DIRECTORY = Item.directory(".", 0, 0, 0777);

    Case {
        items = List.copyOf(items);
    }

    /**
     * Returns a case whose directory belongs to root and has mode 0777, unless the items say
     * otherwise.
     */
    static Case of(
            String id, Exported export, Caller caller, Operation operation, List<Item> items) {
        if (!items.isEmpty() && items.getFirst().path().equals(".")) {
            return new Case(id, export, caller, items, operation);
        }
        var all = new ArrayList<Item>();
        all.add(DIRECTORY);
        all.addAll(items);
        return new Case(id, export, caller, all, operation);
    }

    String group() {
        return id.substring(0, id.indexOf('/'));
    }

    /** Returns everything but the outcome, for a line of the table. */
    String words() {
        return "%s | %s | %s | %s"
                .formatted(
                        caller.words(),
                        export.directory(),
                        operation.words(),
                        items.stream().map(Item::words).collect(Collectors.joining("; ")));
    }
}
