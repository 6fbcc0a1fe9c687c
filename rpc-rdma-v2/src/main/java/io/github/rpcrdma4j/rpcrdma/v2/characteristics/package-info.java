/**
 * Which version of the protocol two peers speak, and what they know of each other
 * (draft-cel-nfsv4-rpcrdma-version-two-01, Section 5; draft-dnoveck-nfsv4-rpcrdma-xcharext-00).
 * States, events and snapshots; pure. Who sends and waits is elsewhere.
 */
package io.github.rpcrdma4j.rpcrdma.v2.characteristics;
