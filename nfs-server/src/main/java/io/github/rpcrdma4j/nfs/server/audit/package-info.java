/** What clients have done to the names and the rights of files, for an audit. */
package io.github.rpcrdma4j.nfs.server.audit;
