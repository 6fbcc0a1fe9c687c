package io.github.rpcrdma4j.bench.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.TypeConversionException;

class BuildTest {
    @TempDir Path checkout;

    @BeforeEach
    void make() throws IOException {
        assertTrue(Files.createFile(checkout.resolve("rpcrdma")).toFile().setExecutable(true));
    }

    private static Build read(String text) {
        return new Build.Converter().convert(text);
    }

    @Test
    void hasANameAndADirectory() {
        assertEquals(new Build("old", checkout, ""), read("old=" + checkout));
        assertEquals("any", read("old=" + checkout).rule());
    }

    @Test
    void mayHaveOptionsOfItsExport() {
        var build = read("new=" + checkout + "+async,crossmnt");
        assertEquals(new Build("new", checkout, "async,crossmnt"), build);
        assertEquals("any,async,crossmnt", build.rule());
    }

    @Test
    void isRefusedWithoutANameOrWithoutTheCommand() {
        assertThrows(TypeConversionException.class, () -> read(checkout.toString()));
        assertThrows(TypeConversionException.class, () -> read("=" + checkout));
        assertThrows(TypeConversionException.class, () -> read("new=" + checkout + "/missing"));
    }

    @Test
    void isCalledByThreadsThatAlternateAmongUsers() {
        assertEquals(new Callers(8, 64), new Callers.Converter().convert("8:64"));
        for (var wrong : new String[] {"8", "8:", "0:1", "8:0", "a:b", "1:2:3", "1:1001"}) {
            var converter = new Callers.Converter();
            assertThrows(TypeConversionException.class, () -> converter.convert(wrong), wrong);
        }
    }
}
