package io.github.rpcrdma4j.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.gss.krb5.EmbeddedKdc;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: every example runs, and prints its expected output. */
@Timeout(120)
class ExamplesTest {
    private interface Main {
        void run() throws Exception;
    }

    private static String printed(Main main) throws Exception {
        var bytes = new ByteArrayOutputStream();
        var usual = System.out;
        System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            main.run();
        } finally {
            System.setOut(usual);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void bulkDataLandsInPlace() throws Exception {
        assertEquals(
                "1048576 bytes, in place: true\n", printed(() -> BulkProgram.main(new String[0])));
    }

    @Test
    void aClientIsCalledBack() throws Exception {
        assertEquals("notice: welcome\n", printed(() -> CallBack.main(new String[0])));
    }

    @Test
    void callsArePipelined() throws Exception {
        assertEquals("1000 calls succeeded\n", printed(() -> PipelinedCalls.main(new String[0])));
    }

    @Test
    void aTreeIsWalked(@TempDir Path directory) throws Exception {
        Files.createDirectories(directory.resolve("photos/2026"));
        Files.write(directory.resolve("photos/2026/one.jpg"), new byte[123]);
        try (var server = new EmbeddedServer(directory)) {
            var tree = printed(() -> TreeWalk.main(new String[] {server.url(), "/data/photos"}));
            assertEquals(3, tree.lines().count(), tree);
            assertTrue(tree.contains("         123 /data/photos/2026/one.jpg"), tree);
        }
    }

    @Test
    void pathsLeadToFilesOfAServer(@TempDir Path directory) throws Exception {
        try (var server = new EmbeddedServer(directory)) {
            var printed = printed(() -> ServerPaths.main(new String[] {"nfs+" + server.url()}));
            assertEquals("2 lines in copy.log, 12 bytes\n", printed);
        }
    }

    @Test
    void aServerInATestServesATemporaryDirectory() throws Exception {
        assertEquals("hello\n", printed(() -> EmbeddedServer.main(new String[0])));
    }

    @Test
    void bulkWritesAreReadBack() throws Exception {
        assertEquals(
                "equal: true, in place: true\n", printed(() -> BulkWrites.main(new String[0])));
    }

    @Test
    void aStoreOfOnesOwnIsRead() throws Exception {
        assertEquals("0123456789\n", printed(() -> OwnStore.main(new String[0])));
    }

    @Test
    void aCallIsEncryptedByKerberos(@TempDir Path directory) throws Exception {
        try (var kdc = EmbeddedKdc.start(directory)) {
            var keytab = kdc.keytab("nfs/localhost");
            var tickets = kdc.ticketCache("alice");
            String[] args = {"" + keytab, "nfs/localhost", "" + tickets};
            assertEquals("1048576 bytes\n", printed(() -> KerberosCall.main(args)));
        }
    }
}
