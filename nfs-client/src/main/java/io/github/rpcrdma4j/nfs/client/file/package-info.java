/**
 * Rules for the files of a server that mounts and copies share: listings, links to follow, proof of
 * what was made, writes that last.
 */
package io.github.rpcrdma4j.nfs.client.file;
