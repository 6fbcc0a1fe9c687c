package io.github.rpcrdma4j.bench.types;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordingFile;

/** Records the methods of this project that run during an action, in the order of their starts. */
final class Trace {
    private static final String EVENT = "jdk.MethodTrace";
    private static final String PROJECT = "io/github/rpcrdma4j/";
    private static final String BENCH = PROJECT + "bench/";
    private static final String CLASS = ".class";

    /** The start of a method. */
    record Entry(Instant at, String thread, String type, String method) {}

    /** The action to trace. */
    interface Action {
        void run() throws Exception;
    }

    private Trace() {}

    /** Runs the action and returns the methods that ran meanwhile in any thread of this process. */
    static List<Entry> of(Action action) throws Exception {
        var file = Files.createTempFile("rpcrdma4j-types-", ".jfr");
        try (var recording = new Recording()) {
            recording.enable(EVENT).withoutStackTrace().with("filter", filter());
            recording.start();
            var began = Instant.now();
            action.run();
            var ended = Instant.now();
            recording.stop();
            recording.dump(file);
            return entries(file, began, ended);
        } finally {
            Files.deleteIfExists(file);
        }
    }

    private static List<Entry> entries(Path file, Instant began, Instant ended) throws IOException {
        var entries = new ArrayList<Entry>();
        for (var event : RecordingFile.readAllEvents(file)) {
            boolean within =
                    !event.getStartTime().isBefore(began) && !event.getStartTime().isAfter(ended);
            if (event.getEventType().getName().equals(EVENT) && within) {
                entries.add(entry(event));
            }
        }
        entries.sort(Comparator.comparing(Entry::at));
        return entries;
    }

    private static Entry entry(RecordedEvent event) {
        RecordedMethod method = event.getValue("method");
        var name = method.getType().getName();
        var type = name.substring(name.lastIndexOf('.') + 1).replace('$', '.');
        return new Entry(
                event.getStartTime(), event.getThread().getJavaName(), type, method.getName());
    }

    /**
     * Returns the names of all types of the project on the class path, as the filter of the JFR
     * event.
     */
    private static String filter() throws IOException {
        var names = new ArrayList<String>();
        for (var part : System.getProperty("java.class.path").split(":")) {
            var path = Path.of(part);
            if (Files.isDirectory(path)) {
                names.addAll(names(path));
            } else if (part.endsWith(".jar") && Files.exists(path)) {
                try (var jar = FileSystems.newFileSystem(path)) {
                    names.addAll(names(jar.getPath("/")));
                }
            }
        }
        return names.stream().distinct().collect(Collectors.joining(";"));
    }

    private static List<String> names(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.map(file -> root.relativize(file).toString())
                    .filter(name -> name.endsWith(CLASS) && name.startsWith(PROJECT))
                    .filter(name -> !name.startsWith(BENCH) && !name.endsWith("-info.class"))
                    .map(name -> name.substring(0, name.length() - CLASS.length()))
                    .map(name -> name.replace('/', '.'))
                    .toList();
        }
    }
}
