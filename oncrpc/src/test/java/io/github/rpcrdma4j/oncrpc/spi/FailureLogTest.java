package io.github.rpcrdma4j.oncrpc.spi;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import java.io.IOException;
import java.lang.System.Logger;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ResourceBundle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class FailureLogTest {
    /** A logger that keeps its lines, and throws if so configured. */
    private static final class RecordingLogger implements Logger {
        final List<String> lines = new ArrayList<>();
        private final Error refusal;

        RecordingLogger(Error refusal) {
            this.refusal = refusal;
        }

        @Override
        public String getName() {
            return "recording";
        }

        @Override
        public boolean isLoggable(Level level) {
            return true;
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
            lines.add(message + ": " + thrown.getMessage());
            if (refusal != null) {
                throw refusal;
            }
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String format, Object... values) {
            lines.add(format);
        }
    }

    @Test
    void logsARecurringFailureOnce() {
        var recorder = new RecordingLogger(null);
        var log = new FailureLog(recorder);
        for (int i = 0; i < 1000; i++) {
            log.report("cannot accept", new IOException("Too many open files"));
            log.report("cannot poll", new IOException("gone"));
        }
        log.report("cannot accept", new OutOfMemoryError("full"));
        assertEquals(
                List.of(
                        "cannot accept: Too many open files",
                        "cannot poll: gone",
                        "cannot accept: full"),
                recorder.lines);
    }

    @Test
    void neverThrowsWhateverTheLoggerDoes() {
        for (var refusal : List.of(new OutOfMemoryError("full"), new Error("tzdb.dat"))) {
            var recorder = new RecordingLogger(refusal);
            assertDoesNotThrow(() -> new FailureLog(recorder).report("it", new IOException("so")));
            assertEquals(1, recorder.lines.size());
        }
    }

    @Test
    void keepsNoMoreThanAFewKinds() {
        var recorder = new RecordingLogger(null);
        var log = new FailureLog(recorder);
        for (int i = 0; i < 1000; i++) {
            log.report("failure " + i, new IOException("so"));
        }
        assertTrue(recorder.lines.size() <= 64, "logged " + recorder.lines.size());
    }

    /** Goal: neither errors of this side nor lines about others are kept out by a client. */
    @Test
    void aClientWithManyKindsKeepsNoOtherLinesOut() {
        var recorder = new RecordingLogger(null);
        var log = new FailureLog(recorder);
        var user = ClientAddress.ofLocalUser(1001);
        for (int i = 1; i <= 100; i++) {
            log.asksForTls(user, new InetSocketAddress("127.0.77." + i, 1023));
            log.warn(user, "kind " + i, "so");
        }
        assertEquals(32, recorder.lines.size());
        recorder.lines.clear();
        var other = new InetSocketAddress("192.0.2.1", 1023);
        log.asksForTls(ClientAddress.of(other), other);
        log.refused(ClientAddress.of(other), other, new IOException("so"));
        log.warn("a file system that is served failed", "so");
        log.report("an internal error", new IllegalStateException("so"));
        assertEquals(
                List.of(
                        "192.0.2.1 asks for TLS, which this server does not have",
                        "a connection was refused: 192.0.2.1:1023: so",
                        "a file system that is served failed: so",
                        "an internal error: so"),
                recorder.lines);
    }

    /** Takes all descriptors that the shell allows, and then reports a failure. */
    static final class WithoutDescriptors {
        private WithoutDescriptors() {}

        public static void main(String[] arguments) {
            FailureLog.preload();
            var log = new FailureLog(System.getLogger("without"));
            var taken = new ArrayList<AutoCloseable>();
            try {
                while (true) {
                    taken.add(new java.io.FileInputStream("/dev/null"));
                }
            } catch (IOException none) {
                log.report("no descriptor is left", none);
            }
            System.out.println("goes on with " + (taken.size() > 0));
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void logsWithoutADescriptor() throws Exception {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var classes = System.getProperty("java.class.path");
        var modules = System.getProperty("jdk.module.path", "");
        var path = modules.isEmpty() ? classes : classes + ":" + modules;
        var test =
                Path.of(
                        WithoutDescriptors.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI());
        var main =
                Path.of(
                        FailureLog.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI());
        var child =
                new ProcessBuilder(
                                "/bin/sh",
                                "-c",
                                "ulimit -n 64; exec \"$0\" -XX:-MaxFDLimit -cp \"$1\" \"$2\"",
                                java,
                                test + ":" + main + ":" + path,
                                WithoutDescriptors.class.getName())
                        .redirectErrorStream(true)
                        .start();
        var output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, child.waitFor(), output);
        assertTrue(output.contains("no descriptor is left"), output);
        assertTrue(output.contains("Too many open files"), output);
        assertTrue(output.contains("goes on with true"), output);
    }
}
