package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.KeyedHash;

/**
 * The identity of a call. It leaves out the client's port, because a client may reconnect from
 * another port. It includes the arguments, because a client may reuse an XID for another call.
 *
 * @param caller the admitted caller, not the credential on the wire, which differs between two
 *     calls of an RPCSEC_GSS context
 * @param user for whom the call is carried out, in words of the program; empty if the caller says
 *     it all
 * @param address the caller's address, without port
 * @param hash of all others: each call is looked for several times
 */
record CallIdentity(
        int xid,
        int program,
        int version,
        int procedure,
        Credential caller,
        String user,
        String address,
        int nonZeroChecksum,
        int hash) {
    /**
     * The properties by which two sets of arguments are compared. Only the decoder of arguments
     * knows where padding stands in them, so padded arguments are compared by the properties that
     * padding does not change.
     *
     * @param nonZeroChecksum a checksum of the bytes that are not zero
     * @param checksum a checksum of all bytes
     * @param bytes their length in bytes
     * @param isPadded whether zeros may stand before items to align them
     */
    record Arguments(int nonZeroChecksum, int checksum, long bytes, boolean isPadded) {
        /** Returns whether they may be the arguments of a call with an equal identity. */
        boolean mayBe(Arguments others) {
            return isPadded || others.isPadded || equals(others);
        }
    }

    static CallIdentity of(
            CallHeader header,
            Credential caller,
            String user,
            String address,
            Arguments arguments) {
        int hash =
                KeyedHash.of(
                        header.xid(),
                        header.program(),
                        header.version(),
                        header.procedure(),
                        caller.hashCode(),
                        KeyedHash.of(user),
                        KeyedHash.of(address),
                        arguments.nonZeroChecksum);
        return new CallIdentity(
                header.xid(),
                header.program(),
                header.version(),
                header.procedure(),
                caller,
                user,
                address,
                arguments.nonZeroChecksum,
                hash);
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
