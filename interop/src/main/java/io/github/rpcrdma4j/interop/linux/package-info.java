/**
 * Tests with Linux kernels as peers, over soft-iWARP at both ends. A guest under emulation mounts
 * our server, and our client uses the kernel's server.
 *
 * <p>A cell of the test matrix is one boot of one guest. It has a direction, a variant of the
 * guest's siw, and our side's choice of CRCs. Its checks are shell scripts in the guest and our
 * commands on the host. At the end it checks the captured packets and the kernel's log.
 */
package io.github.rpcrdma4j.interop.linux;
