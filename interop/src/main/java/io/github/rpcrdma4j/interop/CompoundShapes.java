package io.github.rpcrdma4j.interop;

import static io.github.rpcrdma4j.interop.CompoundStep.ILLEGAL;
import static io.github.rpcrdma4j.interop.CompoundStep.INLINE;
import static io.github.rpcrdma4j.interop.CompoundStep.LINK_TEXT;
import static io.github.rpcrdma4j.interop.CompoundStep.READ;

import io.github.rpcrdma4j.interop.CompoundStep.CutLink;
import io.github.rpcrdma4j.interop.CompoundStep.Displaced;
import io.github.rpcrdma4j.interop.CompoundStep.Failing;
import io.github.rpcrdma4j.interop.CompoundStep.Get;
import io.github.rpcrdma4j.interop.CompoundStep.MakeLink;
import io.github.rpcrdma4j.interop.CompoundStep.Put;
import io.github.rpcrdma4j.interop.CompoundStep.Size;
import io.github.rpcrdma4j.interop.CompoundStep.Store;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * COMPOUNDs of NFS version 4.1 with several bulk items (RFC 8267, Section 6.4). Only Linux has a
 * server of version 4 to try them at. File handles are those of version 3, which Linux takes.
 *
 * <p>Tests: {@code interop/run}.
 */
final class CompoundShapes {
    private static final int ERR_IO = 5;
    private static final int ERR_ISDIR = 21;
    private static final int ERR_OP_ILLEGAL = 10044;

    static final List<Shape> TABLE =
            List.of(
                    new Shape(
                            "compound-inline",
                            "READ READ READLINK, no Write list",
                            "inline, with all results; by Linux with other data for the second READ",
                            (caller, directory) -> reads(caller, directory, CallChunks.NONE, 700)),
                    new Shape(
                            "compound-two-chunks",
                            "READ READ READLINK with two Write chunks",
                            "the data in its Write chunks, the link inline; by Linux with other"
                                    + " data for the second READ",
                            (caller, directory) ->
                                    reads(
                                            caller,
                                            directory,
                                            writes(caller, Layout.of(5001), Layout.of(3000, 3000)),
                                            5001,
                                            0,
                                            1)),
                    new Shape(
                            "compound-fewer-chunks",
                            "READ READ READLINK with one Write chunk",
                            "the first result in its Write chunk, the others inline",
                            (caller, directory) ->
                                    reads(
                                            caller,
                                            directory,
                                            writes(caller, Layout.of(900)),
                                            900,
                                            0)),
                    new Shape(
                            "compound-more-chunks",
                            "READ and READ with five Write chunks",
                            "each result in its own Write chunk, the last three unused",
                            CompoundShapes::moreChunks),
                    new Shape(
                            "compound-link-in-a-chunk",
                            "READ READLINK with two Write chunks",
                            "by RFC 8267: the link in its Write chunk; by Linux: its length word"
                                    + " and a part of it there, and the last word inline",
                            CompoundShapes::linkInChunk),
                    new Shape(
                            "compound-read-behind-a-link",
                            "READLINK READ, no Write list",
                            "inline, with all results",
                            CompoundShapes::readBehindLink),
                    new Shape(
                            "compound-read-of-nothing",
                            "READ at the end of a file, READ of 900 bytes, with two Write chunks",
                            "by RFC 8267: the first Write chunk unused; by Linux: the data in it,"
                                    + " and the second one unused",
                            CompoundShapes::nothingFirst),
                    new Shape(
                            "compound-failing-read",
                            "READ, READ of a directory, READ, with three Write chunks",
                            "the data of the first in its Write chunk, the others unused",
                            CompoundShapes::failing),
                    new Shape(
                            "compound-empty-chunk",
                            "READ READ READLINK with three Write chunks, the second one empty",
                            "by RFC 8267: its data inline; by Linux: ERR_CHUNK",
                            CompoundShapes::emptyChunk),
                    new Shape(
                            "compound-small-chunk",
                            "READ and READ of 900 bytes with Write chunks of 900 and 899",
                            "Linux: the second READ fails with NFS4ERR_IO",
                            CompoundShapes::smallChunk),
                    new Shape(
                            "compound-write-and-reply-chunk",
                            "READ READ READLINK with one Write chunk and a Reply chunk",
                            "the first result in its Write chunk, the rest in the Reply chunk",
                            CompoundShapes::longReply),
                    new Shape(
                            "compound-write",
                            "WRITE of 5001 bytes and GETATTR, with a Read chunk",
                            "inline; the file has the data",
                            (caller, directory) -> written(caller, directory, 5001)),
                    new Shape(
                            "compound-three-writes",
                            "three times WRITE and GETATTR, with three Read chunks",
                            "inline; the files have the data",
                            (caller, directory) -> written(caller, directory, 3000, 4, 4096)),
                    new Shape(
                            "compound-odd-writes",
                            "WRITE of 3001 bytes, GETATTR, WRITE of 4096 bytes, with two Read chunks",
                            "by RFC 8166: inline; by Linux: NFS4ERR_OP_ILLEGAL behind the first"
                                    + " WRITE, as it does not pad",
                            CompoundShapes::oddWrites),
                    new Shape(
                            "compound-symbolic-link",
                            "CREATE of a symbolic link with a Read chunk",
                            "inline; the link has the text",
                            CompoundShapes::symbolicLink));

