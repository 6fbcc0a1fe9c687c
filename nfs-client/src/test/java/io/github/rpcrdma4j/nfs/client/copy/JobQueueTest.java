package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.client.service.NameMemory;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Goal: every job runs once, and the end of a directory runs after all jobs in it. */
class JobQueueTest {
    private final List<String> done = Collections.synchronizedList(new ArrayList<>());
    private final List<String> failures = Collections.synchronizedList(new ArrayList<>());
    private final JobQueue jobs =
            new JobQueue(
                    new CopyListener() {
                        @Override
                        public void failed(IOException why) {
                            failures.add(why.getMessage());
                        }
                    });

    private boolean directory(JobQueue.Job self, String name, int depth, Random random)
            throws IOException, InterruptedException {
        jobs.directory(
                self,
                _ -> done.add(name + " end"),
                directory -> {
                    for (int i = random.nextInt(4); i > 0; i--) {
                        var child = name + "/" + i;
                        long seed = random.nextLong();
                        if (depth > 0 && random.nextBoolean()) {
                            jobs.addDirectory(
                                    directory,
                                    job -> directory(job, child, depth - 1, new Random(seed)));
                        } else {
                            jobs.addFile(directory, _ -> file(child, seed));
                        }
                    }
                });
        return true;
    }

    private boolean file(String name, long seed) throws IOException {
        done.add(name);
        if (seed % 5 == 0) {
            throw new IOException(name);
        }
        return true;
    }

    @Test
    void endsDirectoriesAfterAllThatIsInThem() throws Exception {
        long seed = Long.getLong("seed", System.nanoTime());
        for (int run = 0; run < 200; run++) {
            done.clear();
            var random = new Random(seed + run);
            long first = random.nextLong();
            jobs.addDirectory(null, self -> directory(self, "top", 5, new Random(first)));
            jobs.run(1 + run % 8);
            Map<String, Integer> at = new HashMap<>();
            for (int i = 0; i < done.size(); i++) {
                assertEquals(null, at.put(done.get(i), i), "seed " + seed);
            }
            assertTrue(at.containsKey("top end"));
            for (var name : at.keySet()) {
                int slash = name.lastIndexOf('/');
                if (slash > 0) {
                    assertTrue(at.get(name.substring(0, slash) + " end") > at.get(name), name);
                }
            }
        }
        if (!failures.isEmpty()) {
            var incomplete = assertThrows(IncompleteTreeException.class, jobs::requireComplete);
            assertEquals(failures.size(), incomplete.failures());
        }
    }

    @Test
    void goesOnAfterAFileThatFailsAndStopsWithTheConnection() throws Exception {
        for (int i = 0; i < 10; i++) {
            var name = "f" + i;
            jobs.addFile(null, _ -> file(name, name.equals("f3") ? 5 : 1));
        }
        jobs.run(1);
        assertEquals(10, done.size());
        assertEquals(List.of("f3"), failures);
        jobs.addFile(
                null,
                _ -> {
                    throw new RpcException.ConnectionLost("gone", null);
                });
        jobs.addFile(null, _ -> done.add("never"));
        assertThrows(RpcException.ConnectionLost.class, () -> jobs.run(1));
        assertEquals(10, done.size());
    }

    @Test
    void copiesOneNameOfAFileAndLinksTheOthers() throws Exception {
        var links = new HardLinks<Integer, String>(jobs::requeue);
        Map<String, String> made = new ConcurrentHashMap<>();
        var failing = new int[] {2};
        for (int i = 0; i < 100; i++) {
            var name = "n" + i;
            int file = i % 7;
            jobs.addFile(
                    null,
                    self ->
                            switch (links.nextStep(file, self)) {
                                case HardLinks.NextStep.Wait<String>() -> false;
                                case HardLinks.NextStep.Link<String>(var copy) ->
                                        made.put(name, copy) == null;
                                case HardLinks.NextStep.Copy<String>() -> {
                                    synchronized (failing) {
                                        if (file == 3 && failing[0]-- > 0) {
                                            links.failed(file);
                                            throw new IOException(name);
                                        }
                                    }
                                    links.copied(file, name);
                                    yield made.put(name, name) == null;
                                }
                            });
        }
        jobs.run(8);
        assertEquals(98, made.size());
        assertEquals(2, failures.size());
        assertEquals(7, made.values().stream().distinct().count());
        made.forEach((name, copy) -> assertEquals(copy, made.get(copy), name));
    }

