/**
 * What all versions of NFS have in common: {@link
 * io.github.rpcrdma4j.nfs.client.service.FileService}, and the values that it takes and gives. No
 * class here knows how a call travels.
 */
package io.github.rpcrdma4j.nfs.client.service;
