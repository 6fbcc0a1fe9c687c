package io.github.rpcrdma4j.nfs.acl;

import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Nothing;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.Optional;

/**
 * The arguments of a procedure of NFSACL version 3, and the format of its results. NULL has
 * neither, so it has no type here.
 *
 * <pre>
 *   GETACL: handle | mask(32)       -> status | post_op_attr | OK: secattr
 *   SETACL: handle | secattr        -> status | post_op_attr
 * </pre>
 *
 * <p>Tests: {@code AclMessagesTest}.
 *
 * @param <T> the value that a reply carries on success
 */
public sealed interface Acl3Call<T> {
    /** The version of the program. */
    int VERSION = 3;

    /** The procedures, in the order of their numbers. */
    enum Procedure {
        NULL(NfsAcl.NULL),
        GETACL(NfsAcl.GETACL),
        SETACL(NfsAcl.SETACL);

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

    /** Returns the number of the procedure. */
    Procedure procedure();

    /**
     * Asks for lists of a file.
     *
     * @param mask bits of {@link AclLists#ALL}
     */
    record GetAcl(FileHandle file, int mask) implements Acl3Call<AclLists> {
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
    record SetAcl(FileHandle file, AclLists lists) implements Acl3Call<Nothing> {
        @Override
        public Procedure procedure() {
            return Procedure.SETACL;
        }
    }

    /** Writes the arguments. */
    default void encode(XdrWriter out) {
        file().encode(out);
        switch (this) {
            case GetAcl(_, var mask) -> out.uint32(mask);
            case SetAcl(_, var lists) -> lists.encode(out);
        }
    }

    /**
     * Decodes all arguments of a procedure.
     *
     * @param procedure any but NULL
     * @throws XdrException if they are malformed, or if bytes remain after them
     */
    static Acl3Call<?> decode(Procedure procedure, XdrReader in) throws XdrException {
        Acl3Call<?> call =
                switch (procedure) {
                    case NULL -> throw new IllegalArgumentException("NULL has no arguments");
                    case GETACL -> new GetAcl(FileHandle.decode(in), in.uint32());
                    case SETACL -> new SetAcl(FileHandle.decode(in), AclLists.decode(in));
                };
        in.finish();
        return call;
    }

    /** Writes results. */
    static void encodeReply(XdrWriter out, Nfs3Reply<Optional<FileAttributes>, ?> reply) {
        switch (reply) {
            case Nfs3Reply.Ok<Optional<FileAttributes>, ?>(var attributes, var value) -> {
                out.uint32(Status.OK.number());
                FileAttributes.encodeOptional(out, attributes);
                if (value instanceof AclLists lists) {
                    lists.encode(out);
                }
            }
            case Nfs3Reply.Failed<Optional<FileAttributes>, ?>(var status, var attributes) -> {
                out.uint32(status.number());
                FileAttributes.encodeOptional(out, attributes);
            }
        }
    }

    /**
     * Decodes the results of this call.
     *
     * @throws XdrException if they are malformed, or if bytes remain after them
     */
    default Nfs3Reply<Optional<FileAttributes>, T> decodeReply(XdrReader in) throws XdrException {
        int status = in.uint32();
        var attributes = FileAttributes.decodeOptional(in);
        Nfs3Reply<Optional<FileAttributes>, T> reply =
                status == Status.OK.number()
                        ? new Nfs3Reply.Ok<>(attributes, decodeValue(in))
                        : new Nfs3Reply.Failed<>(Status.of(status), attributes);
        in.finish();
        return reply;
    }

    /**
     * Each arm of the switch returns the value type of its call, which the compiler cannot check.
     */
    @SuppressWarnings("unchecked")
    private T decodeValue(XdrReader in) throws XdrException {
        return (T)
                switch (this) {
                    case GetAcl _ -> AclLists.decode(in);
                    case SetAcl _ -> Nothing.NOTHING;
                };
    }

    /**
     * Returns the most bytes of the results of this call.
     *
     * @param entries the most entries of each list that the caller has room for
     */
    default int resultsMax(int entries) {
        int beside = 2 * Integer.BYTES + FileAttributes.BYTES;
        return switch (this) {
            case GetAcl _ -> beside + AclLists.bytesMax(entries);
            case SetAcl _ -> beside;
        };
    }
}
