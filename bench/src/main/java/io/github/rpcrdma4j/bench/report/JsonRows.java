package io.github.rpcrdma4j.bench.report;

import io.github.rpcrdma4j.bench.stack.Stack;
import io.github.rpcrdma4j.dissect.Json;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Collectors;

/** Writes rows as a JSON array, with one row per line. */
public final class JsonRows {
    private static final int DECIMALS = 4;

    private JsonRows() {}

    /**
     * Returns an object for each row: stack, work, outstanding, crc, unit, median, min, max. Of
     * oncrpc4j it has only the series with a waiting thread for each call, which works like our
     * calls.
     */
    public static String of(List<Row> rows) {
        return rows.stream()
                .filter(row -> row.series().stack() != Stack.ONCRPC4J_CALLBACKS)
                .map(JsonRows::object)
                .collect(Collectors.joining(",\n  ", "[\n  ", "\n]\n"));
    }

    private static String object(Row row) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("stack", row.series().stack().label());
        fields.put("work", row.point().work().label());
        fields.put("outstanding", row.point().outstanding());
        fields.put("crc", row.series().crc());
        fields.put("unit", row.point().unit().label());
        fields.put("median", rounded(row.rate().median()));
        fields.put("min", rounded(row.rate().min()));
        fields.put("max", rounded(row.rate().max()));
        return Json.of(fields);
    }

    private static BigDecimal rounded(double value) {
        return BigDecimal.valueOf(value).setScale(DECIMALS, RoundingMode.HALF_UP);
    }
}
