package io.github.rpcrdma4j.interop.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a guest that dies or hangs is detected. Method: shell scripts instead of the emulator. */
class GuestTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(300);

    private static final String OBEYS =
            """
            echo 'ready 6.12'
            while read -r number script arguments && [ "$number" != off ]; do
              case $script in
                works) echo "PASS $arguments"; echo "=$number 0" ;;
                asks) echo '?something'; read -r answer; echo "NOTE $answer"; echo "=$number 0" ;;
                dies) exit 1 ;;
                hangs) read -r never ;;
              esac
            done
            """;

    @TempDir private Path directory;
    private final List<String> notes = new ArrayList<>();

    private Machine machine(Duration bootLimit, String script) throws IOException {
        var emulator = directory.resolve("emulator");
        Files.writeString(
                emulator,
                "#!/bin/sh\necho 'the last line of the console' >"
                        + directory.resolve("console")
                        + "\n"
                        + script);
        Files.setPosixFilePermissions(emulator, PosixFilePermissions.fromString("rwx------"));
        return new Machine(
                emulator.toString(),
                directory,
                directory,
                directory,
                Network.user(),
                1500,
                Map.of(),
                List.of(),
                bootLimit);
    }

    @Test
    void runsScriptsAndHandlesTheirRequests() throws Exception {
        try (var guest = Guest.boot(machine(PATIENCE, OBEYS), notes)) {
            assertEquals(
                    new Guest.Ended(0, List.of("PASS one two")),
                    guest.run(_ -> {}, PATIENCE, "works", "one", "two"));
            var requests = new ArrayList<String>();
            assertEquals(
                    new Guest.Ended(0, List.of("NOTE done")),
                    guest.run(requests::add, PATIENCE, "asks"));
            assertEquals(List.of("something"), requests);
        }
        assertEquals(List.of(), notes);
    }

    @Test
    void bootsASecondTimeIfTheKernelDiedAndNotesIt() throws Exception {
        var diesOnce =
                "[ -e once ] || { touch once; exit 0; }\n".replace("once", directory + "/once");
        try (var guest = Guest.boot(machine(PATIENCE, diesOnce + OBEYS), notes)) {
            assertEquals(0, guest.run(_ -> {}, PATIENCE, "works").status());
        }
        assertEquals(
                List.of("the guest's kernel died or hung before init ran; booted it a second time"),
                notes);
    }

    @Test
    void givesUpAKernelThatDiesTwice() throws Exception {
        var machine = machine(PATIENCE, "exit 0");
        var died = assertThrows(GuestException.class, () -> Guest.boot(machine, notes));
        assertTrue(died.getMessage().contains("died during its boot"), died::getMessage);
        assertTrue(died.getMessage().contains("the last line of the console"), died::getMessage);
    }

    @Test
    void cutsOffAKernelThatHangsInItsBoot() throws Exception {
        var machine = machine(SHORT, "read -r never");
        var hung = assertThrows(GuestException.class, () -> Guest.boot(machine, notes));
        assertTrue(hung.getMessage().contains("hung during its boot"), hung::getMessage);
    }

    @Test
    void cutsOffAScriptThatHangsAndShowsTheConsole() throws Exception {
        try (var guest = Guest.boot(machine(PATIENCE, OBEYS), notes)) {
            var hung = assertThrows(GuestException.class, () -> guest.run(_ -> {}, SHORT, "hangs"));
            assertTrue(hung.getMessage().contains("hung during hangs"), hung::getMessage);
            assertTrue(
                    hung.getMessage().contains("the last line of the console"), hung::getMessage);
            guest.powerOff();
        }
    }

    @Test
    void noticesAGuestThatDiesInAScript() throws Exception {
        try (var guest = Guest.boot(machine(PATIENCE, OBEYS), notes)) {
            var died =
                    assertThrows(GuestException.class, () -> guest.run(_ -> {}, PATIENCE, "dies"));
            assertTrue(died.getMessage().contains("died during dies"), died::getMessage);
        }
    }
}
