package io.github.rpcrdma4j.nfs.server.raw;

import static io.github.rpcrdma4j.rpcrdma.raw.HeaderWords.readList;
import static io.github.rpcrdma4j.rpcrdma.raw.HeaderWords.writeList;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.rpcrdma.raw.RawChunk;
import io.github.rpcrdma4j.rpcrdma.raw.SeenHeader;
import io.github.rpcrdma4j.rpcrdma.raw.Words;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: of the calls and replies of NFS version 3, the data of WRITE and READ and the paths of
 * SYMLINK and READLINK travel in chunks, and nothing else does. Method: the test operates a client
 * of the server, over iWARP, word by word.
 */
class ServerEligibleItemsTest {
    private static final int MOUNT = 100005;
    private static final int NFS = 100003;
    private static final int NFSACL = 100227;
    private static final int MNT = 1;

    private static final int GETATTR = 1;
    private static final int SETATTR = 2;
    private static final int LOOKUP = 3;
    private static final int ACCESS = 4;
    private static final int READLINK = 5;
    private static final int READ = 6;
    private static final int WRITE = 7;
    private static final int CREATE = 8;
    private static final int MKDIR = 9;
    private static final int SYMLINK = 10;
    private static final int MKNOD = 11;
    private static final int REMOVE = 12;
    private static final int RMDIR = 13;
    private static final int RENAME = 14;
    private static final int LINK = 15;
    private static final int READDIR = 16;
    private static final int READDIRPLUS = 17;
    private static final int FSSTAT = 18;
    private static final int FSINFO = 19;
    private static final int PATHCONF = 20;
    private static final int COMMIT = 21;

    private static final int NF3FIFO = 7;
    private static final int GARBAGE_ARGS = 4;
    private static final int ISDIR = 21;
    private static final int FILE_SYNC = 2;

    /** Where the arguments of a call of AUTH_NONE and the results of its reply begin, in words. */
    private static final int ARGUMENTS = 10;

    private static final int RESULTS = 6;

    /** The attributes of a file behind the flag that they follow, in words. */
    private static final int ATTRIBUTES = 21;

    /** Six flags that say: set nothing. */
    private static final Words NO_ATTRIBUTES = Words.of(0, 0, 0, 0, 0, 0);

    private static final byte[] CONTENT = Compound.data(3001, 1);
    private static final byte[] TEXT = Compound.ascii("../target");

    private final RdmaProvider provider = RawCaller.provider();
    private TestDirectory directory;
    private NfsServer nfs;
    private CompoundContract.Serving serving;
    private RawCaller caller;
    private Words root;

    @BeforeEach
    void serve() throws Exception {
        directory = RawCaller.directory();
        RawCaller.file(directory, "file", CONTENT);
        Files.createSymbolicLink(
                directory.root().resolve("link"),
                directory.root().getFileSystem().getPath(new String(TEXT)));
        nfs =
                new NfsServer(
                        List.of(new Export(RawCaller.EXPORT, directory.root(), false)),
                        new byte[32]);
        serving = RawServer.serve(nfs, ServedProfile.RFC_8166, provider);
        caller = new RawCaller(ServedProfile.RFC_8166, provider, serving.address());
        var path = Words.NONE.opaque(Compound.ascii(RawCaller.EXPORT));
        root = handle(results(call(readList(), message(MOUNT, MNT, path))));
    }

    @AfterEach
    void close() throws Exception {
        caller.close();
        serving.program().close();
        nfs.close();
        directory.close();
    }

    private Words message(int program, int procedure, Words arguments) {
        return Words.of(caller.nextXid(), 0, 2, program, 3, procedure, 0, 0, 0, 0).and(arguments);
    }

    private SeenHeader call(Words lists, Words message) throws Exception {
        var seen = SeenHeader.of(caller.call(lists, message));
        assertEquals(0, seen.message().at(2), "the call was accepted");
        return seen;
    }

    /** Returns the results of a call that succeeded as far as RPC is concerned. */
    private static Words results(SeenHeader reply) {
        assertEquals(0, reply.message().at(RESULTS - 1), "accept_stat");
        return reply.message().from(RESULTS);
    }

