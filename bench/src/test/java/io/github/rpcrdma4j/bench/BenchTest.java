package io.github.rpcrdma4j.bench;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: only a run of the whole table ends with studies. Method: parse options. */
class BenchTest {
    private static boolean isFull(String... options) {
        var command = Bench.commandLine();
        command.parseArgs(options);
        return command.<Bench>getCommand().isFull();
    }

    @Test
    void isFullIfNothingIsLeftOut() {
        assertTrue(isFull());
        assertTrue(isFull("--outstanding", "1,8,64", "--crc", "both", "--rounds", "9"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--quick", "--only tcp", "--work null", "--outstanding 1", "--crc on"})
    void isNotFullIfAnOptionLeavesSomethingOut(String options) {
        assertFalse(isFull(options.split(" ")));
    }
}
