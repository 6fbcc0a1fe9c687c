package io.github.rpcrdma4j.nfs.client;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Which files of a tree have several names: the first that is met is copied, the others become
 * names of the copy. Thread-safe.
 *
 * @param <K> tells one file from another
 * @param <C> where the copy is
 */
final class HardLinks<K, C> {
    /** What to do with a name. */
    sealed interface Turn<C> {
        /** Copy it, and tell. */
        record Copy<C>() implements Turn<C> {}

        /** Make it a name of this copy. */
        record Link<C>(C copy) implements Turn<C> {}

        /** Nothing yet: another name is being copied. */
        record Wait<C>() implements Turn<C> {}
    }

    /** Copies the file, and tells where the copy is. */
    interface Copying<C> {
        C run() throws IOException, InterruptedException;
    }

    /** Makes a name of a copy. */
    interface Linking<C> {
        void run(C copy) throws IOException, InterruptedException;
    }

    private static final class Source<C> {
        C copy;

        /** The job that copies the file as soon as it runs again; null if one does already. */
        CopyQueue.Job next;

        final ArrayDeque<CopyQueue.Job> waiting = new ArrayDeque<>();
    }

    private final Consumer<CopyQueue.Job> again;
    private final Map<K, Source<C>> sources = new HashMap<>();

    /**
     * @param again takes jobs that waited
     */
    HardLinks(Consumer<CopyQueue.Job> again) {
        this.again = again;
    }

    /**
     * Copies a file by the first of its names, and makes the others names of the copy.
     *
     * @param job told when it is to be tried again
     * @return false if another name is being copied, and the job will be told
     */
    boolean copyOrLink(K file, CopyQueue.Job job, Copying<C> copying, Linking<C> linking)
            throws IOException, InterruptedException {
        return switch (meet(file, job)) {
            case Turn.Wait<C>() -> false;
            case Turn.Link<C>(var copy) -> {
                linking.run(copy);
                yield true;
            }
            case Turn.Copy<C>() -> {
                C copy = null;
                try {
                    copy = copying.run();
                } finally {
                    if (copy == null) {
                        failed(file);
                    } else {
                        copied(file, copy);
                    }
                }
                yield true;
            }
        };
    }

    /**
     * A name of the file was met.
     *
     * @param job told when it is to be tried again
     */
    synchronized Turn<C> meet(K file, CopyQueue.Job job) {
        var source = sources.get(file);
        if (source == null) {
            sources.put(file, new Source<>());
            return new Turn.Copy<>();
        }
        if (source.copy != null) {
            return new Turn.Link<>(source.copy);
        }
        if (source.next == job) {
            source.next = null;
            return new Turn.Copy<>();
        }
        source.waiting.add(job);
        return new Turn.Wait<>();
    }

    /** The file was copied. */
    synchronized void copied(K file, C copy) {
        var source = sources.get(file);
        source.copy = copy;
        source.waiting.forEach(again);
        source.waiting.clear();
    }

    /** The file was not copied by the name that was to: the next one tries, the others wait. */
    synchronized void failed(K file) {
        var source = sources.get(file);
        if (source.waiting.isEmpty()) {
            sources.remove(file);
        } else {
            source.next = source.waiting.removeFirst();
            again.accept(source.next);
        }
    }
}
