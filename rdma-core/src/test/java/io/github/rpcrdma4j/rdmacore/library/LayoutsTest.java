package io.github.rpcrdma4j.rdmacore.library;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: the layouts are those of the installed headers. Method: a C program prints each offset and
 * size. Without a compiler or the headers (libibverbs-dev, librdmacm-dev) the test is skipped.
 */
class LayoutsTest {
    private static final List<String> CONSTANTS =
            List.of(
                    "IBV_ACCESS_LOCAL_WRITE",
                    "IBV_ACCESS_REMOTE_WRITE",
                    "IBV_ACCESS_REMOTE_READ",
                    "IBV_ACCESS_MW_BIND",
                    "IBV_DEVICE_MEM_WINDOW_TYPE_2B",
                    "IBV_TRANSPORT_IWARP",
                    "IBV_LINK_LAYER_ETHERNET",
                    "IBV_QPT_RC",
                    "IBV_QPS_ERR",
                    "IBV_WR_RDMA_WRITE",
                    "IBV_WR_SEND",
                    "IBV_WR_RDMA_READ",
                    "IBV_WR_BIND_MW",
                    "IBV_WR_SEND_WITH_INV",
                    "IBV_SEND_SIGNALED",
                    "IBV_WC_WITH_INV",
                    "RDMA_CM_EVENT_ADDR_RESOLVED",
                    "RDMA_CM_EVENT_ADDR_ERROR",
                    "RDMA_CM_EVENT_ROUTE_RESOLVED",
                    "RDMA_CM_EVENT_ROUTE_ERROR",
                    "RDMA_CM_EVENT_CONNECT_REQUEST",
                    "RDMA_CM_EVENT_CONNECT_ERROR",
                    "RDMA_CM_EVENT_UNREACHABLE",
                    "RDMA_CM_EVENT_REJECTED",
                    "RDMA_CM_EVENT_ESTABLISHED",
                    "RDMA_CM_EVENT_DISCONNECTED",
                    "RDMA_CM_EVENT_DEVICE_REMOVAL",
                    "RDMA_CM_EVENT_ADDR_CHANGE",
                    "RDMA_CM_EVENT_TIMEWAIT_EXIT");

    private static final List<Integer> VALUES =
            List.of(
                    Verbs.ACCESS_LOCAL_WRITE,
                    Verbs.ACCESS_REMOTE_WRITE,
                    Verbs.ACCESS_REMOTE_READ,
                    Verbs.ACCESS_MW_BIND,
                    Verbs.CAPABILITY_WINDOW_TYPE_2B,
                    Verbs.TRANSPORT_IWARP,
                    Verbs.LINK_LAYER_ETHERNET,
                    Verbs.QP_TYPE_RC,
                    Verbs.QP_STATE_ERROR,
                    Verbs.WR_RDMA_WRITE,
                    Verbs.WR_SEND,
                    Verbs.WR_RDMA_READ,
                    Verbs.WR_BIND_MW,
                    Verbs.WR_SEND_WITH_INV,
                    Verbs.SEND_SIGNALED,
                    Verbs.WC_WITH_INV,
                    RdmaCm.EVENT_ADDRESS_RESOLVED,
                    RdmaCm.EVENT_ADDRESS_ERROR,
                    RdmaCm.EVENT_ROUTE_RESOLVED,
                    RdmaCm.EVENT_ROUTE_ERROR,
                    RdmaCm.EVENT_CONNECT_REQUEST,
                    RdmaCm.EVENT_CONNECT_ERROR,
                    RdmaCm.EVENT_UNREACHABLE,
                    RdmaCm.EVENT_REJECTED,
                    RdmaCm.EVENT_ESTABLISHED,
                    RdmaCm.EVENT_DISCONNECTED,
                    RdmaCm.EVENT_DEVICE_REMOVAL,
                    RdmaCm.EVENT_ADDRESS_CHANGE,
                    RdmaCm.EVENT_TIMEWAIT_EXIT);

    @TempDir Path directory;

    @Test
    void theLayoutsAreThoseOfTheInstalledHeaders() throws Exception {
        var expressions = new ArrayList<String>();
        var expected = new ArrayList<String>();
        for (var structure : Layouts.class.getDeclaredClasses()) {
            var c = (String) field(structure, "C").get(null);
            for (var each : structure.getDeclaredFields()) {
                if (Modifier.isStatic(each.getModifiers()) && each.getType() == long.class) {
                    var name = each.getName();
                    var expression =
                            name.equals("SIZE")
                                    ? "sizeof(" + c + ")"
                                    : "offsetof(" + c + ", " + member(name) + ")";
                    expressions.add(expression);
                    expected.add(expression + " " + each.getLong(null));
                }
            }
        }
        assertTrue(expressions.size() > 90, expressions.toString());
        for (int i = 0; i < CONSTANTS.size(); i++) {
            expressions.add("(size_t) " + CONSTANTS.get(i));
            expected.add(expressions.getLast() + " " + VALUES.get(i));
        }
        var printed = new ArrayList<>(printed(expressions));
        // A structure that libibverbs fills, and that newer versions made longer at its end.
        int port = expressions.indexOf("sizeof(" + Layouts.PortAttributes.C + ")");
        long installed = Long.parseLong(printed.get(port).replaceFirst(".* ", ""));
        assertTrue(installed <= Layouts.PortAttributes.SIZE, printed.get(port));
        printed.set(port, expected.get(port));
        assertEquals(expected, printed);
    }

    private static String member(String constant) {
        return constant.toLowerCase(Locale.ROOT).replace("__", ".");
    }

    private static Field field(Class<?> of, String name) throws NoSuchFieldException {
        return of.getDeclaredField(name);
    }

    private List<String> printed(List<String> expressions) throws Exception {
        var source = new StringBuilder();
        source.append("#include <stddef.h>\n#include <stdio.h>\n");
        source.append("#include <infiniband/verbs.h>\n#include <rdma/rdma_cma.h>\n");
        source.append("int main(void) {\n");
        for (var each : expressions) {
            source.append("printf(\"%s %zu\\n\", \"").append(each).append("\", ");
            source.append(each).append(");\n");
        }
        source.append("return 0; }\n");
        Files.writeString(directory.resolve("layouts.c"), source);
        run(true, "cc", "-w", "-o", "layouts", "layouts.c");
        return run(false, "./layouts");
    }

    private List<String> run(boolean maySkip, String... command)
            throws IOException, InterruptedException {
        var output = directory.resolve("output");
        Process process;
        try {
            process =
                    new ProcessBuilder(command)
                            .directory(directory.toFile())
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .start();
        } catch (IOException noCompiler) {
            assumeTrue(!maySkip, "there is no C compiler");
            throw noCompiler;
        }
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        var text = Files.readString(output);
        assumeTrue(
                !maySkip || !text.contains("No such file"), "the headers are not there: " + text);
        assertEquals(0, process.exitValue(), text);
        return text.lines().toList();
    }
}
