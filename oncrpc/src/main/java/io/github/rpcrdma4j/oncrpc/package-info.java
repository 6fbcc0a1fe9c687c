/**
 * ONC RPC version 2 (RFC 5531): the messages, the seam between programs and transports, and the
 * byte-stream transport with record marking; rpcbind (RFC 1833).
 *
 * <p>A program is served by an {@link io.github.rpcrdma4j.oncrpc.RpcProgram} and called through an
 * {@link io.github.rpcrdma4j.oncrpc.RpcClient}; neither knows which transport carries it.
 */
package io.github.rpcrdma4j.oncrpc;
