package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.nfs.v2.Nfs2Binding;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Binding;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.nfs.v4.CompoundCall;
import io.github.rpcrdma4j.nfs.v4.CompoundKind;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.xdr.XdrReader;

/**
 * Knows the calls that a server may carry out twice. All calls count as such but those of NFS
 * versions 2, 3 and 4.0 that change something: later minor versions have sessions against
 * repetitions, and of other programs the gateway knows nothing. Pure.
 */
final class RepeatableCalls {
    private RepeatableCalls() {}

    /**
     * Returns whether a call is repeatable.
     *
     * @param call positioned at the arguments; they are not consumed
     */
    static boolean contain(CallHeader header, XdrReader call) {
        if (header.program() != Nfs4Binding.PROGRAM) {
            return true;
        }
        return switch (header.version()) {
            case Nfs2Binding.VERSION ->
                    !Nfs2Binding.Procedure.exists(header.procedure())
                            || Nfs2Binding.row(Nfs2Binding.Procedure.of(header.procedure()))
                                    .repeatable();
            case Nfs3.VERSION ->
                    !Procedure.exists(header.procedure())
                            || Nfs3Binding.row(Procedure.of(header.procedure())).repeatable();
            case Nfs4Binding.VERSION ->
                    header.procedure() != Nfs4Binding.COMPOUND || isRepeatable(call);
            default -> true;
        };
    }

    /**
     * The walk is for minor version 0 alone: most calls have a later one, and each is passed on.
     */
    private static boolean isRepeatable(XdrReader compound) {
        return CompoundCall.minorVersion(compound.peek()).orElse(-1) != 0
                || CompoundCall.walk(CompoundKind.COMPOUND, compound.peek()).isRepeatable();
    }
}
