/**
 * System calls of Linux. Arguments and results lie in reused native memory. An error is a negative
 * result, as in the kernel.
 */
package io.github.rpcrdma4j.linux;
