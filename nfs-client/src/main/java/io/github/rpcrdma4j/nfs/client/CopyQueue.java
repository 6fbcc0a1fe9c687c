package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.util.ArrayDeque;

/**
 * What is to be done for a copy of a tree, shared by several threads. Files go before directories,
 * and of directories the one that was found last goes first, so that few wait at a time. A job that
 * fails with one file does not stop the others; a lost connection does. Thread-safe.
 */
final class CopyQueue {
    /** What is done for one file or directory, on any thread. */
    interface Work {
        /**
         * @param self to be given to {@link CopyQueue#again} if it cannot be done yet
         * @return false if it was not done, and {@link CopyQueue#again} will be told
         */
        boolean run(Job self) throws IOException, InterruptedException;
    }

    /** What is done when all in a directory is done. */
    interface End {
        /**
         * @param isIncomplete whether a job in the directory, or below, failed
         */
        void run(boolean isIncomplete) throws IOException, InterruptedException;
    }

    /** Work for a file in a directory. */
    final class Job {
        private final Work work;
        private final Directory directory;
        private NameMemory.Share names = memory.share();

        /** Whether it is tried for the last time. */
        private boolean isLast;

        private Job(Work work, Directory directory) {
            this.work = work;
            this.directory = directory;
        }

        /**
         * Memory for the names of the directory that the job lists. It is given back when all in
         * the directory is done.
         */
        NameMemory.Share names() {
            return names;
        }
    }

    /** A directory that is complete when all jobs in it, and in the directories below, are done. */
    static final class Directory {
        private final Directory above;
        private final End end;
        private final NameMemory.Share names;

        /** CopyQueue that are not done, and the one that finds them; guarded by the jobs. */
        private int pending = 1;

        /** Whether a job in it, or below, failed; guarded by the jobs. */
        private boolean isIncomplete;

        private Directory(Directory above, End end, NameMemory.Share names) {
            this.above = above;
            this.end = end;
            this.names = names;
        }
    }

    private final CopyListener listener;
    private final NameMemory memory;

    /** Guarded by this. */
    private final ArrayDeque<Job> files = new ArrayDeque<>();

    private final ArrayDeque<Job> directories = new ArrayDeque<>();

    /** Files for which there was no space beside the others: each is tried again alone. */
    private final ArrayDeque<Job> alone = new ArrayDeque<>();

    private int busy;
    private boolean stopped;
    private long failures;

    CopyQueue(CopyListener listener) {
        this(listener, new NameMemory());
    }

    /**
     * @param memory for the names of all directories
     */
    CopyQueue(CopyListener listener, NameMemory memory) {
        this.listener = listener;
        this.memory = memory;
    }

    /**
     * Begins a directory. Its caller has found all that is in it when it calls {@link #found}.
     *
     * @param self the job of the directory, which is in progress
     * @param end done when all in the directory is done, whether it succeeded or not
     */
    synchronized Directory begin(Job self, End end) {
        if (self.directory != null) {
            self.directory.pending++;
        }
        var directory = new Directory(self.directory, end, self.names);
        self.names = memory.share();
        return directory;
    }

    /**
     * All jobs in a directory have been added.
     *
     * @param all false if something in it could not be found
     */
    void found(Directory directory, boolean all) {
        if (!all) {
            markIncomplete(directory);
        }
        release(directory);
    }

    /** Adds a file. */
    synchronized void addFile(Directory directory, Work work) {
        add(files, directory, work, false);
    }

    /** Adds a directory. */
    synchronized void addDirectory(Directory directory, Work work) {
        add(directories, directory, work, true);
    }

    private void add(ArrayDeque<Job> queue, Directory directory, Work work, boolean first) {
        if (directory != null) {
            directory.pending++;
        }
        var job = new Job(work, directory);
        if (first) {
            queue.addFirst(job);
        } else {
            queue.addLast(job);
        }
        notify();
    }

    /** A job that could not be done can be tried again. */
    synchronized void again(Job job) {
        files.addFirst(job);
        notify();
    }

    /** Something was not copied, or not kept. */
    void failed(IOException why) {
        synchronized (this) {
            failures++;
        }
        listener.failed(why);
    }

    /**
     * Does all jobs.
     *
     * @throws IOException if the copy had to stop
     */
    void run(int threads) throws IOException, InterruptedException {
        WorkerGroup.run(threads, this::work);
    }

    /**
     * @throws IncompleteTreeException if some files failed
     */
    synchronized void requireComplete() throws IncompleteTreeException {
        if (failures > 0) {
            throw new IncompleteTreeException(failures);
        }
    }

    private void work() throws IOException, InterruptedException {
        for (var job = take(); job != null; job = take()) {
            boolean goesOn = false;
            try {
                if (done(job)) {
                    release(job.directory);
                }
                goesOn = true;
            } finally {
                job.names.close();
                left(goesOn);
            }
        }
    }

    private boolean done(Job job) throws IOException, InterruptedException {
        try {
            return job.work.run(job);
        } catch (RpcException ofAll) {
            throw ofAll;
        } catch (IOException ofOne) {
            if (isOfSpace(ofOne) && putOff(job)) {
                return false;
            }
            failed(ofOne);
            markIncomplete(job.directory);
            return true;
        }
    }

    private static boolean isOfSpace(IOException failure) {
        return failure instanceof NfsException refused
                && (refused.status() == Status.NOSPC || refused.status() == Status.DQUOT);
    }

    /** Parts of files that fail together take the space that some of them would have. */
    private synchronized boolean putOff(Job job) {
        if (job.isLast) {
            return false;
        }
        job.isLast = true;
        alone.addLast(job);
        return true;
    }

    private synchronized void markIncomplete(Directory directory) {
        for (var at = directory; at != null && !at.isIncomplete; at = at.above) {
            at.isIncomplete = true;
        }
    }

    private synchronized Job take() throws InterruptedException {
        while (files.isEmpty() && directories.isEmpty() && busy > 0 && !stopped) {
            wait();
        }
        if (stopped || files.isEmpty() && directories.isEmpty() && alone.isEmpty()) {
            notifyAll();
            return null;
        }
        busy++;
        if (files.isEmpty() && directories.isEmpty()) {
            return alone.removeFirst();
        }
        var file = files.pollFirst();
        return file == null ? directories.removeFirst() : file;
    }

    private synchronized void left(boolean goesOn) {
        busy--;
        stopped |= !goesOn;
        if (stopped || busy == 0 && files.isEmpty() && directories.isEmpty()) {
            notifyAll();
        }
    }

    /** One thing less is to be done in a directory; its end comes before that of the one above. */
    private synchronized void release(Directory directory) {
        if (directory != null && --directory.pending == 0) {
            directory.names.close();
            boolean isIncomplete = directory.isIncomplete;
            Work end =
                    _ -> {
                        directory.end.run(isIncomplete);
                        return true;
                    };
            files.addFirst(new Job(end, directory.above));
            notify();
        }
    }
}
