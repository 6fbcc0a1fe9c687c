/**
 * The driver of the state: gives it events, times and random numbers, and carries out its actions.
 * It stores records of clients, calls clients back, and keeps the locks and leases of the kernel.
 * The operations of NFS version 4 and the locks of NLM are built on it.
 */
package io.github.rpcrdma4j.nfs.server.driver;
