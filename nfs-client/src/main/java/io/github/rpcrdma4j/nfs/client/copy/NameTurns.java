package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.FileName;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The files of one directory whose names the target may take for one ({@link FoldedNames}). They
 * are copied one after another. A file is not copied if the target finds the copy of another one
 * under its name. Thread-safe.
 */
final class NameTurns {
    /** Looks for a name in the target. */
    interface Search {
        /** Returns whether the target has a file of this name, in any spelling. */
        boolean finds(FileName name) throws IOException, InterruptedException;
    }

    /** No names; each file is copied at once. */
    static final NameTurns NONE = new NameTurns(List.of(), Set.of(), _ -> false, _ -> {});

    private static final class Group {
        final List<FileName> names;
        final Map<Integer, JobQueue.Job> waiting = new HashMap<>();

        /** Index of the name whose turn it is; guarded by this group. */
        int turn;

        Group(List<FileName> names) {
            this.names = names;
        }
    }

    /** The place of a name in its group. */
    private record Place(Group group, int index) {}

    private final Map<FileName, Place> places = new HashMap<>();
    private final Set<FileName> listed;
    private final Search search;
    private final Consumer<JobQueue.Job> requeue;

    /**
     * Creates the turns of one directory.
     *
     * @param names of its files
     * @param listed the names in its target, as the target spells them; read if two names may be
     *     one
     * @param requeue queues a job that waited
     */
    NameTurns(
            Collection<FileName> names,
            Set<FileName> listed,
            Search search,
            Consumer<JobQueue.Job> requeue) {
        this.listed = listed;
        this.search = search;
        this.requeue = requeue;
        for (var group : FoldedNames.groups(names, listed)) {
            var made = new Group(group);
            for (int i = 0; i < group.size(); i++) {
                places.put(group.get(i), new Place(made, i));
            }
        }
    }

    /**
     * Returns the work for one file, in its turn.
     *
     * @param from the file, for messages
     */
    JobQueue.Work inTurn(FileName name, Supplier<String> from, JobQueue.Work work) {
        var place = places.get(name);
        if (place == null) {
            return work;
        }
        var group = place.group;
        int index = place.index;
        return self -> {
            synchronized (group) {
                if (group.turn < index) {
                    group.waiting.put(index, self);
                    return false;
                }
            }
            boolean isOver = true;
            try {
                requireOwn(group, name, index, from);
                isOver = work.run(self);
                return isOver;
            } finally {
                if (isOver) {
                    next(group, index);
                }
            }
        };
    }

    private void requireOwn(Group group, FileName name, int index, Supplier<String> from)
            throws IOException, InterruptedException {
        boolean isSuspect =
                !listed.contains(name)
                        && (index > 0 || group.names.stream().anyMatch(listed::contains));
        if (isSuspect && search.finds(name)) {
            var first = group.names.get(index > 0 ? 0 : 1);
            throw new IOException(
                    "cannot copy "
                            + from.get()
                            + ": the target takes its name for that of "
                            + first.escaped()
                            + ", which is copied, too");
        }
    }

    private void next(Group group, int index) {
        synchronized (group) {
            if (group.turn == index) {
                group.turn++;
                var waiting = group.waiting.remove(group.turn);
                if (waiting != null) {
                    requeue.accept(waiting);
                }
            }
        }
    }
}