    @Test
    void triesEachNameOfAFileThatCannotBeCopiedOnce() throws Exception {
        var requeued = new ArrayList<JobQueue.Job>();
        var links = new HardLinks<Integer, String>(requeued::add);
        var steps = new ArrayList<HardLinks.NextStep<String>>();
        var names = 10;
        for (int i = 0; i < names; i++) {
            jobs.addFile(
                    null,
                    self -> {
                        steps.add(links.nextStep(1, self));
                        return false;
                    });
        }
        jobs.run(1);
        assertEquals(new HardLinks.NextStep.Copy<String>(), steps.getFirst());
        assertEquals(
                names - 1, Collections.frequency(steps, new HardLinks.NextStep.Wait<String>()));
        for (int failed = 1; failed < names; failed++) {
            links.failed(1);
            assertEquals(failed, requeued.size());
            assertEquals(
                    new HardLinks.NextStep.Copy<String>(), links.nextStep(1, requeued.getLast()));
        }
        assertEquals(names - 1, requeued.stream().distinct().count());
        links.failed(1);
        assertEquals(names - 1, requeued.size());
        assertEquals(new HardLinks.NextStep.Copy<String>(), links.nextStep(1, requeued.getFirst()));
    }

    @Test
    void givesTheMemoryOfNamesBackWhenAllInTheirDirectoryIsDone() throws Exception {
        var memory = new NameMemory(1000);
        var some = new JobQueue(new CopyListener() {}, memory);
        some.addDirectory(
                null,
                self -> {
                    assertTrue(self.names().take(600));
                    some.directory(
                            self,
                            _ -> done.add("end of " + memory.free()),
                            directory -> {
                                some.addFile(
                                        directory, _ -> done.add("file with " + memory.free()));
                                some.addDirectory(
                                        directory,
                                        inner -> {
                                            assertTrue(inner.names().take(400));
                                            assertFalse(inner.names().take(1));
                                            throw new IOException("not begun");
                                        });
                            });
                    return true;
                });
        some.run(1);
        assertEquals(List.of("file with 400", "end of 1000"), done);
        assertEquals(1000, memory.free());
    }

    /**
     * Goal: files that fit are copied. Method: three concurrent jobs, each of which needs all of
     * the space.
     */
    @Test
    void whatFindsNoSpaceBesideOthersIsTriedAgainAlone() throws Exception {
        var busy = new AtomicInteger();
        var together = new CyclicBarrier(3);
        jobs.addDirectory(
                null,
                self -> {
                    jobs.directory(
                            self,
                            isIncomplete -> done.add("end " + isIncomplete),
                            directory -> {
                                for (int i = 0; i < 3; i++) {
                                    var name = "file " + i;
                                    var tries = new AtomicInteger();
                                    jobs.addFile(
                                            directory,
                                            _ -> {
                                                if (tries.incrementAndGet() == 1) {
                                                    await(together);
                                                    throw new NfsException("no room", Status.NOSPC);
                                                }
                                                assertEquals(1, busy.incrementAndGet(), "alone");
                                                busy.decrementAndGet();
                                                if (name.equals("file 1")) {
                                                    throw new NfsException(
                                                            "never fits", Status.DQUOT);
                                                }
                                                done.add(name);
                                                return true;
                                            });
                                }
                            });
                    return true;
                });
        jobs.run(3);
        assertEquals(Set.of("file 0", "file 2", "end true"), Set.copyOf(done));
        assertEquals("end true", done.getLast());
        assertEquals(
                1, assertThrows(IncompleteTreeException.class, jobs::requireComplete).failures());
    }

    private static void await(CyclicBarrier barrier) throws InterruptedException {
        try {
            barrier.await(20, TimeUnit.SECONDS);
        } catch (BrokenBarrierException | TimeoutException broken) {
            throw new AssertionError(broken);
        }
    }

    @Test
    void aDirectoryThatCannotBeListedIsIncomplete() throws Exception {
        jobs.addDirectory(
                null,
                self -> {
                    jobs.directory(
                            self,
                            isIncomplete -> done.add("top " + isIncomplete),
                            _ -> {
                                throw new IOException("cannot list");
                            });
                    return true;
                });
        jobs.run(1);
        assertEquals(List.of("top true"), done);
    }

    @Test
    void reportsAllDirectoriesAboveAFailureAsIncomplete() throws Exception {
        jobs.addDirectory(
                null,
                self -> {
                    jobs.directory(
                            self,
                            isIncomplete -> done.add("top " + isIncomplete),
                            top -> {
                                for (var name : List.of("good", "bad")) {
                                    jobs.addDirectory(
                                            top,
                                            below -> {
                                                jobs.directory(
                                                        below,
                                                        wrong -> done.add(name + " " + wrong),
                                                        directory -> {
                                                            jobs.addFile(
                                                                    directory,
                                                                    _ ->
                                                                            file(
                                                                                    "in " + name,
                                                                                    name.length()));
                                                            jobs.addFile(
                                                                    directory,
                                                                    _ ->
                                                                            file(
                                                                                    "f",
                                                                                    name.equals(
                                                                                                    "bad")
                                                                                            ? 5
                                                                                            : 1));
                                                        });
                                                return true;
                                            });
                                }
                            });
                    return true;
                });
        jobs.run(1);
        assertTrue(done.containsAll(List.of("good false", "bad true", "top true")), done::toString);
        assertEquals("top true", done.getLast());
    }
}
