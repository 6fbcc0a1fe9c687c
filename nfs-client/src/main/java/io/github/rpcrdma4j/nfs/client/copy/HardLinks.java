package io.github.rpcrdma4j.nfs.client.copy;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The hard links in a tree. The first name found of a file is copied; each further name becomes a
 * hard link to that copy. Thread-safe.
 *
 * @param <K> identifies a source file
 * @param <C> identifies a copy
 */
final class HardLinks<K, C> {
    /** The next step for a name. */
    sealed interface NextStep<C> {
        /** Copy the file under this name, then report the result. */
        record Copy<C>() implements NextStep<C> {}

        /** Link this name to the copy. */
        record Link<C>(C copy) implements NextStep<C> {}

        /** Wait: the file is being copied under another name. */
        record Wait<C>() implements NextStep<C> {}
    }

    /** Copies the file and returns where the copy is. */
    interface Copying<C> {
        C run() throws IOException, InterruptedException;
    }

    /** Links a name to a copy. */
    interface Linking<C> {
        void run(C copy) throws IOException, InterruptedException;
    }

    private static final class Source<C> {
        C copy;

        /**
         * The waiting job that copies the file when it runs again; null if a copy is in progress.
         */
        JobQueue.Job next;

        final ArrayDeque<JobQueue.Job> waiting = new ArrayDeque<>();
    }

    private final Consumer<JobQueue.Job> requeue;
    private final Map<K, Source<C>> sources = new HashMap<>();

    /**
     * Creates the table.
     *
     * @param requeue queues a job that waited
     */
    HardLinks(Consumer<JobQueue.Job> requeue) {
        this.requeue = requeue;
    }

    /**
     * Copies a file under the first of its names, and links its other names to the copy.
     *
     * @param job the job of this name, queued again if it has to wait
     * @return false if the job has to wait while the file is copied under another name
     */
    boolean copyOrLink(K file, JobQueue.Job job, Copying<C> copying, Linking<C> linking)
            throws IOException, InterruptedException {
        return switch (nextStep(file, job)) {
            case NextStep.Wait<C>() -> false;
            case NextStep.Link<C>(var copy) -> {
                linking.run(copy);
                yield true;
            }
            case NextStep.Copy<C>() -> {
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
     * Decides what happens to one name of a file.
     *
     * @param job the job of this name, queued again if it has to wait
     */
    synchronized NextStep<C> nextStep(K file, JobQueue.Job job) {
        var source = sources.get(file);
        if (source == null) {
            sources.put(file, new Source<>());
            return new NextStep.Copy<>();
        }
        if (source.copy != null) {
            return new NextStep.Link<>(source.copy);
        }
        if (source.next == job) {
            source.next = null;
            return new NextStep.Copy<>();
        }
        source.waiting.add(job);
        return new NextStep.Wait<>();
    }

    /** Records the copy of a file and queues all jobs that waited for it. */
    synchronized void copied(K file, C copy) {
        var source = sources.get(file);
        source.copy = copy;
        source.waiting.forEach(requeue);
        source.waiting.clear();
    }

    /**
     * Records that a file could not be copied under one name. The next waiting job tries; the
     * others keep waiting.
     */
    synchronized void failed(K file) {
        var source = sources.get(file);
        if (source.waiting.isEmpty()) {
            sources.remove(file);
        } else {
            source.next = source.waiting.removeFirst();
            requeue.accept(source.next);
        }
    }
}
