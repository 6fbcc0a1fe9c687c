/**
 * The shapes of arguments and results in XDR, as data: one notation for all programs, walks over
 * messages, and the most bytes that a message can have.
 */
package io.github.rpcrdma4j.nfs.shape;
