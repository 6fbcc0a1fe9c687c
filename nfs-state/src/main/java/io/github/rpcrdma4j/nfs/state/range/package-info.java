/** Locked byte ranges of one file: which of them conflict, and who has which. Pure. */
package io.github.rpcrdma4j.nfs.state.range;
