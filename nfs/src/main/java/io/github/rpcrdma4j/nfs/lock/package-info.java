/**
 * The protocols for locks beside NFS versions 2 and 3: NLM, and NSM, which tells hosts of restarts
 * (XNFS, Version 3W; RFC 1813, Appendix II, for version 4 of NLM). Their messages as records, and
 * their bindings: RFC 8267, Section 5.1, makes none of their items eligible.
 */
package io.github.rpcrdma4j.nfs.lock;
