/**
 * rpcrdma4j beside its limits and beside others: one process a side, rounds in turn, medians. What
 * counts is the ratio within one run. This program is on the class path, because what it measures
 * beside has no module descriptors.
 */
package io.github.rpcrdma4j.bench;
