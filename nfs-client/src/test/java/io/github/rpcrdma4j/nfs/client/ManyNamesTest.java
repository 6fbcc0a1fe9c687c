package io.github.rpcrdma4j.nfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.file.Files;
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
                    var jobs = new JobQueue(copier.listener(), memory);
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
                            put.add(root, copier.mount().place("/data/copy"), Optional.empty());
                            jobs.run(copier.options().files());
                        }
                    }
                });
        assertEquals((long) namesMax * BYTES_PER_NAME, memory.free());
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
