/**
 * Linux kernels as peers: a guest under emulation mounts our server, and our client reads the
 * kernel's server, over soft-iWARP at both ends.
 *
 * <p>A cell of the matrix is one boot of one guest: a direction, a variant of the guest's siw, and
 * whether our side asks for CRCs. Its checks are shell scripts that run in the guest, commands of
 * ours that run beside it, and at the end a look at what crossed the wire and at the kernel's log.
 */
package io.github.rpcrdma4j.interop.linux;