    /** Returns the handle behind the status of results, with its length. */
    private static Words handle(Words results) {
        assertEquals(0, results.at(0), "the status");
        int end = 2 * Integer.BYTES + (results.at(1) + 3 & ~3);
        return new Words(Arrays.copyOfRange(results.bytes(), Integer.BYTES, end));
    }

    private Words lookUp(String name) throws Exception {
        var arguments = root.opaque(Compound.ascii(name));
        return handle(results(call(readList(), message(NFS, LOOKUP, arguments))));
    }

    /**
     * Makes a call one of whose items is in a Read chunk.
     *
     * @param head what precedes the item, the count among it
     * @param tail what follows the item
     * @return the reply
     */
    private SeenHeader callApart(int procedure, Words head, byte[] item, Words tail)
            throws Exception {
        int position = ARGUMENTS * Integer.BYTES + head.length();
        var chunk = caller.end().source(item, item.length).reads(position);
        return call(readList(chunk), message(NFS, procedure, head.and(tail)));
    }

    @Test
    @Tag("8267-4-1")
    @Tag("5666-3.4-2")
    @Tag("8166-6-1")
    void theDataOfWriteAndThePathOfSymlinkMayBeInReadChunks() throws Exception {
        byte[] data = Compound.data(2001, 2);
        var write = lookUp("file").twoWords(0).word(data.length, FILE_SYNC, data.length);
        assertEquals(0, results(callApart(WRITE, write, data, Words.NONE)).at(0));
        var stored = Files.readAllBytes(directory.root().resolve("file"));
        assertArrayEquals(data, Arrays.copyOf(stored, data.length));

        var link = root.opaque(Compound.ascii("made")).and(NO_ATTRIBUTES).word(TEXT.length);
        assertEquals(0, results(callApart(SYMLINK, link, TEXT, Words.NONE)).at(0));
        var made = Files.readSymbolicLink(directory.root().resolve("made"));
        assertEquals(new String(TEXT), made.toString());
    }

    private static void requireGarbage(int procedure, SeenHeader reply) {
        assertEquals(GARBAGE_ARGS, reply.message().at(RESULTS - 1), "of " + procedure);
    }

    /** Every procedure but NULL begins with a handle, and many have a name behind it. */
    @Test
    @Tag("8267-4-1")
    @Tag("5666-3.4-2")
    @Tag("8166-6-1")
    void noOtherArgumentMayBeInAReadChunk() throws Exception {
        var file = lookUp("file");
        for (int procedure = GETATTR; procedure <= COMMIT; procedure++) {
            var all = arguments(procedure, file);
            byte[] handle = Arrays.copyOfRange(all.bytes(), Integer.BYTES, root.length());
            var rest = all.from(root.length() / Integer.BYTES);
            requireGarbage(procedure, callApart(procedure, Words.of(handle.length), handle, rest));
        }
        byte[] name = Compound.ascii("new");
        for (int procedure : new int[] {LOOKUP, CREATE, MKDIR, SYMLINK, REMOVE, RENAME}) {
            var rest = arguments(procedure, file).from(name("new").length() / Integer.BYTES);
            requireGarbage(procedure, callApart(procedure, root.word(name.length), name, rest));
        }
        assertFalse(Files.exists(directory.root().resolve("new")));
    }

    /** Method: NULL calls of MOUNT, NFS and NFSACL in turn. */
    @Test
    @Tag("8166-6.3-1")
    void allProgramsShareTheConnectionAndItsCredits() throws Exception {
        int credits = call(readList(), message(NFS, 0, Words.NONE)).credits();
        for (int program : new int[] {MOUNT, NFS, NFSACL, NFS}) {
            var reply = call(readList(), message(program, 0, Words.NONE));
            assertEquals(0, results(reply).length());
            assertEquals(credits, reply.credits());
        }
    }

    private SeenHeader callWith(RawChunk chunk, int used, int procedure, Words arguments)
            throws Exception {
        var reply = caller.call(writeList(chunk.offered()), message(NFS, procedure, arguments));
        var lists = writeList(chunk.filled(used));
        lists.requireSame(new Words(Arrays.copyOfRange(reply.bytes(), 16, 16 + lists.length())));
        return SeenHeader.of(reply);
    }

