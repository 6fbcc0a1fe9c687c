/** Example programs to start from. */
package io.github.rpcrdma4j.examples;
