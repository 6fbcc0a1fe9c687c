package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.List;

/** The values of successful operations on the current filehandle (RFC 8881, Section 18). */
public sealed interface HandleResult extends Result {
    /**
     * GETFH (RFC 8881, Section 18.8).
     *
     * <pre>
     *   handle&lt;128&gt;
     * </pre>
     */
    record GetFh(FileHandle handle) implements HandleResult {
        static GetFh decode(XdrReader in) throws XdrException {
            return new GetFh(FileHandle.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.GETFH;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            handle.encode(out);
        }
    }

    /**
     * SECINFO (RFC 8881, Section 18.29).
     *
     * <pre>
     *   secinfo4&lt;&gt;
     * </pre>
     *
     * @param choices in the order of the server's preference
     */
    record SecInfo(List<SecurityChoice> choices) implements HandleResult {
        public SecInfo {
            choices = List.copyOf(choices);
        }

        static SecInfo decode(XdrReader in) throws XdrException {
            return new SecInfo(XdrArrays.list(in, Integer.BYTES, SecurityChoice::decode));
        }

        @Override
        public Opcode opcode() {
            return Opcode.SECINFO;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            XdrArrays.encode(out, choices, SecurityChoice::encode);
        }
    }

    /**
     * SECINFO_NO_NAME (RFC 8881, Section 18.45).
     *
     * <pre>
     *   secinfo4&lt;&gt;
     * </pre>
     *
     * @param choices in the order of the server's preference
     */
    record SecInfoNoName(List<SecurityChoice> choices) implements HandleResult {
        public SecInfoNoName {
            choices = List.copyOf(choices);
        }

        static SecInfoNoName decode(XdrReader in) throws XdrException {
            return new SecInfoNoName(XdrArrays.list(in, Integer.BYTES, SecurityChoice::decode));
        }

        @Override
        public Opcode opcode() {
            return Opcode.SECINFO_NO_NAME;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            XdrArrays.encode(out, choices, SecurityChoice::encode);
        }
    }
}
