package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.client.service.NameMemory;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.util.ArrayDeque;

/**
 * The pending jobs of a command on a tree, shared by several threads. Files precede directories,
 * and of the directories the last one found comes first, so that few jobs wait at a time. If a job
 * fails for one file, the others continue; a lost connection stops them all. Thread-safe.
 */
final class JobQueue {
    /** The work for one file or directory, on any thread. */
    interface Work {
        /**
         * Does the work.
         *
         * @param self to be passed to {@link JobQueue#requeue} if the work cannot be done yet
         * @return false if the work was not done; {@link JobQueue#requeue} is then called later
         */
        boolean run(Job self) throws IOException, InterruptedException;
    }

    /** Lists a directory and adds the jobs in it. */
    interface Filling {
        /** Adds the jobs. If it fails, the directory is incomplete. */
        void fill(Directory directory) throws IOException, InterruptedException;
    }

    /** The work that ends a directory, after all jobs in it. */
    interface End {
        /**
         * Does the work.
         *
         * @param isIncomplete whether a job in the directory, or below it, failed
         */
        void run(boolean isIncomplete) throws IOException, InterruptedException;
    }

    /** A queued unit of work, in a directory. */
    final class Job {
        private final Work work;
        private final Directory directory;
        private NameMemory.Share names = memory.share();

        /** Whether this attempt is the last. */
        private boolean isLast;

        private Job(Work work, Directory directory) {
            this.work = work;
            this.directory = directory;
        }

        /**
         * Returns memory for the names of the directory that the job lists. It is released when all
         * jobs in the directory are done.
         */
        NameMemory.Share names() {
            return names;
        }
    }

    /**
     * A directory whose jobs are counted. It is complete when all jobs in it, and in its
     * subdirectories, are done.
     */
    static final class Directory {
        private final Directory above;
        private final End end;
        private final NameMemory.Share names;

        /** Unfinished jobs in it, including the job that lists it; guarded by the queue. */
        private int pending = 1;

        /** Whether a job in it, or below it, failed; guarded by the queue. */
        private boolean isIncomplete;

        private Directory(Directory above, End end, NameMemory.Share names) {
            this.above = above;
            this.end = end;
            this.names = names;
        }

        /**
         * Returns memory for more names that last as long as the jobs in the directory. Only the
         * {@link Filling} uses it.
         */
        NameMemory.Share names() {
            return names;
        }
    }

    private final CopyListener listener;
    private final NameMemory memory;

    /** Guarded by this. */
    private final ArrayDeque<Job> files = new ArrayDeque<>();

    private final ArrayDeque<Job> directories = new ArrayDeque<>();

    /** Files that ran out of space while others were copied; each is tried again alone. */
    private final ArrayDeque<Job> deferred = new ArrayDeque<>();

    private int busy;
    private boolean stopped;
    private long failures;

    JobQueue(CopyListener listener) {
        this(listener, new NameMemory());
    }

    /**
     * Creates an empty queue.
     *
     * @param memory accounts for the names of all directories
     */
    JobQueue(CopyListener listener, NameMemory memory) {
        this.listener = listener;
        this.memory = memory;
    }

    /**
     * Adds the jobs of a directory.
     *
     * @param self the running job of the directory
     * @param end runs when all jobs in the directory have ended, whether they succeeded or not
     * @param filling adds the jobs, on this thread
     */
    void directory(Job self, End end, Filling filling) throws IOException, InterruptedException {
        var directory = begin(self, end);
        boolean isComplete = false;
        try {
            filling.fill(directory);
            isComplete = true;
        } finally {
            if (!isComplete) {
                markIncomplete(directory);
            }
            release(directory);
        }
    }

    private synchronized Directory begin(Job self, End end) {
        if (self.directory != null) {
            self.directory.pending++;
        }
        var directory = new Directory(self.directory, end, self.names);
        self.names = memory.share();
        return directory;
    }

    /** Returns memory for names that do not last as long as a job. Its user closes it. */
    NameMemory.Share share() {
        return memory.share();
    }

    /** Adds the job of a file, after the other files. */
    synchronized void addFile(Directory directory, Work work) {
        add(files, directory, work, false);
    }

    /** Adds the job of a directory, before the other directories. */
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

    /** Queues a job again that could not be done before. */
    synchronized void requeue(Job job) {
        files.addFirst(job);
        notify();
    }

    /** Reports a file that was not copied, or an attribute that was not kept. */
    void failed(IOException why) {
        synchronized (this) {
            failures++;
        }
        listener.failed(why);
    }

    /**
     * Reports that files stay which a source does not have, because something in their directory
     * was not copied.
     *
     * @param number of the files
     * @param directory for the message
     */
    void keptExtras(int number, String directory) {
        if (number > 0) {
            failed(
                    new IOException(
                            "nothing was removed in "
                                    + directory
                                    + ", because not all of it was copied"));
        }
    }

    /**
     * Runs all jobs and waits for them.
     *
     * @throws IOException if the whole copy had to stop
     */
    void run(int threads) throws IOException, InterruptedException {
        WorkerGroup.run(threads, this::work);
    }

    /**
     * Throws if a failure was reported.
     *
     * @throws IncompleteTreeException if some files failed
     */
    synchronized void requireComplete() throws IncompleteTreeException {
        if (failures > 0) {
            throw new IncompleteTreeException(failures);
        }
    }

    private void work() throws IOException, InterruptedException {
        for (var job = take(); job != null; job = take()) {
            boolean continues = false;
            try {
                if (done(job)) {
                    release(job.directory);
                }
                continues = true;
            } finally {
                job.names.close();
                jobEnded(continues);
            }
        }
    }

    private boolean done(Job job) throws IOException, InterruptedException {
        try {
            return job.work.run(job);
        } catch (RpcException ofAll) {
            throw ofAll;
        } catch (IOException ofOne) {
            if (isOutOfSpace(ofOne) && defer(job)) {
                return false;
            }
            failed(ofOne);
            markIncomplete(job.directory);
            return true;
        }
    }

    private static boolean isOutOfSpace(IOException failure) {
        return failure instanceof NfsException refused
                && (refused.status() == Status.NOSPC || refused.status() == Status.DQUOT);
    }

    /**
     * Defers a job that ran out of space until it can run alone. Incomplete files that fail
     * together use up the space that one of them needs. Returns false if the job was deferred
     * before.
     */
    private synchronized boolean defer(Job job) {
        if (job.isLast) {
            return false;
        }
        job.isLast = true;
        deferred.addLast(job);
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
        if (stopped || files.isEmpty() && directories.isEmpty() && deferred.isEmpty()) {
            notifyAll();
            return null;
        }
        busy++;
        if (files.isEmpty() && directories.isEmpty()) {
            return deferred.removeFirst();
        }
        var file = files.pollFirst();
        return file == null ? directories.removeFirst() : file;
    }

    private synchronized void jobEnded(boolean continues) {
        busy--;
        stopped |= !continues;
        if (stopped || busy == 0 && files.isEmpty() && directories.isEmpty()) {
            notifyAll();
        }
    }

    /**
     * Counts down the unfinished jobs of a directory. After the last it queues the end of the
     * directory, as a job of the directory above.
     */
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
