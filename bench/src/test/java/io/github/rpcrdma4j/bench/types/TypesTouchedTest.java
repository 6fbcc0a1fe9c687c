package io.github.rpcrdma4j.bench.types;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: a trace is divided where the caller waits, or it is refused. Method: made-up traces. */
class TypesTouchedTest {
    private static Trace.Entry entry(String type, String method) {
        return new Trace.Entry(Instant.EPOCH, "main", type, method);
    }

    @Test
    void findsWhereTheCallerWaitsFirst() throws IOException {
        var waiting = entry(TypesTouched.WAITING_TYPE, TypesTouched.WAITING_METHOD);
        var other = entry("Other", TypesTouched.WAITING_METHOD);
        assertEquals(1, TypesTouched.firstWait(List.of(other, waiting, waiting)));
    }

    @Test
    void failsIfTheCallerNeverWaits() {
        var entries = List.of(entry(TypesTouched.WAITING_TYPE, "poll"));
        assertThrows(IOException.class, () -> TypesTouched.firstWait(entries));
    }

    /** The method is private, so the compiler does not notice when it gets another name. */
    @Test
    void namesAMethodThatExists() throws ClassNotFoundException {
        var home = IwarpProvider.class.getPackageName();
        var methods = Class.forName(home + "." + TypesTouched.WAITING_TYPE).getDeclaredMethods();
        assertTrue(
                Arrays.stream(methods)
                        .anyMatch(each -> each.getName().equals(TypesTouched.WAITING_METHOD)));
    }
}
