package io.github.rpcrdma4j.dissect;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: a terminal displays JSON and does not act on its characters. */
class JsonTest {
    private static void isWritten(String json, String text) {
        assertEquals("[\"" + json + "\"]", Json.of(List.of(text)));
    }

    @Test
    void textIsWrittenAsItIs() {
        isWritten("caf\u00e9 \u2603 \ud83d\ude00", "caf\u00e9 \u2603 \ud83d\ude00");
        isWritten("\\\"\\\\", "\"\\");
    }

    @Test
    void controlsAreEscaped() {
        isWritten("\\u001b[2J\\u000d\\u000a\\u007f\\u009b", "\u001b[2J\r\n\u007f\u009b");
        isWritten("\\u202egpj.exe\\u2066", "\u202egpj.exe\u2066");
        isWritten("\\u2028\\u2029", "\u2028\u2029");
        isWritten("\\udb40\\udc01", "\udb40\udc01");
        isWritten("\\udcff", "\udcff");
    }
}
