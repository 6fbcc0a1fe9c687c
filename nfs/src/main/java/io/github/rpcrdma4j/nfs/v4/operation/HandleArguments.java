package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * The arguments of the operations on the current filehandle (RFC 8881, Section 18).
 *
 * <p>Tests: {@code VectorOperationsTest}, {@code CompoundRecordsTest}.
 */
public sealed interface HandleArguments extends Arguments {
    /**
     * PUTFH (RFC 8881, Section 18.19).
     *
     * <pre>
     *   handle&lt;128&gt;
     * </pre>
     */
    record PutFh(FileHandle handle) implements HandleArguments {
        static PutFh decode(XdrReader in) throws XdrException {
            return new PutFh(FileHandle.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.PUTFH;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            handle.encode(out);
        }
    }

    /** PUTPUBFH (RFC 8881, Section 18.20), which has no arguments. */
    record PutPubFh() implements HandleArguments {
        @Override
        public Opcode opcode() {
            return Opcode.PUTPUBFH;
        }
    }

    /** PUTROOTFH (RFC 8881, Section 18.21), which has no arguments. */
    record PutRootFh() implements HandleArguments {
        @Override
        public Opcode opcode() {
            return Opcode.PUTROOTFH;
        }
    }

    /** GETFH (RFC 8881, Section 18.8), which has no arguments. */
    record GetFh() implements HandleArguments {
        @Override
        public Opcode opcode() {
            return Opcode.GETFH;
        }
    }

    /** SAVEFH (RFC 8881, Section 18.28), which has no arguments. */
    record SaveFh() implements HandleArguments {
        @Override
        public Opcode opcode() {
            return Opcode.SAVEFH;
        }
    }

    /** RESTOREFH (RFC 8881, Section 18.27), which has no arguments. */
    record RestoreFh() implements HandleArguments {
        @Override
        public Opcode opcode() {
            return Opcode.RESTOREFH;
        }
    }

    /**
     * LOOKUP (RFC 8881, Section 18.13).
     *
     * <pre>
     *   name
     * </pre>
     *
     * @param name as received: see {@link FileNames#status}
     */
    record Lookup(FileName name) implements HandleArguments {
        static Lookup decode(XdrReader in) throws XdrException {
            return new Lookup(FileNames.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.LOOKUP;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            name.encode(out);
        }
    }

    /** LOOKUPP (RFC 8881, Section 18.14), which has no arguments. */
    record LookupP() implements HandleArguments {
        @Override
        public Opcode opcode() {
            return Opcode.LOOKUPP;
        }
    }

    /**
     * SECINFO (RFC 8881, Section 18.29).
     *
     * <pre>
     *   name
     * </pre>
     *
     * @param name as received: see {@link FileNames#status}
     */
    record SecInfo(FileName name) implements HandleArguments {
        static SecInfo decode(XdrReader in) throws XdrException {
            return new SecInfo(FileNames.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.SECINFO;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            name.encode(out);
        }
    }

    /**
     * SECINFO_NO_NAME (RFC 8881, Section 18.45).
     *
     * <pre>
     *   style(32)
     * </pre>
     */
    record SecInfoNoName(Style style) implements HandleArguments {
        /** Which file is meant: {@code secinfo_style4}, in the order of its numbers. */
        public enum Style {
            CURRENT_FH,
            PARENT;

            static Style decode(XdrReader in) throws XdrException {
                int number = in.uint32();
                return switch (number) {
                    case 0 -> CURRENT_FH;
                    case 1 -> PARENT;
                    default -> throw XdrArrays.unknown("secinfo_style4", number);
                };
            }
        }

        static SecInfoNoName decode(XdrReader in) throws XdrException {
            return new SecInfoNoName(Style.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.SECINFO_NO_NAME;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            out.uint32(style.ordinal());
        }
    }
}
