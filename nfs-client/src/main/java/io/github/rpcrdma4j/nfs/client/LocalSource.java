package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.client.local.ExtendedAcls;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;

/**
 * The attributes of a local file that its copy may keep.
 *
 * @param acls none if they are not to be kept
 */
record LocalSource(LocalStatus status, ExtendedAcls acls) {}
