package io.github.rpcrdma4j.cli.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class CleanUpTest {
    @Test
    void reportsACommandThatDoesNotEndWhereItPrints() throws Exception {
        var lines = new ArrayList<String>();
        var watched = new AtomicReference<CleanUp>();
        Thread.ofPlatform()
                .start(() -> watched.set(CleanUp.watch("a file may be left", lines::add)))
                .join();
        try (var cleanUp = watched.get()) {
            cleanUp.end(0);
        }
        assertEquals(List.of("rpcrdma: interrupted: a file may be left"), lines);
    }
}
