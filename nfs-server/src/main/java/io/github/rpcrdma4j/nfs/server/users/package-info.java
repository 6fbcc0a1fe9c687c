/** The users that callers act as. */
package io.github.rpcrdma4j.nfs.server.users;
