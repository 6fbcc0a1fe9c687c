/** What administrators of a server see of its clients, and how they end one. */
package io.github.rpcrdma4j.nfs.server.admin;
