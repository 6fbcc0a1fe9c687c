package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.client.copy.CopyRules.Deletion;
import io.github.rpcrdma4j.nfs.client.service.NameMemory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Goal: a local directory of any number of names costs no more memory than there is for them. */
class ManyNamesTest extends ServerWithChanges {
    private static final int BYTES_PER_NAME = 600;

    private void put(int namesMax) throws Exception {
        var memory = new NameMemory((long) namesMax * BYTES_PER_NAME);
        copy(
                PreservedAttributes.ALL,
                copier -> {
                    var jobs = new JobQueue(copier.context().listener(), memory);
                    try (var opened = LocalPlace.open(source, "cannot read")) {
                        var root = opened.path();
                        try (var put =
                                new TreePut(
                                        copier,
                                        opened.tree(),
                                        new ShownPath("source", root.depth()),
                                        new ShownPath("copy", root.depth()),
                                        CopyRules.EVERYTHING,
                                        Optional.empty(),
                                        jobs)) {
                            put.add(
                                    root,
                                    copier.context().mount().place("/data/copy"),
                                    Optional.empty());
                            jobs.run(copier.context().options().files());
                        }
                    }
                });
        assertEquals((long) namesMax * BYTES_PER_NAME, memory.free());
    }

    /** Copies the exported files to the directory {@code source}, which is there. */
    private void get(CopyRules rules, int namesMax) throws Exception {
        var memory = new NameMemory((long) namesMax * BYTES_PER_NAME);
        copy(
                PreservedAttributes.ALL,
                copier -> {
                    var jobs = new JobQueue(copier.context().listener(), memory);
                    try (var target = LocalPlace.open(source, "cannot write")) {
                        var root = target.path();
                        try (var get =
                                new TreeGet(
                                        copier,
                                        target.tree(),
                                        new ShownPath("data", root.depth()),
                                        new ShownPath("target", root.depth()),
                                        rules,
                                        Optional.empty(),
                                        jobs)) {
                            get.add(copier.context().mount().resolve("/data"), root);
                            jobs.run(copier.context().options().files());
                        }
                    }
                });
        assertEquals((long) namesMax * BYTES_PER_NAME, memory.free());
    }

    private static Path many(Path directory) throws Exception {
        Files.createDirectory(directory);
        for (int i = 0; i < 100; i++) {
            Files.createFile(directory.resolve("f" + i));
        }
        return directory;
    }

    private static long count(Path directory) throws Exception {
        try (var all = Files.list(directory)) {
            return all.count();
        }
    }

    private void failed(String what) {
        assertEquals(
                List.of(
                        what
                                + ": after N names there is no memory for more (java -Xmx sets how"
                                + " much there is)"),
                failures.stream().map(each -> each.replaceAll("[0-9]+", "N")).toList());
        failures.clear();
    }

    @Test
    void aTargetWithTooManyNamesFailsAlone() throws Exception {
        Files.createFile(Files.createDirectory(exported.resolve("many")).resolve("new"));
        Files.createFile(Files.createDirectory(exported.resolve("few")).resolve("new"));
        var many = many(source.resolve("many"));
        get(CopyRules.EVERYTHING, 50);
        failed("cannot list target/many");
        assertEquals(100, count(many));
        assertEquals(1, count(source.resolve("few")));
        get(CopyRules.EVERYTHING, 1000);
        assertEquals(List.of(), failures);
        assertEquals(101, count(many));
    }

    /** Goal: a trial finds out what would be removed within the same memory. */
    @Test
    void aTrialInATargetWithTooManyNamesFailsAlone() throws Exception {
        Files.createFile(Files.createDirectory(exported.resolve("many")).resolve("new"));
        var many = many(source.resolve("many"));
        var trial =
                new CopyRules(
                        CopyRules.ALL,
                        CopyRules.Comparison.NONE,
                        new Deletion.Nothing(),
                        true,
                        false,
                        false);
        get(trial, 50);
        assertEquals(List.of(), failures);
        get(trial.withDeletion(new Deletion.Everything()), 50);
        failed("cannot list target/many");
        Files.createFile(exported.resolve("many/NEW"));
        get(trial, 50);
        failed("cannot list target/many");
        assertEquals(100, count(many));
    }

    @Test
    void anExtraDirectoryWithTooManyNamesStays() throws Exception {
        Files.createFile(exported.resolve("file"));
        var extra = many(source.resolve("extra"));
        Files.createFile(source.resolve("other"));
        var rules = CopyRules.EVERYTHING.withDeletion(new Deletion.Everything());
        get(rules, 50);
        failed("cannot remove target/extra");
        assertEquals(100, count(extra));
        assertFalse(Files.exists(source.resolve("other")));
        assertTrue(Files.exists(source.resolve("file")));
        get(rules, 1000);
        assertEquals(List.of(), failures);
        assertFalse(Files.exists(extra));
    }

    /** Goal: a tree to be removed may not have more directories than there is memory for. */
    @Test
    void anExtraTreeOfTooManyDirectoriesStays() throws Exception {
        Files.createFile(exported.resolve("file"));
        var extra = source.resolve("extra");
        for (int wide = 0; wide < 4; wide++) {
            Files.createDirectories(extra.resolve("w" + wide + "/d".repeat(20)));
        }
        var rules = CopyRules.EVERYTHING.withDeletion(new Deletion.Everything());
        get(rules, 50);
        assertFalse(failures.isEmpty());
        assertTrue(failures.getFirst().startsWith("cannot remove target/extra/w"));
        assertTrue(failures.getFirst().contains("no memory for more"));
        assertTrue(Files.exists(extra));
        failures.clear();
        get(rules, 1000);
        assertEquals(List.of(), failures);
        assertFalse(Files.exists(extra));
    }

    @Test
    void aDirectoryWithTooManyNamesFailsAlone() throws Exception {
        var many = Files.createDirectory(source.resolve("many"));
        for (int i = 0; i < 100; i++) {
            Files.createFile(many.resolve("f" + i));
        }
        var few = Files.createDirectory(source.resolve("few"));
        Files.createFile(few.resolve("file"));
        put(50);
        assertEquals(1, failures.size(), failures::toString);
        assertEquals(
                "cannot list source/many: after N names there is no memory for more (java -Xmx sets"
                        + " how much there is)",
                failures.getFirst().replaceAll("[0-9]+", "N"));
        assertFalse(Files.exists(exported.resolve("copy/many")));
        try (var there = Files.list(exported.resolve("copy/few"))) {
            assertEquals(List.of(exported.resolve("copy/few/file")), there.toList());
        }
        failures.clear();
        put(1000);
        assertEquals(List.of(), failures);
        try (var there = Files.list(exported.resolve("copy/many"))) {
            assertEquals(100, there.count());
        }
    }
}
