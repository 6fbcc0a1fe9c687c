/** What became of files that a server of NFS version 3 said were on storage. */
package io.github.rpcrdma4j.interop.storage;
