package io.github.rpcrdma4j.nfs.client.v3;

import io.github.rpcrdma4j.nfs.acl.Acl3Call;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/**
 * How the calls of a client travel in a version of NFS. The client itself speaks of them as in
 * version 3. Immutable.
 */
sealed interface CallForm permits Nfs2Form, Nfs3Form {
    /** Returns how the calls travel in a version. */
    static CallForm of(NfsVersion version) {
        return switch (version) {
            case VERSION_2 -> new Nfs2Form();
            case VERSION_3 -> new Nfs3Form();
            case VERSION_4_0, VERSION_4_1, VERSION_4_2 ->
                    throw new IllegalArgumentException("no form of version 3: " + version);
        };
    }

    /** Returns the status that a call gets without being sent, because this version lacks it. */
    Optional<Status> refusal(Nfs3Call<?, ?> call);

    /**
     * Returns a call that is not refused.
     *
     * @param targets the caller's memory for bulk results
     */
    RpcCall call(Nfs3Call<?, ?> call, List<MemorySegment> targets);

    /**
     * Decodes the results of a call to their end.
     *
     * @throws XdrException if they are malformed, or if bytes remain after them
     */
    <A, T> Nfs3Reply<A, T> decode(Nfs3Call<A, T> call, XdrReader results) throws XdrException;

    /**
     * Returns a call of NFSACL.
     *
     * @param entries the most entries of each list that there is room for in the reply
     */
    RpcCall call(Acl3Call<?> call, int entries);

    /**
     * Decodes the results of a call of NFSACL to their end.
     *
     * @throws XdrException if they are malformed, or if bytes remain after them
     */
    <T> Nfs3Reply<Optional<FileAttributes>, T> decode(Acl3Call<T> call, XdrReader results)
            throws XdrException;

    /**
     * Decodes the results of MNT to their end.
     *
     * @param failure for the message: {@code "cannot mount /a"}
     * @throws IOException if the server refuses
     * @throws XdrException if they are malformed
     */
    FileHandle mounted(XdrReader results, String failure) throws IOException, XdrException;
}
