package io.github.rpcrdma4j.cli.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.Console;
import io.github.rpcrdma4j.cli.ServedDirectory;
import io.github.rpcrdma4j.nfs.server.export.Export;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: no message can control a terminal. */
class MessagesTest {
    @TempDir private Path directory;
    private ServedDirectory served;
    private String url;
    private final Console console = new Console();

    @BeforeEach
    void serve() throws Exception {
        var exported = Files.createDirectory(directory.resolve("exported"));
        served = ServedDirectory.of(new Export("/data", exported, true));
        url = served.url();
    }

    @AfterEach
    void stop() {
        served.close();
    }

    @Test
    void noMessageControlsTheTerminal() {
        assertEquals(1, console.run("ls", url + "/red%1B[31m%0Aline%C2%9B2J%E2%80%AE"));
        assertTrue(
                console.err().contains("/red\\x1B[31m\\x0Aline\\xC2\\x9B2J\\u202e"), console::err);
        assertEquals(1, console.errLines().size(), console::err);
        assertEquals(1, console.run("--debug", "ls", url + "/red%1B[31m"));
        assertFalse(console.err().contains("\u001b"), console::err);
        assertEquals(2, console.run("ls", "--sec", "\u001b[31m", url));
        assertFalse(console.err().contains("\u001b"), console::err);
        assertEquals(2, console.run("\u001b[31m"));
        assertFalse(console.err().contains("\u001b"), console::err);
    }

    @Test
    void keepsEverythingElseOfAMessage() {
        var text = "größe ☃ 👩‍🔬 עברית: no such file";
        assertEquals(text, FailureText.oneLine(new IOException(text)));
        assertEquals("a\\tb\\r\\nc", FailureText.oneLine(new IOException("a\tb\r\nc\n")));
    }
}
