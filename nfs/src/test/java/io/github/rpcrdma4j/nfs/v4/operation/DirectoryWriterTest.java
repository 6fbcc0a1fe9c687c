package io.github.rpcrdma4j.nfs.v4.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.FileFacts;
import io.github.rpcrdma4j.nfs.v4.attribute.ReadAttributes;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class DirectoryWriterTest {
    private static final AttributeSet FILEID = AttributeSet.of(Attribute.FILEID);

    /** The bytes of an entry whose name has up to 4 bytes, with one attribute. */
    private static final int ENTRY = 4 + 8 + 8 + 8 + 12;

    /** The verifier, the end of the list, and whether it is the last one. */
    private static final int EMPTY = 16;

    private final SegmentPool pool = new SegmentPool(1 << 20);

    private static NameArguments.ReadDir arguments(int directoryCount) {
        return new NameArguments.ReadDir(0, 0, directoryCount, 0, FILEID);
    }

    private static FileFacts facts(int fileId) throws XdrException {
        byte[] value = {0, 0, 0, 0, 0, 0, 0, (byte) fileId};
        return ReadAttributes.decode(EncodedAttributes.of(FILEID, value));
    }

    /** Adds entries until one does not fit, and returns how many fitted. */
    private static int fill(DirectoryWriter writer) throws XdrException {
        for (int i = 0; i < 100; i++) {
            if (!writer.add(i + 1, FileName.of("n" + i), facts(i))) {
                return i;
            }
        }
        return 100;
    }

    private static NameResult.ReadDir decoded(XdrWriter out) throws XdrException {
        var in = new XdrReader(out.reducedStream());
        assertEquals(7, in.uint32());
        var result = assertInstanceOf(NameResult.ReadDir.class, Result.decode(in));
        in.finish();
        return result;
    }

    /** Goal: the values never exceed the limit, and use it. Method: every limit. */
    @Test
    void asManyEntriesAreWrittenAsFit() throws XdrException {
        for (int max = EMPTY + ENTRY; max < EMPTY + 4 * ENTRY; max++) {
            try (var out = new XdrWriter(pool)) {
                var writer = new DirectoryWriter(out.uint32(7), arguments(0), 5, max);
                int fitted = fill(writer);
                assertEquals((max - EMPTY) / ENTRY, fitted);
                assertEquals(Nfs4Status.OK, writer.finish(false));
                assertEquals(12 + EMPTY + fitted * ENTRY, out.reducedLength());
                var result = decoded(out);
                assertEquals(fitted, result.entries().size());
                assertEquals(5, result.verifier());
                assertFalse(result.isLast());
                for (int i = 0; i < fitted; i++) {
                    var entry = result.entries().get(i);
                    assertEquals(i + 1, entry.cookie());
                    assertEquals(FileName.of("n" + i), entry.name());
                    var read = ReadAttributes.decode(entry.attributes());
                    assertEquals(i, read.hyper(Attribute.FILEID));
                }
            }
        }
    }

    @Test
    void aListingThatHasNoRoomIsTooSmallAndLeavesNothing() throws XdrException {
        try (var out = new XdrWriter(pool)) {
            var writer = new DirectoryWriter(out.uint32(7), arguments(0), 5, EMPTY + ENTRY - 1);
            assertEquals(0, fill(writer));
            assertEquals(Nfs4Status.TOOSMALL, writer.finish(false));
            assertEquals(4, out.reducedLength());
            var none = new DirectoryWriter(out, arguments(0), 5, EMPTY - 1);
            assertEquals(Nfs4Status.TOOSMALL, none.finish(true));
            assertEquals(4, out.reducedLength());
        }
    }

    @Test
    void anEmptyDirectoryIsAListing() throws XdrException {
        try (var out = new XdrWriter(pool)) {
            var writer = new DirectoryWriter(out.uint32(7), arguments(0), 5, EMPTY);
            assertEquals(Nfs4Status.OK, writer.finish(true));
            assertEquals(new NameResult.ReadDir(5, List.of(), true), decoded(out));
        }
    }

    @Test
    void theClientLimitsCookiesAndNames() throws XdrException {
        try (var out = new XdrWriter(pool)) {
            var writer = new DirectoryWriter(out.uint32(7), arguments(3 * 16), 5, 4096);
            assertEquals(3, fill(writer));
            assertEquals(Nfs4Status.OK, writer.finish(false));
            assertEquals(3, decoded(out).entries().size());
        }
    }

    /** Goal: a hint that is too low for one entry ends no listing for ever. */
    @Test
    void oneEntryIsWrittenEvenBeyondTheHint() throws XdrException {
        try (var out = new XdrWriter(pool)) {
            var writer = new DirectoryWriter(out.uint32(7), arguments(1), 5, 4096);
            assertEquals(1, fill(writer));
            assertEquals(Nfs4Status.OK, writer.finish(false));
        }
    }

    @Test
    void aListingCanBeDiscarded() throws XdrException {
        try (var out = new XdrWriter(pool)) {
            var writer = new DirectoryWriter(out.uint32(7), arguments(0), 5, 4096);
            assertTrue(writer.add(1, FileName.of("a"), facts(1)));
            writer.discard();
            Result.failed(Opcode.READDIR, Nfs4Status.STALE).encode(out);
            var in = new XdrReader(out.reducedStream().asSlice(4));
            assertEquals(Result.failed(Opcode.READDIR, Nfs4Status.STALE), Result.decode(in));
            in.finish();
        }
    }

    @Test
    void attributesOfOneFileAreAResult() throws XdrException {
        try (var out = new XdrWriter(pool)) {
            var wanted = FILEID.with(Attribute.SIZE);
            AttributeResult.GetAttr.encode(out, wanted, facts(9));
            var in = new XdrReader(out.reducedStream());
            var result = assertInstanceOf(AttributeResult.GetAttr.class, Result.decode(in));
            in.finish();
            assertEquals(FILEID, result.attributes().attributes());
        }
    }
}
