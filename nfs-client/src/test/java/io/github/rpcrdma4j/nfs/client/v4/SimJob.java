package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.LockLostException;
import io.github.rpcrdma4j.nfs.client.service.LockRange;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.OutcomeUnknownException;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.service.Status;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** What a thread of a simulated client does, and what it was told. */
final class SimJob implements Runnable {
    static final String COUNTER = "counter";

    /** No call takes longer, also if much goes wrong. */
    private static final long CALL_NANOS_MAX = 900 * SimServer.SECOND;

    private static final int BLOCK = 512;
    private static final int BLOCKS = 6;

    private final SimThreads threads;
    private final RandomGenerator random;
    private final Nfs4Service service;
    private final FileHandle root;
    private final FileHandle counter;
    private final String name;
    private final Duration patience;
    private final int rounds;

    /** How often the counter was raised, as far as this thread was told. */
    int raised;

    /** How often nobody told. */
    int maybeRaised;

    /** How often a lost lock was told. */
    int lostLocks;

    /** How many calls failed. */
    int failures;

    /** How often a file that was made was not known again. */
    int unknownFiles;

    /** What this thread knows of its files. */
    final Map<String, Known> files = new TreeMap<>();

    /** What happened, for people. */
    final StringBuilder story;

    /** Whether a file is there. */
    enum Presence {
        THERE,
        GONE,
        UNKNOWN
    }

    /**
     * A file as far as this side was told.
     *
     * @param blocks the number of each block; -1 if nobody knows it
     */
    static final class Known {
        Presence presence;
        final int[] blocks = new int[BLOCKS];
        boolean mayBeOpen;
    }

    SimJob(
            SimThreads threads,
            RandomGenerator random,
            Nfs4Service service,
            FileHandle root,
            FileHandle counter,
            String name,
            StringBuilder story) {
        this.threads = threads;
        this.random = random;
        this.service = service;
        this.root = root;
        this.counter = counter;
        this.name = name;
        this.story = story;
        this.patience = Duration.ofSeconds(1 + random.nextInt(60));
        this.rounds = 1 + random.nextInt(6);
    }

    /** A call of the service. */
    private interface Call<T> {
        T run() throws IOException, InterruptedException;
    }

    private <T> T call(String what, Call<T> call) throws IOException, InterruptedException {
        long start = threads.nanoTime();
        String end = "ok";
        try {
            return call.run();
        } catch (IOException | InterruptedException failure) {
            failures++;
            end = failure.toString();
            if (failure instanceof IOException) {
                assertTrue(
                        failure.getMessage().startsWith(what) || !(failure instanceof NfsException),
                        () -> "the message names another call: " + failure);
            }
            throw failure;
        } finally {
            long took = threads.nanoTime() - start;
            note(what + " (" + took / 1_000_000 + " ms): " + end);
            assertTrue(took < CALL_NANOS_MAX, () -> what + " took " + took + " ns");
        }
    }

    private void note(String line) {
        story.append(threads.nanoTime() / 1_000_000).append(" ms ").append(name).append(": ");
        story.append(line).append('\n');
    }

    @Override
    public void run() {
        for (int i = 0; i < rounds; i++) {
            try {
                if (random.nextInt(2) == 0) {
                    raiseCounter();
                } else {
                    useFile(name + "-" + i);
                }
                threads.sleep(random.nextLong(3 * SimServer.SECOND));
            } catch (InterruptedException _) {
                note("interrupted");
            }
        }
    }

    /** Raises the counter, once or more often, in one open. */
    private void raiseCounter() throws InterruptedException {
        try (var open = call("open", () -> service.open(counter, OpenFile.Mode.BOTH, "open"))) {
            for (int i = 0; i <= random.nextInt(3); i++) {
                raiseOnce(open);
            }
        } catch (IOException failure) {
            note("could not open: " + failure.getMessage());
        } finally {
            note("closed");
        }
    }

