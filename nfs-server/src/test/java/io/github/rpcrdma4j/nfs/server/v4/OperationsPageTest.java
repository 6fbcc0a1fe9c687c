package io.github.rpcrdma4j.nfs.server.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Goal: the page names all operations. */
class OperationsPageTest {
    private static final Pattern ROW =
            Pattern.compile("\\| ([A-Z_]+) \\| 4\\.(\\d) \\| (yes|no) \\| (.*)\\|");

    @Test
    void namesEachOperationWithItsMinorVersionAndWhyItIsNotThere() throws Exception {
        var page = Path.of(System.getProperty("project.root"), "docs", "nfs4.md");
        var rows = new ArrayList<String>();
        for (var line : Files.readAllLines(page)) {
            var row = ROW.matcher(line);
            if (row.matches()) {
                rows.add(row.group(1) + " " + row.group(2));
                assertFalse(row.group(3).equals("no") && row.group(4).isBlank(), line);
            }
        }
        var operations =
                Arrays.stream(Opcode.values())
                        .filter(each -> each != Opcode.ILLEGAL)
                        .map(each -> each + " " + each.operation().minorVersion())
                        .toList();
        assertEquals(operations, rows);
    }
}
