package io.github.rpcrdma4j.bench.report;

import io.github.rpcrdma4j.bench.stack.Stack;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Rows as a JSON array (RFC 8259); no text in them needs escapes. */
public final class Json {
    private Json() {}

    /**
     * An object for each row: stack, work, outstanding, crc, unit, median, min, max. oncrpc4j is
     * there as it is compared with ours: with a thread that waits for each call.
     */
    public static String of(List<Row> rows) {
        return rows.stream()
                .filter(row -> row.series().stack() != Stack.ONCRPC4J_CALLBACKS)
                .map(Json::object)
                .collect(Collectors.joining(",\n  ", "[\n  ", "\n]\n"));
    }

    private static String object(Row row) {
        return String.format(
                Locale.ROOT,
                "{\"stack\": \"%s\", \"work\": \"%s\", \"outstanding\": %d, \"crc\": %b,"
                        + " \"unit\": \"%s\", \"median\": %.4f, \"min\": %.4f, \"max\": %.4f}",
                row.series().stack().label(),
                row.line().work().label(),
                row.line().outstanding(),
                row.series().crc(),
                row.line().unit().label(),
                row.rate().median(),
                row.rate().min(),
                row.rate().max());
    }
}
