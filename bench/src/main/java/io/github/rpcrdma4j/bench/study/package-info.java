/** Measurements in addition to the table: set-up, many connections, growth, system calls. */
package io.github.rpcrdma4j.bench.study;
