package io.github.rpcrdma4j.interop;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * An operation of a COMPOUND, and what its results have to be (RFC 8881, Section 18).
 *
 * <p>Tests: {@code interop/run}.
 */
interface CompoundStep {
    int CREATE = 6;
    int GETATTR = 9;
    int PUTFH = 22;
    int READ = 25;
    int READLINK = 27;
    int WRITE = 38;
    int ILLEGAL = 10044;
    int NF4LNK = 5;
    int FILE_SYNC = 2;

    /** The bitmap with the size alone. */
    int SIZE = 1 << 4;

    int LONGEST = 1 << 20;

    /** In place of the index of a Write chunk: the result is inline. */
    int INLINE = -1;

    PathName LINK_TEXT = PathName.of("over/the/hills");

    /** Writes the number and the arguments. */
    void encode(XdrWriter out);

    /** Reads the number, the status and the results, and checks them. */
    void check(XdrReader in, Reply reply) throws Mismatch;

    /** A successful operation without results. */
    record Put(FileHandle file) implements CompoundStep {
        @Override
        public void encode(XdrWriter out) {
            out.uint32(PUTFH).opaque(file.bytes());
        }

        @Override
        public void check(XdrReader in, Reply reply) throws Mismatch {
            CompoundSession.operation(in, PUTFH, CompoundSession.OK);
        }
    }

    /**
     * A READ of a whole file, or a READLINK.
     *
     * @param content what it has to return
     * @param chunk the index of the Write chunk with the result, or {@link #INLINE}
     */
    record Get(int operation, byte[] content, long offset, int count, int chunk)
            implements CompoundStep {
        /** A READLINK whose text is inline. */
        static final Get LINK = new Get(READLINK, LINK_TEXT.bytes(), 0, 0, INLINE);

        static Get read(byte[] content, int chunk) {
            return new Get(READ, content, 0, content.length, chunk);
        }

        @Override
        public void encode(XdrWriter out) {
            out.uint32(operation);
            if (operation == READ) {
                // The special stateid of all ones, so that no OPEN is needed.
                out.uint32(-1).uint64(-1).uint32(-1).uint64(offset).uint32(count);
            }
        }

        @Override
        public void check(XdrReader in, Reply reply) throws Mismatch {
            CompoundSession.operation(in, operation, CompoundSession.OK);
            if (operation == READ) {
                CompoundSession.word(in, "the end of the file");
            }
            if (chunk == INLINE) {
                Mismatch.requireSame("the inline result", content, inline(in));
            } else {
                Mismatch.requireSame(
                        "the length", content.length, CompoundSession.word(in, "the length"));
                Mismatch.requireSame("Write chunk " + chunk, content, reply.inChunks().get(chunk));
            }
        }

        static byte[] inline(XdrReader in) throws Mismatch {
            try {
                return in.opaque(LONGEST).toArray(ValueLayout.JAVA_BYTE);
            } catch (XdrException malformed) {
                throw new Mismatch("a result is malformed: " + malformed.getMessage());
            }
        }
    }

    /**
     * A READLINK as Linux answers it if its second Write chunk is for the link. It takes the length
     * word for the start of the data (nfsd4_encode_readlink).
     */
    record CutLink() implements CompoundStep {
        @Override
        public void encode(XdrWriter out) {
            Get.LINK.encode(out);
        }

        @Override
        public void check(XdrReader in, Reply reply) throws Mismatch {
            CompoundSession.operation(in, READLINK, CompoundSession.OK);
            var whole = ByteBuffer.allocate(Integer.BYTES + (LINK_TEXT.length() + 3 & ~3));
            whole.putInt(LINK_TEXT.length()).put(LINK_TEXT.bytes());
            Mismatch.requireSame(
                    "the Write chunk",
                    Arrays.copyOf(whole.array(), LINK_TEXT.length()),
                    reply.inChunks().get(1));
            Mismatch.requireSame(
                    "the rest of the link",
                    whole.getInt(whole.capacity() - Integer.BYTES),
                    CompoundSession.word(in, "the rest of the link"));
        }
    }

    /**
     * A READ behind another one as Linux answers it: the length is right, but the data begins a
     * page later, and what is in its place does not belong to the file.
     */
    record Displaced(Get read) implements CompoundStep {
        @Override
        public void encode(XdrWriter out) {
            read.encode(out);
        }

        @Override
        public void check(XdrReader in, Reply reply) throws Mismatch {
            CompoundSession.operation(in, READ, CompoundSession.OK);
            CompoundSession.word(in, "the end of the file");
            int length =
                    read.chunk == INLINE
                            ? Get.inline(in).length
                            : CompoundSession.word(in, "the length");
            Mismatch.requireSame("the length", read.content.length, length);
        }
    }

    /** An operation that fails. */
    record Failing(CompoundStep step, int operation, int status) implements CompoundStep {
        @Override
        public void encode(XdrWriter out) {
            step.encode(out);
        }

        @Override
        public void check(XdrReader in, Reply reply) throws Mismatch {
            CompoundSession.operation(in, operation, status);
        }
    }

    /** A WRITE whose data moves in a Read chunk. */
    record Store(byte[] data) implements CompoundStep {
        @Override
        public void encode(XdrWriter out) {
            // The special stateid of zeros, so that no OPEN is needed.
            out.uint32(WRITE).uint32(0).uint64(0).uint32(0).uint64(0).uint32(FILE_SYNC);
            out.bulk(MemorySegment.ofArray(data));
        }

        @Override
        public void check(XdrReader in, Reply reply) throws Mismatch {
            CompoundSession.operation(in, WRITE, CompoundSession.OK);
            Mismatch.requireSame(
                    "bytes written", data.length, CompoundSession.word(in, "the count"));
            Mismatch.requireSame(
                    "the stability", FILE_SYNC, CompoundSession.word(in, "the stability"));
            CompoundSession.word(in, "the verifier");
            CompoundSession.word(in, "the verifier");
        }
    }

    /** GETATTR of the size alone. */
    record Size(int bytes) implements CompoundStep {
        @Override
        public void encode(XdrWriter out) {
            out.uint32(GETATTR).uint32(1).uint32(SIZE);
        }

        @Override
        public void check(XdrReader in, Reply reply) throws Mismatch {
            CompoundSession.operation(in, GETATTR, CompoundSession.OK);
            for (int expected : new int[] {1, SIZE, Long.BYTES, 0, bytes}) {
                Mismatch.requireSame(
                        "a word of the size", expected, CompoundSession.word(in, "the size"));
            }
        }
    }

    /** CREATE of a symbolic link whose text moves in a Read chunk. */
    record MakeLink(Nfs3Call.DirOpArgs place) implements CompoundStep {
        @Override
        public void encode(XdrWriter out) {
            out.uint32(CREATE).uint32(NF4LNK).bulk(MemorySegment.ofArray(LINK_TEXT.bytes()));
            // No attributes: an empty bitmap and an empty list.
            out.opaque(place.name().bytes()).uint32(0).uint32(0);
        }

        @Override
        public void check(XdrReader in, Reply reply) throws Mismatch {
            CompoundSession.operation(in, CREATE, CompoundSession.OK);
            // Whether the change was atomic, the change before and after, and the set attributes.
            for (int i = 0; i < 1 + 2 + 2; i++) {
                CompoundSession.word(in, "the change");
            }
            for (int left = CompoundSession.word(in, "the bitmap"); left > 0; left--) {
                CompoundSession.word(in, "the bitmap");
            }
        }
    }
}
