package io.github.rpcrdma4j.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: settings are what other programs see, with all digits. */
class KernelSettingTest {
    @TempDir Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"fs/lease-break-time", "fs/inotify/max_user_watches", "fs/nr_open"})
    void aSettingIsWhatOtherProgramsSee(String name) throws Exception {
        var file = Path.of("/proc/sys").resolve(name);
        assumeTrue(Files.isReadable(file));
        var process = new ProcessBuilder("cat", file.toString()).start();
        byte[] told = process.getInputStream().readAllBytes();
        long expected = Long.parseLong(new String(told, StandardCharsets.US_ASCII).strip());
        assertEquals(OptionalLong.of(expected), KernelSetting.read(file));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "x\n", "4 5\n", "99999999999999999999\n"})
    void whatIsNoNumberIsNothing(String text) throws Exception {
        var file = Files.writeString(directory.resolve("setting"), text);
        assertEquals(OptionalLong.empty(), KernelSetting.read(file));
        assertEquals(OptionalLong.empty(), KernelSetting.read(directory));
    }

    @Test
    void aMissingOneIsNothing() {
        assertEquals(OptionalLong.empty(), KernelSetting.read(directory.resolve("none")));
    }
}
