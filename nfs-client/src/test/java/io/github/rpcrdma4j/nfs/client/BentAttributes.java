package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ForwardingProgram;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.function.LongUnaryOperator;

/** An NFS server of version 3 that gives regular files other numbers than they have. */
public record BentAttributes(RpcProgram program, LongUnaryOperator number)
        implements ForwardingProgram {
    private static final ValueLayout.OfInt UINT32 =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int READ = 6;
    private static final int REGULAR = 1;
    private static final int LINKS = 8;
    private static final int SIZE = 20;
    private static final int USED = 28;
    private static final int FILE_ID = 52;
    private static final int ATTRIBUTES_BYTES = 84;

    /** Returns the program with other numbers of files if it is NFS, else the program itself. */
    public static RpcProgram of(RpcProgram program, LongUnaryOperator number) {
        return program.id().number() == Nfs3.PROGRAM
                ? new BentAttributes(program, number)
                : program;
    }

    @Override
    public AcceptStatus call(RpcRequest request, XdrWriter results)
            throws XdrException, InterruptedException {
        var status = program.call(request, results);
        if (request.procedure() != READ) {
            var encoded = results.memory();
            for (long at = 0; at + ATTRIBUTES_BYTES <= encoded.byteSize(); at += 4) {
                if (isRegular(encoded, at)) {
                    long id = (long) encoded.get(UINT32, at + FILE_ID) << Integer.SIZE;
                    id |= Integer.toUnsignedLong(encoded.get(UINT32, at + FILE_ID + 4));
                    long bent = number.applyAsLong(id);
                    encoded.set(UINT32, at + FILE_ID, (int) (bent >>> Integer.SIZE));
                    encoded.set(UINT32, at + FILE_ID + 4, (int) bent);
                }
            }
        }
        return status;
    }

    /** Returns whether the attributes of a small regular file are encoded here. */
    private static boolean isRegular(MemorySegment encoded, long at) {
        int mode = encoded.get(UINT32, at + 4);
        int links = encoded.get(UINT32, at + LINKS);
        return encoded.get(UINT32, at) == REGULAR
                && (mode & ~07777) == 0
                && links > 0
                && links < 100
                && encoded.get(UINT32, at + SIZE) == 0
                && encoded.get(UINT32, at + USED) == 0;
    }
}
