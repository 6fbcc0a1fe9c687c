package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * The arguments of the operations on clients of minor version 0, which has no sessions (RFC 7530,
 * Section 16).
 */
public sealed interface LeaseArguments extends Arguments {
    /**
     * Where a client is called back: {@code cb_client4} (RFC 7530, Section 2.2.10).
     *
     * <pre>
     *   cb_program(32) | r_netid | r_addr
     * </pre>
     *
     * @param netId the kind of network, such as "tcp"
     * @param address a universal address (RFC 5665), as the client writes it
     */
    record CallbackPlace(int program, OpaqueName netId, OpaqueName address) {
        static CallbackPlace decode(XdrReader in) throws XdrException {
            return new CallbackPlace(in.uint32(), OpaqueName.decode(in), OpaqueName.decode(in));
        }

        XdrWriter encode(XdrWriter out) {
            return address.encode(netId.encode(out.uint32(program)));
        }
    }

    /**
     * SETCLIENTID (RFC 7530, Section 16.33).
     *
     * <pre>
     *   nfs_client_id4 | cb_client4 | callback_ident(32)
     * </pre>
     *
     * @param owner the name of the client, and its present incarnation
     * @param callbackIdent what the server repeats in each call to the client
     */
    record SetClientId(ClientOwner owner, CallbackPlace callback, int callbackIdent)
            implements LeaseArguments {
        static SetClientId decode(XdrReader in) throws XdrException {
            return new SetClientId(ClientOwner.decode(in), CallbackPlace.decode(in), in.uint32());
        }

        @Override
        public Opcode opcode() {
            return Opcode.SETCLIENTID;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            callback.encode(owner.encode(out)).uint32(callbackIdent);
        }
    }

    /**
     * SETCLIENTID_CONFIRM (RFC 7530, Section 16.34).
     *
     * <pre>
     *   clientid(64) | verifier(64)
     * </pre>
     *
     * @param verifier what SETCLIENTID has returned
     */
    record SetClientIdConfirm(long clientId, long verifier) implements LeaseArguments {
        static SetClientIdConfirm decode(XdrReader in) throws XdrException {
            return new SetClientIdConfirm(in.uint64(), in.uint64());
        }

        @Override
        public Opcode opcode() {
            return Opcode.SETCLIENTID_CONFIRM;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            out.uint64(clientId).uint64(verifier);
        }
    }

    /**
     * RENEW (RFC 7530, Section 16.28).
     *
     * <pre>
     *   clientid(64)
     * </pre>
     */
    record Renew(long clientId) implements LeaseArguments {
        static Renew decode(XdrReader in) throws XdrException {
            return new Renew(in.uint64());
        }

        @Override
        public Opcode opcode() {
            return Opcode.RENEW;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            out.uint64(clientId);
        }
    }

    /**
     * RELEASE_LOCKOWNER (RFC 7530, Section 16.37).
     *
     * <pre>
     *   lock_owner
     * </pre>
     */
    record ReleaseLockOwner(StateOwner owner) implements LeaseArguments {
        static ReleaseLockOwner decode(XdrReader in) throws XdrException {
            return new ReleaseLockOwner(StateOwner.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.RELEASE_LOCKOWNER;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            owner.encode(out);
        }
    }
}
