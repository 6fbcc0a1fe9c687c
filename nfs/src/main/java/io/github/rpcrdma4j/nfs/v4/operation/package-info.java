/**
 * The operations of NFS version 4 that a server carries out, as records with XDR: {@link
 * io.github.rpcrdma4j.nfs.v4.operation.Arguments} and {@link
 * io.github.rpcrdma4j.nfs.v4.operation.Result}, and the COMPOUND around them (RFC 8881, Sections 16
 * and 18; RFC 7862, Section 15; RFC 8276, Section 8). Callbacks are {@link
 * io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments} (RFC 8881, Section 20).
 *
 * <p>Decoding is total: it ends with a value or with an {@link
 * io.github.rpcrdma4j.xdr.XdrException}, which a server answers with NFS4ERR_BADXDR. That includes
 * enumerations with an unknown value (RFC 8881, Section 15.1.1.1). Where an RFC has another status
 * for an unknown value, the value is decoded. The length of the message bounds all lists, before
 * memory is allocated for them.
 */
package io.github.rpcrdma4j.nfs.v4.operation;
