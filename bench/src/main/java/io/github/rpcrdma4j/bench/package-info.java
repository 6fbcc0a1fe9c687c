/**
 * rpcrdma4j beside a plain TCP exchange of the same sizes: two processes, rounds in turn, medians.
 * What counts is the ratio within one run.
 */
package io.github.rpcrdma4j.bench;
