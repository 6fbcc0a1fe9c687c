package io.github.rpcrdma4j.bench.study;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Goal: summaries of strace are parsed correctly. Method: a summary in the format of strace 6.1.
 */
class StraceTest {
    private static final String SUMMARY =
            """
            % time     seconds  usecs/call     calls    errors syscall
            ------ ----------- ----------- --------- --------- ----------------
             60.11    0.520000          52     10000           write
             39.88    0.345000          34     10021        12 read
              0.01    0.000012          12         1           epoll_wait
            ------ ----------- ----------- --------- --------- ----------------
            100.00    0.865012          43     20022        12 total
            """;

    @Test
    void countsCallsByTheirNames() {
        assertEquals(
                Map.of("write", 10_000L, "read", 10_021L, "epoll_wait", 1L),
                Strace.parsed(SUMMARY.lines().toList()));
    }

    @Test
    void findsNothingInNothing() {
        assertEquals(Map.of(), Strace.parsed(List.of("")));
    }
}
