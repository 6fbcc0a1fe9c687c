/** Measurements beyond the table: setting up, many connections, growth, system calls. */
package io.github.rpcrdma4j.bench.study;