    private CompoundShapes() {}

    private static CallChunks writes(Caller caller, Layout... layouts) {
        var chunks = CallChunks.NONE;
        for (var layout : layouts) {
            chunks = chunks.write(caller.sink(layout));
        }
        return chunks;
    }

    /** Returns the message of a COMPOUND of these operations. */
    private static CallMessage message(CompoundSession session, List<CompoundStep> steps) {
        return session.message(steps.size(), out -> steps.forEach(step -> step.encode(out)));
    }

    private static void check(
            CompoundSession session, Reply reply, int status, List<CompoundStep> answered)
            throws Mismatch {
        var in = session.results(reply, status, answered.size());
        for (var step : answered) {
            step.check(in, reply);
        }
        Mismatch.requireSame("what is left of the reply", 0L, in.remaining());
    }

    /**
     * Makes a COMPOUND of which all operations succeed.
     *
     * @param written how many bytes each Write chunk gets
     */
    private static void succeed(
            Caller caller, CallChunks chunks, List<CompoundStep> steps, long... written)
            throws Mismatch, InterruptedException {
        var session = open(caller);
        var call = message(session, steps);
        check(session, caller.call(call, call.whole(), chunks, written), CompoundSession.OK, steps);
        session.close();
    }

    private static CompoundSession open(Caller caller) throws Mismatch, InterruptedException {
        return CompoundSession.open(caller, "shapes " + System.nanoTime());
    }

    private static FileHandle newLink(Directory directory) throws Mismatch, InterruptedException {
        return directory
                .value(
                        new Nfs3Call.MakeSymbolicLink(
                                directory.newName(), SetAttributes.NONE, LINK_TEXT))
                .handle()
                .orElseThrow(() -> new Mismatch("SYMLINK gave no handle"));
    }

    /**
     * READ READ READLINK. Linux takes the data of the second READ from a place behind it.
     *
     * @param count the bytes of the first READ; the second has one byte less
     * @param used the Write chunks of the first results, in order; the others are inline
     */
    private static List<CompoundStep> steps(Directory directory, int count, int... used)
            throws Mismatch, InterruptedException {
        byte[] first = Directory.bytes(count);
        byte[] second = Directory.bytes(count - 1);
        int[] chunks = {INLINE, INLINE};
        System.arraycopy(used, 0, chunks, 0, used.length);
        return List.of(
                new Put(directory.newFile(first)),
                Get.read(first, chunks[0]),
                new Put(directory.newFile(second)),
                new Displaced(Get.read(second, chunks[1])),
                new Put(newLink(directory)),
                Get.LINK);
    }

    private static void reads(
            Caller caller, Directory directory, CallChunks chunks, int count, int... used)
            throws Mismatch, InterruptedException {
        long[] written = {count, count - 1};
        succeed(caller, chunks, steps(directory, count, used), Arrays.copyOf(written, used.length));
    }

    private static void moreChunks(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        var chunks =
                writes(
                        caller,
                        Layout.of(900),
                        Layout.of(400, 500),
                        Layout.of(7),
                        Layout.of(1, 2, 3),
                        Layout.of(900));
        succeed(caller, chunks, steps(directory, 900, 0, 1).subList(0, 4), 900, 899);
    }

    private static void linkInChunk(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        byte[] content = Directory.bytes(900);
        List<CompoundStep> steps =
                List.of(
                        new Put(directory.newFile(content)),
                        Get.read(content, 0),
                        new Put(newLink(directory)),
                        new CutLink());
        var chunks = writes(caller, Layout.of(900), Layout.of(8, 99));
        succeed(caller, chunks, steps, 900, LINK_TEXT.length());
    }

    private static void readBehindLink(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        byte[] content = Directory.bytes(900);
        succeed(
                caller,
                CallChunks.NONE,
                List.of(
                        new Put(newLink(directory)),
                        Get.LINK,
                        new Put(directory.newFile(content)),
                        Get.read(content, INLINE)));
    }

    private static void nothingFirst(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        byte[] content = Directory.bytes(900);
        List<CompoundStep> steps =
                List.of(
                        new Put(directory.newFile(content)),
                        new Get(READ, new byte[0], 900, 100, INLINE),
                        Get.read(content, 0));
        succeed(caller, writes(caller, Layout.of(900), Layout.of(950)), steps, 900);
    }

