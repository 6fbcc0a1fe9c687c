/**
 * The command {@code rpcrdma}. It is the only module that picks a provider. A command ends with 0
 * when it is done, with 1 and one line when it failed, and with 2 when it was called wrongly.
 */
package io.github.rpcrdma4j.cli;
