/** Tests whether files are on storage after a server of NFS version 3 has replied so. */
package io.github.rpcrdma4j.interop.storage;