    private static void failing(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        byte[] content = Directory.bytes(900);
        var file = directory.newFile(content);
        var read = Get.read(content, 0);
        List<CompoundStep> answered =
                List.of(
                        new Put(file),
                        read,
                        new Put(directory.handle()),
                        new Failing(read, READ, ERR_ISDIR));
        var session = open(caller);
        var steps = new ArrayList<CompoundStep>(answered);
        steps.addAll(List.of(new Put(file), read));
        var call = message(session, steps);
        var chunks = writes(caller, Layout.of(900), Layout.of(900), Layout.of(900));
        check(session, caller.call(call, call.whole(), chunks, 900), ERR_ISDIR, answered);
        session.close();
    }

    private static void emptyChunk(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        var session = open(caller);
        var call = message(session, steps(directory, 900));
        var chunks = writes(caller, Layout.of(900), Layout.of(), Layout.of(900));
        var header = new Version1Header.Msg(call.xid(), 1, chunks.lists());
        caller.requireChunkError(Caller.bytes(header, call.whole()), call.xid());
        session.close();
    }

    private static void smallChunk(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        byte[] content = Directory.bytes(900);
        var read = Get.read(content, 0);
        List<CompoundStep> steps =
                List.of(new Put(directory.newFile(content)), read, new Failing(read, READ, ERR_IO));
        var session = open(caller);
        var call = message(session, steps);
        var chunks = writes(caller, Layout.of(900), Layout.of(899));
        check(session, caller.call(call, call.whole(), chunks, 900), ERR_IO, steps);
        session.close();
    }

    private static void longReply(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        var steps = steps(directory, 9000, 0);
        var session = open(caller);
        var call = message(session, steps);
        // Linux counts the data of the Write chunk for the Reply chunk as well.
        var chunks = writes(caller, Layout.of(9000)).reply(caller.sink(Layout.of(8000, 12_000)));
        var reply = caller.callWithLongReply(call, call.whole(), chunks, 9000);
        check(session, reply, CompoundSession.OK, steps);
        session.close();
    }

    private static void written(Caller caller, Directory directory, int... lengths)
            throws Mismatch, InterruptedException {
        var files = newFiles(directory, lengths.length);
        var session = open(caller);
        var steps = stores(files, lengths);
        check(session, store(caller, session, steps, lengths), CompoundSession.OK, steps);
        session.close();
        for (int i = 0; i < lengths.length; i++) {
            Mismatch.requireSame(
                    "the file", Directory.bytes(lengths[i]), directory.content(files.get(i)));
        }
    }

    private static List<FileHandle> newFiles(Directory directory, int count)
            throws Mismatch, InterruptedException {
        var files = new ArrayList<FileHandle>();
        for (int i = 0; i < count; i++) {
            files.add(directory.newFile());
        }
        return files;
    }

    /** Returns a WRITE and a GETATTR for each file. */
    private static List<CompoundStep> stores(List<FileHandle> files, int... lengths) {
        var steps = new ArrayList<CompoundStep>();
        for (int i = 0; i < lengths.length; i++) {
            steps.add(new Put(files.get(i)));
            steps.add(new Store(Directory.bytes(lengths[i])));
            steps.add(new Size(lengths[i]));
        }
        return steps;
    }

    /** Makes a call with a Read chunk for each WRITE. */
    private static Reply store(
            Caller caller, CompoundSession session, List<CompoundStep> steps, int... lengths)
            throws Mismatch, InterruptedException {
        var call = message(session, steps);
        var chunks = CallChunks.NONE;
        for (int i = 0; i < lengths.length; i++) {
            var memory = caller.source(Layout.of(lengths[i]), Directory.bytes(lengths[i]));
            chunks = chunks.read(memory.reads(call.positions().get(i)));
        }
        return caller.call(call, call.reduced(), chunks);
    }

    private static void oddWrites(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        int[] lengths = {3001, 4096};
        var files = newFiles(directory, lengths.length);
        var session = open(caller);
        var steps = stores(files, lengths);
        var answered = new ArrayList<>(steps.subList(0, 2));
        answered.add(new Failing(steps.get(2), ILLEGAL, ERR_OP_ILLEGAL));
        check(session, store(caller, session, steps, lengths), ERR_OP_ILLEGAL, answered);
        session.close();
        Mismatch.requireSame("the second file", new byte[0], directory.content(files.get(1)));
    }

    private static void symbolicLink(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        var place = directory.newName();
        var session = open(caller);
        List<CompoundStep> steps = List.of(new Put(directory.handle()), new MakeLink(place));
        var call = message(session, steps);
        var memory = caller.source(Layout.of(4, LINK_TEXT.length() - 4), LINK_TEXT.bytes());
        var chunks = CallChunks.NONE.read(memory.reads(call.position()));
        check(session, caller.call(call, call.reduced(), chunks), CompoundSession.OK, steps);
        session.close();
        var link = directory.value(new Nfs3Call.Lookup(place)).handle();
        Mismatch.requireSame(
                "the text", LINK_TEXT, directory.value(new Nfs3Call.ReadLink(link)).path());
    }
}
