package io.github.rpcrdma4j.cli.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.cli.Console;
import io.github.rpcrdma4j.cli.ServedDirectory;
import io.github.rpcrdma4j.nfs.server.Nfs4Options;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ForwardingProgram;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.FileOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a command by version 4.2 makes few calls. Method: a server that notes them. */
class CallsOfCommandsTest {
    /** What comes before the path, which is looked up from the root at first. */
    private static final List<String> BEGINNING =
            List.of("EXCHANGE_ID", "CREATE_SESSION", "SEQUENCE PUTROOTFH GETATTR RECLAIM_COMPLETE");

    private static final List<String> END = List.of("DESTROY_SESSION", "DESTROY_CLIENTID");

    /** The most calls in front of the first one for what the user wants. */
    private static final int BEFORE_MAX = 4;

    private final Console console = new Console();
    private final Queue<String> calls = new ConcurrentLinkedQueue<>();
    private final AtomicLong listed = new AtomicLong();
    @TempDir private Path directory;
    private Path exported;
    private ServedDirectory served;

    /** A program that notes the operations of version 4. */
    private record Noting(RpcProgram program, Queue<String> calls, AtomicLong listed)
            implements ForwardingProgram {
        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws XdrException, InterruptedException {
            if (id().number() == Nfs4Binding.PROGRAM) {
                calls.add(
                        request.version() == Nfs4Binding.VERSION
                                        && request.procedure() == Nfs4Binding.COMPOUND
                                ? CompoundArguments.decode(request.arguments().peek())
                                        .operations()
                                        .stream()
                                        .map(each -> each.opcode().name())
                                        .collect(Collectors.joining(" "))
                                : "procedure " + request.procedure());
            }
            long before = results.position();
            var status = program.call(request, results);
            listed.addAndGet(results.position() - before);
            return status;
        }
    }

    @BeforeEach
    void serve() throws Exception {
        exported = Files.createDirectory(directory.resolve("exported"));
        Files.createDirectories(exported.resolve("a/b"));
        served = ServedDirectory.of(exported, program -> new Noting(program, calls, listed));
    }

    @AfterEach
    void stop() {
        served.close();
    }

    /** Runs a command, and returns its calls between the beginning and the end. */
    private List<String> calls(String... arguments) {
        calls.clear();
        assertEquals(0, console.run(arguments), console::err);
        var all = new ArrayList<>(calls);
        int end = all.size() - END.size();
        assertEquals(BEGINNING, all.subList(0, BEGINNING.size()), all::toString);
        assertEquals(END, all.subList(end, all.size()), all::toString);
        return all.subList(BEGINNING.size(), end);
    }

    private String url(String path) {
        return served.url() + path;
    }

    /** Requires that a path is looked up by one call from the root. */
    private static void requirePath(int names, List<String> calls) {
        var each = " LOOKUP GETFH GETATTR";
        assertEquals("SEQUENCE PUTROOTFH GETFH GETATTR" + each.repeat(names + 1), calls.getFirst());
        assertTrue(BEGINNING.size() + 1 <= BEFORE_MAX, calls::toString);
    }

    @Test
    void aFileIsFetchedByTheFifthCall() throws Exception {
        Files.writeString(exported.resolve("a/b/file"), "text");
        var made = calls("get", url("/a/b/file"), directory + "/copy");
        assertEquals("text", Files.readString(directory.resolve("copy")));
        requirePath(3, made);
        assertTrue(made.get(1).contains(" READ"), made::toString);
        assertEquals(2, made.size(), made::toString);
    }

