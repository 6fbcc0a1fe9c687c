package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/** The values of SETCLIENTID (RFC 7530, Section 16.33). */
public sealed interface LeaseResult extends Result {
    /**
     * SETCLIENTID has succeeded.
     *
     * <pre>
     *   clientid(64) | verifier(64)
     * </pre>
     *
     * @param verifier what SETCLIENTID_CONFIRM has to send
     */
    record SetClientId(long clientId, long verifier) implements LeaseResult {
        static SetClientId decode(XdrReader in) throws XdrException {
            return new SetClientId(in.uint64(), in.uint64());
        }

        @Override
        public Opcode opcode() {
            return Opcode.SETCLIENTID;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            out.uint64(clientId).uint64(verifier);
        }
    }

    /**
     * SETCLIENTID failed with CLID_INUSE: another client has the name.
     *
     * <pre>
     *   r_netid | r_addr
     * </pre>
     *
     * @param netId the kind of network of the other client; may be empty
     * @param address where it is; may be empty
     */
    record InUse(OpaqueName netId, OpaqueName address) implements LeaseResult {
        /** Does not tell where the other client is. */
        public static final InUse UNTOLD =
                new InUse(OpaqueName.of(new byte[0]), OpaqueName.of(new byte[0]));

        static InUse decode(XdrReader in) throws XdrException {
            return new InUse(OpaqueName.decode(in), OpaqueName.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.SETCLIENTID;
        }

        @Override
        public Nfs4Status status() {
            return Nfs4Status.CLID_INUSE;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            address.encode(netId.encode(out));
        }
    }
}
