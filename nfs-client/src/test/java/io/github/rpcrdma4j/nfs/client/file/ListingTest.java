package io.github.rpcrdma4j.nfs.client.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.ScriptedServer;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NameMemory;
import io.github.rpcrdma4j.nfs.client.service.NamedFile;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.v3.DirectoryPage;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: every listing ends, even with a hostile server. Method: pages generated from their cookie.
 */
@Timeout(60)
class ListingTest {
    private static final FileHandle DIRECTORY = new FileHandle(new byte[] {1});

    private static final long NAMES_BYTES = 1 << 20;

    private final NameMemory memory = new NameMemory(NAMES_BYTES);

    /** Lists a directory whose pages hold one name each, and always a new cookie. */
    private List<NamedFile> list(long end, LongFunction<String> name)
            throws IOException, InterruptedException {
        try (var client =
                ScriptedServer.service(
                        ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3),
                        call -> {
                            long cookie = ((Nfs3Call.ReadDirectoryPlus) call).cookie();
                            return page(name.apply(cookie), cookie + 1, cookie == end);
                        })) {
            return new Listing(client, ScriptedServer.MOUNTED, "cannot list /a", memory.share())
                    .all();
        }
    }

    private static Nfs3Reply<?, ?> page(String name, long cookie, boolean end) {
        var entry =
                new DirectoryPage.Entry(
                        cookie,
                        FileName.of(name),
                        cookie,
                        Optional.of(ScriptedServer.attributes(FileType.REGULAR)),
                        Optional.of(DIRECTORY));
        return new Nfs3Reply.Ok<>(
                Optional.<FileAttributes>empty(), new DirectoryPage(0, List.of(entry), end));
    }

    private void endsByItself(LongFunction<String> name) {
        var failure = assertThrows(IOException.class, () -> list(Long.MAX_VALUE, name));
        assertEquals(
                "cannot list /a: the listing does not end: the server repeats pages",
                failure.getMessage());
    }

    @Test
    void endsWhenPagesGoOnWithANameThatWasThere() {
        endsByItself(_ -> "always");
    }

    @Test
    void endsWhenPagesGoOnWithoutNames() {
        endsByItself(_ -> ".");
    }

    @Test
    void acceptsRepeatedNames() throws Exception {
        assertEquals(100, list(999, cookie -> "name" + cookie % 100).size());
    }

    @Test
    void takesNoMoreMemoryThanThereIsForAllListings() throws Exception {
        try (var other = memory.share()) {
            assertTrue(other.take(NAMES_BYTES - 100_000));
            var failure =
                    assertThrows(
                            IOException.class, () -> list(Long.MAX_VALUE, cookie -> "n" + cookie));
            assertTrue(
                    failure.getMessage().startsWith("cannot list /a: after 19"),
                    failure.getMessage());
            assertTrue(failure.getMessage().contains("no memory for more"), failure.getMessage());
        }
    }
}
