package io.github.rpcrdma4j.interop;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.PayloadStream;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A call as a payload stream (RFC 8166, Section 3.2).
 *
 * @param whole the stream with the bulk arguments
 * @param reduced the stream without the bulk arguments
 * @param positions where the bulk arguments start in the whole stream, in bytes
 */
record CallMessage(int xid, byte[] whole, byte[] reduced, List<Long> positions) {
    /** Starts at a random XID, because servers remember replies by XID from an earlier run. */
    private static final AtomicInteger XIDS =
            new AtomicInteger(ThreadLocalRandom.current().nextInt());

    private static final RawAuth ROOT =
            RawAuth.of(new Credential.Sys(0, "shapes", 0, 0, List.of()));

    /** Returns a call of NFS version 3 with an AUTH_SYS credential of root. */
    static CallMessage of(Nfs3Call<?, ?> call) {
        return of(call.procedure(), call::encode);
    }

    /** Returns a call of NULL, the procedure without arguments and results. */
    static CallMessage ofNull() {
        return of(Procedure.NULL, _ -> {});
    }

    /** Returns where the first bulk argument starts; -1 if there is none. */
    long position() {
        return positions.isEmpty() ? -1 : positions.getFirst();
    }

    private static CallMessage of(Procedure procedure, Consumer<XdrWriter> arguments) {
        return of(Nfs3.VERSION, procedure.number(), arguments);
    }

    /** Returns a COMPOUND of NFS version 4 with an AUTH_SYS credential of root. */
    static CallMessage ofCompound(Consumer<XdrWriter> arguments) {
        return of(Nfs4Binding.VERSION, Nfs4Binding.COMPOUND, arguments);
    }

    private static CallMessage of(int version, int procedure, Consumer<XdrWriter> arguments) {
        int xid = XIDS.incrementAndGet();
        try (var out = new XdrWriter(new SegmentPool(0))) {
            CallHeader.encode(out, xid, Nfs3.PROGRAM, version, procedure, ROOT);
            arguments.accept(out);
            var pieces = PayloadStream.of(out);
            byte[] whole = new byte[(int) pieces.length()];
            pieces.copyTo(MemorySegment.ofArray(whole));
            byte[] reduced = out.reducedStream().toArray(ValueLayout.JAVA_BYTE);
            var positions = out.bulkItems().stream().map(BulkItem::position).toList();
            return new CallMessage(xid, whole, reduced, positions);
        }
    }
}
