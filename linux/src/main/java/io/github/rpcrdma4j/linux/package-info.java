/**
 * System calls of Linux. Arguments and results lie in native memory that is used again and again;
 * an error is a negative result, as in the kernel.
 */
package io.github.rpcrdma4j.linux;
