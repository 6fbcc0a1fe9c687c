/**
 * What becomes of the figures: medians, a table, JSON, a chart, and how they stand to the goals.
 */
package io.github.rpcrdma4j.bench.report;
