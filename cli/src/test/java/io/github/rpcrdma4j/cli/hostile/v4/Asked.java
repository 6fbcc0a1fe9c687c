package io.github.rpcrdma4j.cli.hostile.v4;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;

/**
 * A COMPOUND that a lying server has received.
 *
 * @param program the honest server
 * @param request its arguments are unread
 * @param compound what they say
 */
record Asked(RpcProgram program, RpcRequest request, CompoundArguments compound) {
    private static final int ROOM = 1 << 16;

    static Asked of(RpcProgram program, RpcRequest request) throws XdrException {
        return new Asked(program, request, CompoundArguments.decode(request.arguments().peek()));
    }

    List<Opcode> opcodes() {
        return compound.operations().stream().map(Arguments::opcode).toList();
    }

    boolean has(Opcode opcode) {
        return opcodes().contains(opcode);
    }

    /** Returns the arguments of the first operation of a kind. */
    <T extends Arguments> Optional<T> first(Class<T> kind) {
        return compound.operations().stream().filter(kind::isInstance).map(kind::cast).findFirst();
    }

    /** Carries it out, and returns the truth. */
    Told honestly() throws XdrException, InterruptedException {
        try (var out = new XdrWriter(new SegmentPool(ROOM))) {
            program.call(request, out);
            out.inlineBulkItems();
            var bytes = out.reducedStream().toArray(ValueLayout.JAVA_BYTE);
            return Told.of(CompoundResult.decode(new XdrReader(MemorySegment.ofArray(bytes))));
        }
    }
}
