/** What several stores need: who uses a store, and which changes of a file overlap in time. */
package io.github.rpcrdma4j.nfs.directories.common;
