package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A message of version 1 that a test composes item by item. */
final class HandMade {
    /** The handle of the first Write chunk; that of the next one is one more. */
    static final int WRITE_HANDLE = 0xa0;

    static final int READ_HANDLE = 0xe0;
    private static final long OFFSET = 0x10000;
    private static final int CREDITS = 8;
    private static final int CALL = 0;
    private static final int REPLY = 1;
    private static final int RPC_VERSION = 2;
    private static final int[] AUTH_NONE = {0, 0};

    private final int xid;
    private final List<ReadSegment> readList = new ArrayList<>();
    private final List<WriteChunk> writeList = new ArrayList<>();
    private final ByteArrayOutputStream payload = new ByteArrayOutputStream();
    private int reduced;

    private HandMade(int xid) {
        this.xid = xid;
    }

    /** Returns a call up to its credential. */
    private static HandMade start(int xid, int program, int version, int procedure) {
        return new HandMade(xid).words(xid, CALL, RPC_VERSION, program, version, procedure);
    }

    /** Returns a call without credential, up to its arguments. */
    static HandMade call(int xid, int program, int version, int procedure) {
        return start(xid, program, version, procedure).words(AUTH_NONE).words(AUTH_NONE);
    }

    /** Returns a call with RPCSEC_GSS, up to its arguments. */
    static HandMade gssCall(
            int xid, int program, int version, int procedure, int gssProcedure, int service) {
        return start(xid, program, version, procedure)
                .words(6, 20, 1, gssProcedure, 7, service, 0)
                .words(AUTH_NONE);
    }

    /** Returns a successful reply up to its results. */
    static HandMade reply(int xid) {
        return new HandMade(xid).words(xid, REPLY, 0).words(AUTH_NONE).words(0);
    }

    HandMade words(int... words) {
        for (int word : words) {
            payload.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(word).array());
        }
        return this;
    }

    /** Adds an opaque of a length, with its padding. */
    HandMade opaque(int length) {
        words(length);
        payload.writeBytes(new byte[(length + 3) & ~3]);
        return this;
    }

    /** Returns the position of the next byte in the unreduced message. */
    int position() {
        return payload.size() + reduced;
    }

    /** Adds the length of an opaque whose data is in a Read chunk. */
    HandMade inReadChunk(int length) {
        return inReadChunk(length, length);
    }

    /** Adds the length of an opaque, and a Read chunk at its data with another length. */
    HandMade inReadChunk(int length, int chunk) {
        words(length).readChunk(position(), chunk);
        reduced += (length + 3) & ~3;
        return this;
    }

    HandMade readChunk(int position, int length) {
        int handle = READ_HANDLE + readList.size();
        readList.add(new ReadSegment(position, new Segment(handle, length, OFFSET)));
        return this;
    }

    /** Adds the length of an opaque whose data is in a Write chunk. */
    HandMade inWriteChunk(int length) {
        words(length);
        reduced += (length + 3) & ~3;
        return this;
    }

    /** Adds Write chunks of one segment. */
    HandMade writeChunks(int... lengths) {
        for (int length : lengths) {
            int handle = WRITE_HANDLE + writeList.size();
            writeList.add(new WriteChunk(List.of(new Segment(handle, length, OFFSET))));
        }
        return this;
    }

    HandMade emptyWriteChunk() {
        writeList.add(new WriteChunk(List.of()));
        return this;
    }

    byte[] payload() {
        return payload.toByteArray();
    }

    byte[] bytes() {
        var lists = new ChunkLists(readList, writeList, Optional.empty());
        var header = new Version1Header.Msg(xid, CREDITS, lists);
        int length = Version1HeaderCodec.encodedLength(header);
        byte[] message = Arrays.copyOf(new byte[length], length + payload.size());
        Version1HeaderCodec.encode(header, MemorySegment.ofArray(message));
        System.arraycopy(payload(), 0, message, length, payload.size());
        return message;
    }

    /** Adds the RDMA Writes that fill the chunks of a reply, and then the reply. */
    static Conversation answer(Conversation conversation, HandMade reply) {
        for (var chunk : reply.writeList) {
            for (var segment : chunk.segments()) {
                if (segment.length() > 0) {
                    conversation.tagged(
                            false, /* RDMA Write */
                            0,
                            true,
                            segment.handle(),
                            OFFSET,
                            segment.length());
                }
            }
        }
        return conversation.send(false, reply.bytes());
    }
}