    /**
     * The results of READ and READLINK are unions. Of the arm of a success, one item moves; of the
     * arm of a failure, none does.
     */
    @Test
    @Tag("8267-4-1")
    @Tag("5666-3.4-2")
    @Tag("8166-6-1")
    @Tag("8166-3.4.4.3-1")
    void theDataOfReadAndThePathOfReadLinkAloneMoveToAWriteChunk() throws Exception {
        var data = caller.end().sink(4000);
        var file = lookUp("file");
        var read = results(callWith(data, 3000, READ, file.twoWords(0).word(3000)));
        assertArrayEquals(Arrays.copyOf(CONTENT, 3000), data.taken(3000));
        // The status and the flag of the attributes; count, end of file, and length.
        assertEquals((2 + ATTRIBUTES + 3) * Integer.BYTES, read.length());
        Words.of(3000, 0, 3000).requireSame(read.from(2 + ATTRIBUTES));

        var path = caller.end().sink(4000);
        var link = results(callWith(path, TEXT.length, READLINK, lookUp("link")));
        assertArrayEquals(TEXT, path.taken(TEXT.length));
        assertEquals((2 + ATTRIBUTES + 1) * Integer.BYTES, link.length());
        Words.of(TEXT.length).requireSame(link.from(2 + ATTRIBUTES));

        var unused = caller.end().sink(4000);
        var failed = results(callWith(unused, 0, READ, root.twoWords(0).word(3000)));
        unused.taken(0);
        assertEquals(ISDIR, failed.at(0));
        assertEquals((2 + ATTRIBUTES) * Integer.BYTES, failed.length());
    }

    /** Returns arguments with which a procedure succeeds, if those before it were called. */
    private Words arguments(int procedure, Words file) throws Exception {
        return switch (procedure) {
            case GETATTR, FSSTAT, FSINFO, PATHCONF -> file;
            case SETATTR -> file.and(NO_ATTRIBUTES).word(0);
            case LOOKUP -> name("file");
            case ACCESS -> file.word(1);
            case READLINK -> lookUp("link");
            case READ -> file.twoWords(0).word(100);
            case WRITE -> file.twoWords(0).word(4, FILE_SYNC).opaque(new byte[4]);
            case CREATE -> name("a").word(0).and(NO_ATTRIBUTES);
            case MKDIR -> name("b").and(NO_ATTRIBUTES);
            case SYMLINK -> name("c").and(NO_ATTRIBUTES).opaque(TEXT);
            case MKNOD -> name("p").word(NF3FIFO).and(NO_ATTRIBUTES);
            case REMOVE -> name("a");
            case RMDIR -> name("b");
            case RENAME -> name("c").and(name("d"));
            case LINK -> file.and(name("e"));
            case READDIR -> root.twoWords(0).twoWords(0).word(500);
            case READDIRPLUS -> root.twoWords(0).twoWords(0).word(500, 500);
            case COMMIT -> file.twoWords(0).word(0);
            default -> throw new AssertionError(procedure);
        };
    }

    /** Returns a name in the exported directory. */
    private Words name(String name) {
        return root.opaque(Compound.ascii(name));
    }

    @Test
    @Tag("8267-4-1")
    @Tag("8166-3.4.4.3-1")
    void noOtherResultMovesToAWriteChunk() throws Exception {
        var file = lookUp("file");
        for (int procedure = GETATTR; procedure <= COMMIT; procedure++) {
            // MKNOD is refused where the exported directory is in memory.
            if (procedure == READLINK
                    || procedure == READ
                    || procedure == WRITE
                    || procedure == MKNOD) {
                continue;
            }
            var unused = caller.end().sink(4000);
            var results = results(callWith(unused, 0, procedure, arguments(procedure, file)));
            assertEquals(0, results.at(0), "the status of " + procedure);
            unused.taken(0);
            int least = procedure == REMOVE || procedure == RMDIR ? 3 : 7;
            assertTrue(results.length() >= least * Integer.BYTES, "of " + procedure);
        }
    }
}
