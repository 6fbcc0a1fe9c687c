package io.github.rpcrdma4j.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.bench.stack.Stack;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/**
 * Goal: programs can read the figures. Method: compare the text, also in a locale with decimal
 * commas.
 */
class JsonRowsTest {
    private static final String WANTED =
            """
            [
              {"stack":"tcp","work":"null","outstanding":1,"crc":false,"unit":"us",\
            "median":20.5000,"min":10.2500,"max":41.0000},
              {"stack":"nfs-rdma","work":"read-1m","outstanding":8,"crc":true,\
            "unit":"GB/s","median":4.0000,"min":2.0000,"max":8.0000}
            ]
            """;

    private static final List<Row> ROWS =
            List.of(
                    Rows.row(Stack.TCP, false, Rows.NULL, 20.5),
                    Rows.row(Stack.ONCRPC4J_CALLBACKS, false, Rows.NULL, 20.5),
                    Rows.row(Stack.NFS_RDMA, true, Rows.READ, 4));

    @Test
    void writesAnObjectForEachRowThatIsCompared() {
        assertEquals(WANTED, JsonRows.of(ROWS));
    }

    @Test
    void writesTheSameInEveryCountry() {
        var before = Locale.getDefault();
        Locale.setDefault(Locale.GERMANY);
        try {
            assertEquals(WANTED, JsonRows.of(ROWS));
        } finally {
            Locale.setDefault(before);
        }
    }
}
