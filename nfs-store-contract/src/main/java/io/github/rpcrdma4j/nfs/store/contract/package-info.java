/**
 * The tests that every file store must pass. The test of a store extends {@link
 * io.github.rpcrdma4j.nfs.store.contract.FileStoreContract}, and says what the store has.
 */
package io.github.rpcrdma4j.nfs.store.contract;
