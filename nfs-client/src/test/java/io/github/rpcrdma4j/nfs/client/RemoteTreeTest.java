package io.github.rpcrdma4j.nfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.v3.DirectoryPage;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Nothing;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: a walk ends, even with a hostile server. Method: each directory holds one directory. */
@Timeout(60)
class RemoteTreeTest {
    private static Nfs3Reply<?, ?> reply(Nfs3Call<?, ?> call, UnaryOperator<FileHandle> child) {
        var attributes = ScriptedServer.attributes(FileType.DIRECTORY);
        if (call instanceof Nfs3Call.GetAttributes) {
            return new Nfs3Reply.Ok<>(Nothing.NOTHING, attributes);
        }
        var directory = ((Nfs3Call.ReadDirectoryPlus) call).directory();
        var entry =
                new DirectoryPage.Entry(
                        1,
                        FileName.of("d"),
                        1,
                        Optional.of(attributes),
                        Optional.of(child.apply(directory)));
        return new Nfs3Reply.Ok<>(
                Optional.<FileAttributes>empty(), new DirectoryPage(0, List.of(entry), true));
    }

    private static String failure(UnaryOperator<FileHandle> child) throws Exception {
        try (var files = NfsFiles.of(ScriptedServer.mount(call -> reply(call, child)));
                var entries = files.walk("/data")) {
            var failure = assertThrows(UncheckedIOException.class, entries::toList);
            return failure.getCause().getMessage();
        }
    }

    private static FileHandle next(FileHandle directory) {
        int number = ByteBuffer.wrap(Arrays.copyOf(directory.bytes(), Integer.BYTES)).getInt();
        return new FileHandle(ByteBuffer.allocate(Integer.BYTES).putInt(number + 1).array());
    }

    @Test
    void refusesADirectoryThatContainsItself() throws Exception {
        assertEquals(
                "cannot go into /data/d: this directory contains itself on the server",
                failure(directory -> directory));
    }

    @Test
    void refusesATreeWithoutEnd() throws Exception {
        var message = failure(RemoteTreeTest::next);
        assertTrue(message.endsWith(" it is more than 5000 directories deep"), message);
    }
}
