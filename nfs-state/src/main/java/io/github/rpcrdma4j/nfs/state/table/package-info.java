/** Tables and counters of the state that know nothing of clients and their opens. Pure. */
package io.github.rpcrdma4j.nfs.state.table;
