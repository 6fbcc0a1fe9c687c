package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3CallDecoder;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.nfs.v4.CompoundCall;
import io.github.rpcrdma4j.nfs.v4.CompoundKind;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;

/** Finds the bulk items of calls, by the bindings of NFS (RFC 8267). Pure. */
final class ArgumentItems {
    private ArgumentItems() {}

    /**
     * Reads the arguments of a call, and with them all data of Read chunks.
     *
     * @param isWrapped whether integrity or privacy protects the arguments, so that no item is
     *     eligible
     * @param in positioned at the arguments
     * @throws XdrException if a Read chunk holds anything but a whole bulk item (RFC 8166-6.1-2,
     *     8267-6.4.2-3)
     */
    static void take(CallHeader call, boolean isWrapped, XdrReader in) throws XdrException {
        if (!isWrapped) {
            read(call, in);
        }
        if (in.hasPlacedData()) {
            throw new XdrException("a Read chunk belongs to no item that may be reduced");
        }
    }

    private static void read(CallHeader call, XdrReader in) throws XdrException {
        if (call.program() == Nfs4Binding.PROGRAM && call.version() == Nfs4Binding.VERSION) {
            // All that is wrong elsewhere is for the server to judge.
            CompoundCall.walk(CompoundKind.COMPOUND, in);
        } else if (call.program() == Nfs3.PROGRAM && call.version() == Nfs3.VERSION) {
            Nfs3CallDecoder.decode(Procedure.of(call.procedure()), in);
        }
    }
}