    private void raiseOnce(OpenFile open) throws InterruptedException {
        boolean isTried = false;
        boolean isDone = false;
        try (var arena = Arena.ofShared()) {
            var bytes = arena.allocate(Long.BYTES);
            boolean isLocked =
                    call("lock", () -> service.lock(open, LockRange.ALL, true, patience, "lock"));
            if (!isLocked) {
                note("not locked in time");
                return;
            }
            assertEquals(Long.BYTES, call("read", () -> service.read(open, 0, bytes, "read")));
            long value = bytes.get(ValueLayout.JAVA_LONG, 0);
            threads.sleep(random.nextLong(SimServer.SECOND));
            bytes.set(ValueLayout.JAVA_LONG, 0, value + 1);
            isTried = true;
            var written =
                    call(
                            "write",
                            () -> service.write(open, 0, Stability.FILE_SYNC, bytes, "write"));
            assertEquals(Long.BYTES, written.count());
            isDone = true;
            raised++;
            note("raised to " + (value + 1));
            call(
                    "unlock",
                    () -> {
                        service.unlock(open, LockRange.ALL, "unlock");
                        return null;
                    });
        } catch (LockLostException _) {
            lostLocks++;
            unlock(open);
        } catch (IOException _) {
            unlock(open);
        } finally {
            maybeRaised += isTried && !isDone ? 1 : 0;
        }
    }

    private void unlock(OpenFile open) throws InterruptedException {
        try {
            service.unlock(open, LockRange.ALL, "unlock");
        } catch (IOException failure) {
            note("could not unlock: " + failure.getMessage());
        }
    }

    /** Makes a file, writes it, renames and removes it. */
    private void useFile(String file) throws InterruptedException {
        var known = new Known();
        files.put(file, known);
        var place = new RemotePlace(root, file);
        FileHandle handle;
        known.presence = Presence.UNKNOWN;
        try {
            var made =
                    call(
                            "make",
                            () ->
                                    service.makeFile(
                                            place, AttributeChanges.ofMode(0600), true, "make"));
            known.presence = Presence.THERE;
            if (made.handle().isEmpty()) {
                return;
            }
            handle = made.handle().get();
        } catch (IOException failure) {
            unknownFiles += isOfFileThatExists(failure) ? 1 : 0;
            known.presence = afterFailure(failure, Presence.GONE);
            return;
        }
        write(handle, known);
        var last = file;
        if (random.nextBoolean()) {
            last = file + ".renamed";
            rename(file, last, known);
        }
        // Nobody can close a file that is gone, and whose OPEN had no answer.
        if (random.nextInt(3) == 0
                && !known.mayBeOpen
                && files.get(last).presence == Presence.THERE) {
            remove(last);
        }
    }

    private static boolean isOfFileThatExists(IOException failure) {
        return failure instanceof OutcomeUnknownException
                && Stream.concat(Stream.of(failure.getCause()), Stream.of(failure.getSuppressed()))
                        .anyMatch(
                                each ->
                                        each instanceof NfsException refused
                                                && refused.status() == Status.EXIST);
    }

    /** Returns what a failure tells of a change: nobody knows, or it was not made. */
    private static Presence afterFailure(IOException failure, Presence before) {
        if (failure instanceof NfsException refused) {
            switch (refused.status()) {
                case EXIST, NOENT, STALE ->
                        throw new AssertionError("a change was made twice: " + refused, refused);
                default -> {
                    return before;
                }
            }
        }
        assertTrue(
                failure instanceof OutcomeUnknownException || failure.getMessage() != null,
                failure::toString);
        return Presence.UNKNOWN;
    }

    private void rename(String from, String to, Known known) throws InterruptedException {
        var moved = new Known();
        System.arraycopy(known.blocks, 0, moved.blocks, 0, BLOCKS);
        moved.presence = Presence.UNKNOWN;
        known.presence = Presence.UNKNOWN;
        files.put(to, moved);
        try {
            call(
                    "rename",
                    () -> {
                        service.rename(
                                new RemotePlace(root, from), new RemotePlace(root, to), "rename");
                        return null;
                    });
            known.presence = Presence.GONE;
            moved.presence = Presence.THERE;
        } catch (IOException failure) {
            known.presence = afterFailure(failure, Presence.THERE);
            moved.presence = afterFailure(failure, Presence.GONE);
        }
    }

    private void remove(String file) throws InterruptedException {
        var known = files.get(file);
        known.presence = Presence.UNKNOWN;
        try {
            call(
                    "remove",
                    () -> {
                        service.remove(new RemotePlace(root, file), "remove");
                        return null;
                    });
            known.presence = Presence.GONE;
        } catch (IOException failure) {
            known.presence = afterFailure(failure, Presence.THERE);
        }
    }