    @Test
    void aFileIsWrittenByTwoCalls() throws Exception {
        Files.writeString(directory.resolve("source"), "text");
        var made = calls("put", directory + "/source", url("/a/b/file"));
        assertEquals("text", Files.readString(exported.resolve("a/b/file")));
        requirePath(3, made);
        assertEquals(
                List.of(
                        "SEQUENCE PUTFH OPEN GETFH GETATTR VERIFY WRITE CLOSE",
                        "SEQUENCE PUTFH SETATTR PUTFH SAVEFH PUTFH RENAME"),
                made.subList(made.size() - 2, made.size()));
        // Leftovers are looked for in front of it.
        assertEquals("SEQUENCE PUTFH READDIR", made.get(1));
        assertEquals(4, made.size(), made::toString);
    }

    @Test
    void aDirectoryIsListedByTheFifthCall() throws Exception {
        for (int i = 0; i < 100; i++) {
            Files.createFile(exported.resolve("a/b/file" + i));
        }
        var made = calls("ls", "-l", url("/a/b"));
        requirePath(2, made);
        assertEquals(List.of("SEQUENCE PUTFH READDIR"), made.subList(1, made.size()));
    }

    @Test
    void theTopIsListedInOneSession() {
        var made = calls("ls", served.base() + "/");
        assertEquals("data\n", console.out());
        assertEquals(List.of("SEQUENCE PUTROOTFH GETFH GETATTR", "SEQUENCE PUTFH READDIR"), made);
    }

    /** An entry takes some 200 bytes, and a page up to 256 KiB. */
    @Test
    void aLongDirectoryIsListedInLongPages() throws Exception {
        for (int i = 0; i < 5000; i++) {
            Files.createFile(exported.resolve("a/b/file" + i));
        }
        var made = calls("ls", "-l", url("/a/b"));
        assertEquals(5000, console.out().lines().count());
        requirePath(2, made);
        assertTrue(made.size() <= 1 + 7, made::toString);
    }

    /** What a listing costs. */
    private record Cost(long calls, long bytes) {}

    private Cost costOf(String... arguments) {
        listed.set(0);
        return new Cost(calls(arguments).size(), listed.get());
    }

    /** A line needs some 140 bytes of a reply, all attributes take 200, and a name 40. */
    @Test
    void aListingAsksForWhatItPrints() throws Exception {
        int names = 10_000;
        for (int i = 0; i < names; i++) {
            Files.createFile(exported.resolve("a/b/file" + i));
        }
        var all = costOf("ls", "--json", url("/a/b"));
        var lines = costOf("ls", "-l", url("/a/b"));
        assertEquals(names, console.out().lines().count());
        var alone = costOf("ls", url("/a/b"));
        assertEquals(names, console.out().lines().count());
        var matched = costOf("ls", url("/a/b/file777*5"));
        assertEquals("file7775\n", console.out());
        assertTrue(lines.calls < all.calls && lines.bytes < 0.8 * all.bytes, all + ", " + lines);
        assertTrue(alone.calls <= 4 && alone.bytes < 0.3 * all.bytes, all + ", " + alone);
        assertTrue(matched.calls <= 6 && matched.bytes < 0.3 * all.bytes, matched::toString);
    }

    /** The first answer tells that it does. */
    @Test
    void aServerThatCopiesAfterItsReplyIsAskedTwiceForALongFile() throws Exception {
        served.close();
        served =
                ServedDirectory.of(
                        exported,
                        program -> new Noting(program, calls, listed),
                        Nfs4Options.DEFAULT.withAsyncCopies(true));
        long length = 136L << 20;
        try (var file = new FileOutputStream(exported.resolve("long").toFile())) {
            var bytes = new byte[1 << 20];
            for (long i = 0; i < length; i += bytes.length) {
                file.write(bytes);
            }
        }
        var made = calls("cp", url("/long"), url("/copy"));
        assertEquals(length, Files.size(exported.resolve("copy")));
        // A file system that shares the storage of both files copies nothing.
        assumeTrue(made.stream().anyMatch(each -> each.endsWith(" COPY")), made::toString);
        assertEquals(
                2, made.stream().filter(each -> each.endsWith(" COPY")).count(), made::toString);
    }
}
