/** The command {@code gateway}. */
package io.github.rpcrdma4j.cli.gateway;
