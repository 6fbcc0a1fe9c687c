/**
 * Files of this machine for copies: names are bytes, and no operation leaves the directory that a
 * tree was opened at, whatever others do to it meanwhile.
 */
package io.github.rpcrdma4j.nfs.client.local;
