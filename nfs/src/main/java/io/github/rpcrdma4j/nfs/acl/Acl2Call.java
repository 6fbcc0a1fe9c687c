package io.github.rpcrdma4j.nfs.acl;

import io.github.rpcrdma4j.nfs.v2.FileAttributes;
import io.github.rpcrdma4j.nfs.v2.FileHandle;
import io.github.rpcrdma4j.nfs.v2.Nfs2Reply;
import io.github.rpcrdma4j.nfs.v2.Status;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.Optional;

/**
 * The arguments of a procedure of NFSACL version 2, and the format of its results. NULL has
 * neither, so it has no type here.
 *
 * <pre>
 *   GETACL:  handle | mask(32)    -> status | OK: fattr | secattr
 *   SETACL:  handle | secattr     -> status | OK: fattr
 *   GETATTR: handle               -> status | OK: fattr
 *   ACCESS:  handle | wanted(32)  -> status | OK: fattr | granted(32)
 * </pre>
 *
 * <p>Tests: {@code Acl2MessagesTest}.
 *
 * @param <T> the value that a reply carries on success
 */
public sealed interface Acl2Call<T> {
    /** The version of the program. */
    int VERSION = 2;

    /** The procedures, in the order of their numbers. */
    enum Procedure {
        NULL(NfsAcl.NULL),
        GETACL(NfsAcl.GETACL),
        SETACL(NfsAcl.SETACL),
        GETATTR(3),
        ACCESS(4);

        private final int number;

        Procedure(int number) {
            this.number = number;
        }

        public int number() {
            return number;
        }

        /** Returns the procedure of a number, or nothing if there is none. */
        public static Optional<Procedure> of(int number) {
            for (var procedure : values()) {
                if (procedure.number == number) {
                    return Optional.of(procedure);
                }
            }
            return Optional.empty();
        }
    }

    /** Returns the file. */
    FileHandle file();

    /** Returns the procedure. */
    Procedure procedure();

    /** The value of GETACL. */
    record FileAndLists(FileAttributes file, AclLists lists) {}

    /**
     * The value of ACCESS.
     *
     * @param granted bits as in version 3
     */
    record FileAndRights(FileAttributes file, int granted) {}

    /**
     * Asks for lists of a file.
     *
     * @param mask bits of {@link AclLists#ALL}
     */
    record GetAcl(FileHandle file, int mask) implements Acl2Call<FileAndLists> {
        @Override
        public Procedure procedure() {
            return Procedure.GETACL;
        }
    }

    /**
     * Replaces lists of a file.
     *
     * @param lists those that its mask names; one without entries is removed
     */
    record SetAcl(FileHandle file, AclLists lists) implements Acl2Call<FileAttributes> {
        @Override
        public Procedure procedure() {
            return Procedure.SETACL;
        }
    }

    /** Asks for attributes. */
    record GetAttributes(FileHandle file) implements Acl2Call<FileAttributes> {
        @Override
        public Procedure procedure() {
            return Procedure.GETATTR;
        }
    }

    /**
     * Asks for rights, as ACCESS of version 3 does (RFC 1813, Section 3.3.4).
     *
     * @param wanted the bits of these rights
     */
    record Access(FileHandle file, int wanted) implements Acl2Call<FileAndRights> {
        @Override
        public Procedure procedure() {
            return Procedure.ACCESS;
        }
    }

    /** Writes the arguments. */
    default void encode(XdrWriter out) {
        file().encode(out);
        switch (this) {
            case GetAcl(_, var mask) -> out.uint32(mask);
            case SetAcl(_, var lists) -> lists.encode(out);
            case GetAttributes _ -> {}
            case Access(_, var wanted) -> out.uint32(wanted);
        }
    }

    /**
     * Decodes all arguments of a procedure.
     *
     * @param procedure any but NULL
     * @throws XdrException if they are malformed, or if bytes remain after them
     */
    static Acl2Call<?> decode(Procedure procedure, XdrReader in) throws XdrException {
        Acl2Call<?> call =
                switch (procedure) {
                    case NULL -> throw new IllegalArgumentException("NULL has no arguments");
                    case GETACL -> new GetAcl(FileHandle.decode(in), in.uint32());
                    case SETACL -> new SetAcl(FileHandle.decode(in), AclLists.decode(in));
                    case GETATTR -> new GetAttributes(FileHandle.decode(in));
                    case ACCESS -> new Access(FileHandle.decode(in), in.uint32());
                };
        in.finish();
        return call;
    }

    /** Writes results of this call. */
    default void encodeReply(XdrWriter out, Nfs2Reply<T> reply) {
        switch (reply) {
            case Nfs2Reply.Ok<T>(var value) -> {
                out.uint32(Status.OK.number());
                encodeValue(out, value);
            }
            case Nfs2Reply.Failed<T>(var status) -> out.uint32(status.number());
        }
    }

    /** Each arm of the switch takes the value type of its call, which the compiler cannot check. */
    private void encodeValue(XdrWriter out, T value) {
        switch (this) {
            case GetAcl _ -> {
                var found = (FileAndLists) value;
                found.file.encode(out);
                found.lists.encode(out);
            }
            case SetAcl _, GetAttributes _ -> ((FileAttributes) value).encode(out);
            case Access _ -> {
                var rights = (FileAndRights) value;
                rights.file.encode(out).uint32(rights.granted);
            }
        }
    }

    /**
     * Decodes the results of this call.
     *
     * @throws XdrException if they are malformed, or if bytes remain after them
     */
    default Nfs2Reply<T> decodeReply(XdrReader in) throws XdrException {
        int status = in.uint32();
        Nfs2Reply<T> reply =
                status == Status.OK.number()
                        ? new Nfs2Reply.Ok<>(decodeValue(in))
                        : new Nfs2Reply.Failed<>(Status.of(status));
        in.finish();
        return reply;
    }

    /** Each arm of the switch returns the value type of its call. */
    @SuppressWarnings("unchecked")
    private T decodeValue(XdrReader in) throws XdrException {
        var file = FileAttributes.decode(in);
        return (T)
                switch (this) {
                    case GetAcl _ -> new FileAndLists(file, AclLists.decode(in));
                    case SetAcl _, GetAttributes _ -> file;
                    case Access _ -> new FileAndRights(file, in.uint32());
                };
    }

    /**
     * Returns the most bytes of the results of this call.
     *
     * @param entries the most entries of each list that the caller has room for
     */
    default int resultsMax(int entries) {
        int beside = Integer.BYTES + FileAttributes.BYTES;
        return switch (this) {
            case GetAcl _ -> beside + AclLists.bytesMax(entries);
            case SetAcl _, GetAttributes _ -> beside;
            case Access _ -> beside + Integer.BYTES;
        };
    }
}
