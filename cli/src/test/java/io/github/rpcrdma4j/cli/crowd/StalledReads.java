package io.github.rpcrdma4j.cli.crowd;

import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.mpa.Fpdu;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Frames with READ calls of 1 MiB each. Their Write chunks name memory that does not exist. */
final class StalledReads {
    /** Calls that one peer makes at once. */
    static final int FIRST = 16;

    /** Calls that one peer makes in all. */
    static final int MOST = 60;

    private static final int DATA_BYTES = 1 << 20;
    private static final int HANDLE = 0x1234;
    private static final int HEADER_ROOM = 256;

    private final List<byte[]> frames = new ArrayList<>();

    StalledReads(FileHandle file) {
        for (int i = 1; i <= MOST; i++) {
            frames.add(frame(i, message(i, file)));
        }
    }

    /** Returns the frame of a call; numbers start at 1. */
    byte[] call(int number) {
        return frames.get(number - 1);
    }

    private static byte[] message(int xid, FileHandle file) {
        var read = new Nfs3Call.Read(file, 0, DATA_BYTES);
        try (var call = new XdrWriter(new SegmentPool(0))) {
            CallHeader.encode(
                    call,
                    xid,
                    Nfs3.PROGRAM,
                    Nfs3.VERSION,
                    read.procedure().number(),
                    RawAuth.of(ProcessCredential.read()));
            read.encode(call);
            var chunk = new WriteChunk(List.of(new Segment(HANDLE, DATA_BYTES, 0)));
            var chunks = new ChunkLists(List.of(), List.of(chunk), Optional.empty());
            byte[] header = new byte[HEADER_ROOM];
            int length =
                    Version1HeaderCodec.encode(
                            new Version1Header.Msg(xid, MOST, chunks),
                            MemorySegment.ofArray(header));
            byte[] stream = call.reducedStream().toArray(ValueLayout.JAVA_BYTE);
            return ByteBuffer.allocate(length + stream.length)
                    .put(header, 0, length)
                    .put(stream)
                    .array();
        }
    }

    private static byte[] frame(int sequence, byte[] message) {
        int ulpdu = DdpSegment.UNTAGGED_BYTES + message.length;
        var frame = ByteBuffer.allocate(Fpdu.length(ulpdu));
        frame.putShort((short) ulpdu);
        int control = DdpSegment.control(false, true, DdpSegment.SEND);
        DdpSegment.encode(control, 0, DdpSegment.QUEUE_SEND, sequence, 0, frame);
        frame.put(message).put(new byte[Fpdu.padding(ulpdu)]);
        frame.putInt(Integer.reverseBytes(new Fpdu(frame.duplicate().clear()).crcComputed()));
        return frame.array();
    }
}