    private void write(FileHandle handle, Known known) throws InterruptedException {
        try (var open = call("open", () -> service.open(handle, OpenFile.Mode.BOTH, "open"))) {
            for (int i = 0; i <= random.nextInt(3); i++) {
                switch (random.nextInt(3)) {
                    case 0 -> writeBlock(open, known, random.nextInt(BLOCKS));
                    case 1 -> writeTogether(open, known);
                    default -> writeUnstable(open, known);
                }
            }
        } catch (IOException failure) {
            known.mayBeOpen = true;
            note("could not open: " + failure.getMessage());
        }
    }

    private void writeBlock(OpenFile open, Known known, int block) throws InterruptedException {
        int value = 1 + random.nextInt(100);
        int before = known.blocks[block];
        known.blocks[block] = -1;
        try (var arena = Arena.ofShared()) {
            var data = arena.allocate(BLOCK).fill((byte) value);
            var written =
                    call(
                            "write",
                            () ->
                                    service.write(
                                            open,
                                            (long) block * BLOCK,
                                            Stability.FILE_SYNC,
                                            data,
                                            "write"));
            assertEquals(BLOCK, written.count());
            known.blocks[block] = value;
        } catch (IOException _) {
            // It may have been written all the same.
            note("block " + block + " was " + before);
        }
    }

    /** Writes all blocks in a pipeline. */
    private void writeTogether(OpenFile open, Known known) throws InterruptedException {
        try (var arena = Arena.ofShared();
                var pipeline = service.pipeline()) {
            for (int i = 0; i < BLOCKS; i++) {
                int block = i;
                int value = 1 + random.nextInt(100);
                known.blocks[block] = -1;
                MemorySegment data = arena.allocate(BLOCK).fill((byte) value);
                pipeline.write(
                        open,
                        (long) block * BLOCK,
                        Stability.FILE_SYNC,
                        data,
                        "write",
                        written -> {
                            assertEquals(BLOCK, written.count());
                            known.blocks[block] = value;
                        });
            }
            boolean isActive = true;
            while (isActive) {
                isActive = isPolled(pipeline);
            }
        } catch (IOException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Writes blocks that are not on storage before the COMMIT; its verifier tells whether then. */
    private void writeUnstable(OpenFile open, Known known) throws InterruptedException {
        var verifiers = new TreeMap<Integer, Long>();
        var values = new TreeMap<Integer, Integer>();
        try (var arena = Arena.ofShared()) {
            for (int i = 0; i <= random.nextInt(BLOCKS); i++) {
                int block = random.nextInt(BLOCKS);
                int value = 1 + random.nextInt(100);
                known.blocks[block] = -1;
                verifiers.remove(block);
                var data = arena.allocate(BLOCK).fill((byte) value);
                var written =
                        call(
                                "write",
                                () ->
                                        service.write(
                                                open,
                                                (long) block * BLOCK,
                                                Stability.UNSTABLE,
                                                data,
                                                "write"));
                verifiers.put(block, written.verifier());
                values.put(block, value);
            }
            long kept = call("commit", () -> service.commit(open, 0, 0, "commit"));
            verifiers.forEach(
                    (block, verifier) ->
                            known.blocks[block] = verifier == kept ? values.get(block) : -1);
        } catch (IOException _) {
            note("blocks may be lost: " + values.keySet());
        }
    }

    private boolean isPolled(io.github.rpcrdma4j.nfs.client.service.FilePipeline pipeline)
            throws InterruptedException {
        try {
            return call("write", pipeline::poll);
        } catch (IOException _) {
            return true;
        }
    }

    /** Compares what this side was told with the files of the server. */
    void check(SimFiles server) {
        files.forEach(
                (file, known) -> {
                    var found = server.names.get(file);
                    switch (known.presence) {
                        case THERE -> {
                            assertTrue(found != null, () -> file + " is gone");
                            assertTrue(
                                    found.verifier.isEmpty(),
                                    () -> "the times of " + file + " are a verifier");
                        }
                        case GONE -> assertTrue(found == null, () -> file + " is there");
                        case UNKNOWN -> {}
                    }
                    if (found != null) {
                        check(file, known, found.content);
                    }
                });
    }

    private static void check(String file, Known known, byte[] content) {
        for (int i = 0; i < BLOCKS; i++) {
            int wanted = known.blocks[i];
            if (wanted < 0) {
                continue;
            }
            for (int at = i * BLOCK; at < (i + 1) * BLOCK && wanted > 0; at++) {
                byte is = at < content.length ? content[at] : 0;
                assertEquals(wanted, is, file + " at " + at);
            }
        }
    }
}
