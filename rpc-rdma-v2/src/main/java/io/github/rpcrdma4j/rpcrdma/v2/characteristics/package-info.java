/**
 * The version that two peers speak, and what they know of each other
 * (draft-cel-nfsv4-rpcrdma-version-two-01, Section 5; draft-dnoveck-nfsv4-rpcrdma-xcharext-00). The
 * package has states, events and snapshots; pure. The connection package sends and waits.
 */
package io.github.rpcrdma4j.rpcrdma.v2.characteristics;
